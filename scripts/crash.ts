/**
 * Kills `gw serve` with SIGKILL repeatedly while clients deploy, and counts acknowledged APIs that are lost:
 * `deno task crash [--rounds N] [--clients N] [--deploys N]`.
 *
 * @module
 */

// deno-lint-ignore-file no-console -- This command prints its results.

import { parseArgs } from "node:util";
import { createStore, definition, send, type Serving, startServe } from "../tests/cmd/serve_process.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "20" },
    clients: { type: "string", default: "20" },
    deploys: { type: "string", default: "1000" },
  },
});
const [rounds, clients, deploys] = [Number(values.rounds), Number(values.clients), Number(values.deploys)];

const data = await Deno.makeTempDir();
await createStore(data);
const acknowledged = new Set<string>();
let slowestStart = 0;
for (let round = 0; round < rounds; round++) {
  await using gw = await startTimed();
  // Kills the server after a random number of acknowledged deployments, at another moment in each round.
  const enough = acknowledged.size + 1 + Math.floor(Math.random() * 2 * deploys / rounds);
  await deployUntilKilled(gw, round, enough);
}
const lost = await countLost();
await Deno.remove(data, { recursive: true });
console.log(
  `${rounds} rounds of ${clients} clients: ${acknowledged.size} acknowledged, ${lost.missing} lost, ` +
    `${lost.silent} not answered by the gateway; slowest start ${slowestStart.toFixed(0)} ms`,
);
Deno.exit(lost.missing + lost.silent === 0 ? 0 : 1);

async function startTimed(): Promise<Serving> {
  const start = performance.now();
  const gw = await startServe({ data, args: ["--quiet"] });
  slowestStart = Math.max(slowestStart, performance.now() - start);
  return gw;
}

/** Lets clients deploy. Kills the server as soon as `enough` APIs in total have been acknowledged. */
async function deployUntilKilled(gw: Serving, round: number, enough: number): Promise<void> {
  let isKilled = false;
  await Promise.all(Array.from({ length: clients }, async (_, client) => {
    for (let number = 0; !isKilled; number++) {
      const name = `api-${round}-${client}-${number}`;
      const created = await send(`${gw.api}/apis`, "POST", { name, openapi: definition(name) }).catch(() => undefined);
      if (created === undefined) return;
      if (created.status === 201) acknowledged.add(name);
      await created.text().catch(() => {});
      if (acknowledged.size >= enough && !isKilled) {
        isKilled = true;
        gw.signal("SIGKILL");
      }
    }
  }));
  await gw.ended;
}

async function countLost(): Promise<{ missing: number; silent: number }> {
  await using gw = await startTimed();
  const apis: { name: string }[] = await (await fetch(`${gw.api}/apis`)).json();
  const kept = new Set(apis.map(({ name }) => name));
  let silent = 0;
  for (const name of acknowledged) {
    if (await (await fetch(`${gw.fleet}/${name}`)).text() !== `mocked ${name}`) silent++;
  }
  return { missing: acknowledged.difference(kept).size, silent };
}
