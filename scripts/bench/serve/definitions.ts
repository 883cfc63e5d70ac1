/**
 * The definitions that the benchmarks of `gw serve` deploy.
 *
 * @module
 */

import { type Definition, github, stripe, todo } from "../definitions.ts";

/** The number of operations of each API that {@linkcode oneOfMany} makes. */
export const OPERATIONS = 20;

/**
 * The definition of a mocked API with 20 operations.
 *
 * @param number A number that occurs in the paths and answers, so that each API has its own.
 */
export function oneOfMany(number: number): string {
  const paths = Array.from({ length: OPERATIONS / 2 }, (_, item): [string, unknown] => [
    `/items${item}/{id}`,
    {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
      get: operation(`get${item}`, { id: item, of: number, title: "Buy milk", done: false }),
      put: operation(`put${item}`, { id: item, of: number, title: "Buy milk", done: true }),
    },
  ]);
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: `API ${number}`, version: "1.0.0" },
    "x-svc": { path: { prefix: `/api-${number}` }, mocking: { enabled: true } },
    paths: Object.fromEntries(paths),
  });
}

function operation(operationId: string, example: unknown): unknown {
  const schema = { type: "object", properties: { id: { type: "integer" }, title: { type: "string" } } };
  return { operationId, responses: { 200: { description: "", content: { "application/json": { schema, example } } } } };
}

/** A definition to deploy, and a path that answers 200 afterwards. */
export interface Deployable {
  name: string;
  openapi: string;
  path: string;
}

/** The path of an operation of {@linkcode deployableTodo} whose requests go to an upstream. */
export const PROXIED = "/proxied";

/**
 * The sample with an upstream on a port of this machine, and with an additional GET operation whose requests go there.
 */
export async function deployableTodo(port = 1): Promise<Deployable> {
  const text = await Deno.readTextFile(todo.file);
  const upstream = `x-svc:\n  upstream:\n    host: { hostname: 127.0.0.1, port: ${port} }\n`;
  const proxied = `paths:\n  ${PROXIED}: {get: {responses: {"200": {description: As the upstream has it.}}}}`;
  const openapi = text.replace(/^x-svc:\n[^]*/m, upstream).replace(/^paths:/m, proxied);
  return { name: "todo", openapi, path: todo.path };
}

/** The sample and two large real definitions, with all operations mocked that can be mocked. */
export async function deployables(): Promise<Deployable[]> {
  return [
    await deployableTodo(),
    await mocked("Stripe, 2.5 MB", await stripe()),
    await mocked("GitHub, 5.7 MB", await github()),
  ];
}

async function mocked(name: string, { file, path }: Definition): Promise<Deployable> {
  const document = JSON.parse(await Deno.readTextFile(file));
  const upstream = { host: { hostname: "127.0.0.1", port: 1 } };
  return { name, openapi: JSON.stringify({ ...document, "x-svc": { mocking: { enabled: true }, upstream } }), path };
}
