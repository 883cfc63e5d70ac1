/**
 * Deploys each hostile text of the tests to a `gw serve` of its own, and looks what that takes:
 * `deno task hostile [--program FILE] [--only WORDS]`.
 *
 * Time is the CPU time of the server, which other work of the machine doesn't lengthen, until it has answered; memory is
 * the most that the process has held since its start (`VmHWM` of Linux's /proc), all of it. How much of that is garbage
 * depends on what else the machine does: what takes too much is tried again, and counts if it takes too much each time.
 *
 * @module
 */

// The command prints.
// deno-lint-ignore-file no-console

import { parseArgs } from "node:util";
import { HOSTILE_TEXTS } from "../tests/lib/openapi/hostile_texts.ts";
import { HOSTILE_CONTENTS } from "../tests/lib/management/hostile_contents.ts";
import { makeStore, settle, startGateway } from "./bench/serve/gateway.ts";
import { printTable } from "./bench/table.ts";
import { bundle } from "./bundle.ts";

const MOST_SECONDS = 1;
const MOST_MEGABYTES = 200;
/** For contents near the largest that is taken: they are held as bytes, as a text and as a value. */
const MOST_MEGABYTES_OF_CONTENT = 250;
/** A text is over when it is each of so many times. */
const TRIES = 3;

const { values } = parseArgs({ options: { program: { type: "string" }, only: { type: "string", default: "" } } });
const program = values.program ?? await bundle();

const cases = [
  ...HOSTILE_TEXTS.map(({ name, text }) => ({ name, content: () => contentOf(text()), most: MOST_MEGABYTES })),
  ...HOSTILE_CONTENTS.map(([name, content]) => ({
    name: `content: ${name}`,
    content,
    most: MOST_MEGABYTES_OF_CONTENT,
  })),
].filter(({ name }) => name.includes(values.only));

// The first start of a program costs more than any other: what the engine has compiled is kept for the next.
await post("");
const rows = [["hostile text", "status", "MB sent", "CPU s", "s", "peak MB", ""]];
let over = 0;
for (const { name, content, most } of cases) {
  const isTooMuch = ({ status, cpuSeconds, megabytes }: Taken): boolean =>
    cpuSeconds > MOST_SECONDS || megabytes > most || status >= 500;
  let taken = await post(content());
  for (let again = 1; again < TRIES && isTooMuch(taken); again++) taken = await post(content());
  const { status, sent, cpuSeconds, seconds, megabytes } = taken;
  const isOver = isTooMuch(taken);
  if (isOver) over++;
  rows.push([
    name,
    String(status),
    (sent / 1e6).toFixed(1),
    cpuSeconds.toFixed(2),
    seconds.toFixed(2),
    megabytes.toFixed(0),
    isOver ? "over" : "",
  ]);
}
printTable(rows);
console.log(`${cases.length} texts, ${over} over ${MOST_SECONDS} s of CPU time or their memory`);
Deno.exit(over === 0 ? 0 : 1);

interface Taken {
  status: number;
  /** Bytes. */
  sent: number;
  cpuSeconds: number;
  seconds: number;
  megabytes: number;
}

async function post(body: string): Promise<Taken> {
  await using store = await makeStore();
  const { management: server, stop } = await startGateway(program, store);
  try {
    await settle(server);
    const before = server.cpuSeconds();
    const begin = performance.now();
    const bytes = new TextEncoder().encode(body);
    const response = await fetch(`http://127.0.0.1:${server.port}/apis`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: bytes,
    });
    await response.bytes();
    return {
      status: response.status,
      sent: bytes.length,
      cpuSeconds: server.cpuSeconds() - before,
      seconds: (performance.now() - begin) / 1000,
      megabytes: server.peakMegabytes(),
    };
  } finally {
    await stop();
  }
}

function contentOf(text: string | Uint8Array): string {
  return JSON.stringify({
    name: "hostile",
    openapi: typeof text === "string" ? text : new TextDecoder().decode(text),
  });
}
