/**
 * Measures the memory and time of sessions in this process, and prints them as JSON. Arguments: the file of a
 * definition. The process needs `--v8-flags=--expose-gc`.
 *
 * @module
 */
import { createSessions } from "../../lib/mock/create_sessions.ts";
import { createResponder } from "../../lib/mock/responder.ts";
import { inferResources } from "../../lib/mock/infer/infer_resources.ts";
import { parseDocument } from "../../lib/openapi/document.ts";
import { median } from "./table.ts";

/** The costs of one session. Memory is the average over {@linkcode SESSIONS} sessions, time is the median. */
export interface SessionCosts {
  /** Memory of a session that has answered a request but has no writes. */
  readonly untouchedKilobytes: number;
  /** Memory of a fork of a session that has written to {@linkcode COLLECTIONS} collections. */
  readonly forkKilobytes: number;
  /** Time to make a fork of a session with writes, in milliseconds. */
  readonly forkMilliseconds: number;
}

const SESSIONS = 1_000;
/** The number of collections that the forked session has written to. */
const COLLECTIONS = 300;

if (import.meta.main) {
  // deno-lint-ignore no-console
  console.log(JSON.stringify(await measure(await Deno.readTextFile(Deno.args[0] ?? ""))));
}

async function measure(text: string): Promise<SessionCosts> {
  const document = await parseDocument(text);
  const resources = inferResources([document]);
  const path = resources.all.find(({ scope }) => scope.length === 0)?.bindings.find(({ kind }) => kind === "list");
  const options = { stateful: true, sessions: 2 * SESSIONS + 1 };
  const sessions = createSessions(options);
  const respond = await createResponder([document], options, sessions);
  const ask = async (session: string): Promise<void> => {
    const request = new Request(`http://127.0.0.1${path?.operation.path ?? "/"}`, {
      headers: { "x-gw-session": session },
    });
    const { response } = await respond(request);
    if (!response.ok) throw new Error(`${request.url} answers ${response.status}: ${await response.text()}`);
    await response.body?.cancel();
  };
  await ask("first");
  const before = heapUsed();
  for (let index = 0; index < SESSIONS; index++) await ask(`untouched-${index}`);
  const untouched = heapUsed();

  const { state } = sessions.of("first");
  for (const { name, scope } of resources.all.slice(0, COLLECTIONS)) {
    state.put(`bench ${name}`, { key: "1", scope: scope.map(() => "a"), value: { id: 1 } });
  }
  const beforeForks = heapUsed();
  const times: number[] = [];
  for (let index = 0; index < SESSIONS; index++) {
    const begin = performance.now();
    sessions.fork("first", `fork-${index}`);
    times.push(performance.now() - begin);
  }
  return {
    untouchedKilobytes: (untouched - before) / SESSIONS / 1000,
    forkKilobytes: (heapUsed() - beforeForks) / SESSIONS / 1000,
    forkMilliseconds: median(times),
  };
}

function heapUsed(): number {
  const { gc } = globalThis as { gc?: () => void };
  for (let pass = 0; pass < 3; pass++) gc?.();
  return Deno.memoryUsage().heapUsed;
}
