/**
 * The programs under attack: the embedded gateway of `gw serve`, and `gw mock --proxy`. Each runs as a process of its
 * own in front of one upstream.
 *
 * @module
 */
import assert from "node:assert/strict";
import { send, startServe } from "../cmd/serve_process.ts";
import { cpuSecondsOf, memoryOf } from "../../scripts/proc.ts";
import { type Running, startGw } from "../cmd/process.ts";
import { type AttackUpstream, type Script, startUpstream } from "./upstream.ts";
import { converse, statusOf } from "./wire.ts";

/** The resident memory that a healthy process may have, in MB. */
const MOST_MEMORY = 300;
/**
 * The resident memory that a process may have after it has validated bodies of 10 MiB, in MB. A body becomes a text and
 * a value, which take several times its size, and V8 releases memory late.
 */
const MOST_MEMORY_OF_CHECKS = 1000;
/** The CPU time that an idle process may use between two measurements, in seconds: two clock ticks, and rounding. */
const IDLE_SECONDS = 0.025;
const LOOK_MILLISECONDS = 50;
/** The number of measurements within which a process must become idle. */
const MOST_LOOKS = 100;
/** Milliseconds until an innocent client gives up. */
const TIMEOUT = 10_000;
/**
 * The number of innocent clients after an exchange. One isn't enough, as an exchange may have broken any connection of
 * the pool.
 */
const INNOCENTS = 3;

/** An exchange of the attack: what the client sends, and what the upstream answers. */
export interface Exchange {
  readonly name: string;
  /** The bytes that the client sends. */
  readonly request: string;
  readonly script: Script;
  /** The requests that may reach the upstream. Default: `GET /attack`. */
  readonly reaches?: readonly string[];
  /** The permitted statuses of the client's response; `undefined` stands for no response. Default: any. */
  readonly wants?: readonly (number | undefined)[];
  /** A text that must not occur in the client's response. */
  readonly hides?: string;
  /** Milliseconds until the client gives up. */
  readonly timeout?: number;
}

/** A program under attack. */
export interface Target extends AsyncDisposable {
  readonly name: string;
  /** Runs an exchange, and asserts that other clients aren't affected. */
  attack(exchange: Exchange): Promise<void>;
}

const METHODS = ["get", "put", "post", "delete", "options", "patch"];
const NUMBER = { name: "number", in: "path", required: true, schema: { type: "string" } };
const FINE = { responses: { 200: { description: "" } } };

function definitionOf(extension: Record<string, unknown>): string {
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Attacked", version: "1" },
    "x-svc": extension,
    paths: {
      "/attack": Object.fromEntries(METHODS.map((method) => [method, FINE])),
      "/innocent/{number}": { get: FINE, parameters: [NUMBER] },
    },
  });
}

/** The hosts of the exchanges. */
const HOSTS = ["--allow-host", "h", "--allow-host", "other.example"];

export const TARGETS: readonly { name: string; start: () => Promise<Target> }[] = [
  { name: "gw serve", start: startGateway },
  { name: "gw mock --proxy", start: startMock },
];

async function startGateway(): Promise<Target> {
  const upstream = startUpstream();
  const gw = await startServe({ args: ["--quiet", ...HOSTS] });
  const openapi = definitionOf({
    upstream: { host: { hostname: "127.0.0.1", port: upstream.port } },
    qos: { request_timeout: 5 },
  });
  const deployed = await send(`${gw.api}/apis`, "POST", { name: "attacked", openapi });
  assert.equal(deployed.status, 201, await deployed.text());
  return targetOf("gw serve", gw, Number(new URL(gw.fleet).port), upstream);
}

async function startMock(): Promise<Target> {
  const upstream = startUpstream();
  const gw = await startGw({
    args: ["mock", "-", "--quiet", "--proxy", `http://127.0.0.1:${upstream.port}`, ...HOSTS],
    stdin: definitionOf({ mocking: { enabled: false } }),
  });
  return targetOf("gw mock --proxy", gw, gw.port, upstream);
}

