/** One engine: every user of lib/mock answers the rows alike, unless a row says otherwise and why. */
import { ANSWERS } from "./answers.ts";
import { BODIES } from "./bodies.ts";
import { REQUESTS } from "./requests.ts";
import { check, definitionOf, requestOf, type Row, wantedOf } from "./row.ts";
import { RULES } from "./rules.ts";
import { STATE } from "./state.ts";
import { type Ask, type UserName, USERS } from "./users.ts";

const ROWS: readonly Row[] = [...ANSWERS, ...BODIES, ...REQUESTS, ...RULES, ...STATE];

for (const user of Object.keys(USERS).filter((name): name is UserName => name in USERS)) {
  Deno.test(`${user} answers as every user of the engine does`, async (t) => {
    for (const row of ROWS.filter(({ only }) => only === undefined || only.users.includes(user))) {
      await t.step(row.name, async () => {
        const ask: Ask = await USERS[user](definitionOf(row), row);
        let id = "";
        for (const exchange of row.exchanges) {
          const text = await check(await ask(requestOf(exchange, id)), wantedOf(exchange, user));
          if (exchange.keeps) id = JSON.parse(text).id;
        }
      });
    }
  });
}