/** The programs that validate bodies: `gw proxy` once with `--validate warn`, once with `--validate error`. */
export const CHECKING_TARGETS: readonly { name: string; start: () => Promise<Target> }[] = ["warn", "error"].map((
  validate,
) => ({ name: `gw proxy --validate ${validate}`, start: () => startProxy(validate) }));

async function startProxy(validate: string): Promise<Target> {
  const upstream = startUpstream();
  const gw = await startGw({
    args: ["proxy", "-", `http://127.0.0.1:${upstream.port}`, "--quiet", "--validate", validate, ...HOSTS],
    stdin: CHECKED_DEFINITION,
  });
  return targetOf(`gw proxy --validate ${validate}`, gw, gw.port, upstream, MOST_MEMORY_OF_CHECKS);
}

const ANY = { schema: { type: "object", properties: { a: { type: "integer" } }, additionalProperties: false } };
const LIST = { schema: { type: "array", items: ANY.schema } };
const CHECKED_CONTENT = {
  "application/json": ANY,
  "application/xml": ANY,
  "application/x-www-form-urlencoded": ANY,
  "multipart/form-data": ANY,
  "application/yaml": ANY,
  "text/csv": LIST,
  "text/event-stream": LIST,
  "application/x-ndjson": LIST,
  "application/json-seq": LIST,
  "text/plain": { schema: { type: "string", pattern: "^(a+)+$" } },
};
const CHECKED_DEFINITION = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "Attacked", version: "1" },
  paths: {
    "/attack": {
      get: {
        responses: {
          200: {
            description: "",
            headers: { "x-list": { schema: { type: "array", items: { type: "integer" } } } },
            content: CHECKED_CONTENT,
          },
        },
      },
      post: { requestBody: { content: CHECKED_CONTENT }, ...FINE },
    },
    "/innocent/{number}": { get: FINE, parameters: [NUMBER] },
  },
});

function targetOf(
  name: string,
  gw: Running,
  port: number,
  upstream: AttackUpstream,
  mostMemory = MOST_MEMORY,
): Target {
  let isEnded = false;
  void gw.ended.then(() => isEnded = true);
  let innocents = 0;
  return {
    name,
    attack,
    async [Symbol.asyncDispose]() {
      await gw[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };

  async function attack(
    { request, script, reaches = ["GET /attack"], wants, hides, timeout }: Exchange,
  ): Promise<void> {
    upstream.seen.length = 0;
    upstream.script = script;
    const answer = await converse(port, { text: request, timeout: timeout ?? TIMEOUT });
    const status = statusOf(answer);
    assert.ok(wants === undefined || wants.includes(status), `The client got ${JSON.stringify(answer.slice(0, 500))}`);
    assert.ok(hides === undefined || !answer.includes(hides), `The client got ${JSON.stringify(answer.slice(0, 500))}`);
    const asked = Array.from({ length: INNOCENTS }, () => `/innocent/${++innocents}`);
    await Promise.all(asked.map(askInnocently));
    const expected = [...reaches, ...asked.map((path) => `GET ${path}`)];
    for (const seen of upstream.seen) {
      const index = expected.indexOf(seen);
      assert.notEqual(index, -1, `The upstream saw ${JSON.stringify(upstream.seen)}`);
      expected.splice(index, 1);
    }
    await checkHealth();
  }

  async function askInnocently(path: string): Promise<void> {
    const text = `GET ${path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`;
    const answer = await converse(port, { text, timeout: TIMEOUT });
    assert.equal(statusOf(answer), 200, `An innocent client got ${JSON.stringify(answer)}\n${gw.text()}`);
    assert.equal(answer.slice(answer.indexOf("\r\n\r\n") + 4), `answer to ${path}`);
  }

  async function checkHealth(): Promise<void> {
    assert.ok(!isEnded, `The process has ended:\n${gw.text()}`);
    const { now } = memoryOf(gw.pid);
    assert.ok(now < mostMemory, `The process holds ${Math.round(now)} MB`);
    for (let look = 0; look < MOST_LOOKS; look++) {
      const before = cpuSecondsOf(gw.pid);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
      if (cpuSecondsOf(gw.pid) - before <= IDLE_SECONDS) return;
    }
    assert.fail("The process doesn't come to rest.");
  }
}
