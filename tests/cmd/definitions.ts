/**
 * Definitions for tests that start the program.
 *
 * @module
 */
import { fileURLToPath } from "node:url";

export const TODO = fileURLToPath(import.meta.resolve("../data/todo.yaml"));

/** Makes a temporary folder, which is removed at the end of the block. */
export async function createFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await Deno.realPath(await Deno.makeTempDir());
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** A definition with mocked paths: GET of a path answers its text. */
export function texts(paths: Readonly<Record<string, string>>, title = "Test"): string {
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title, version: "1.0.0" },
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, example]) => [path, {
        get: { responses: { 200: { description: "", content: { "text/plain": { example } } } } },
      }]),
    ),
  });
}

/** A definition whose `GET /todos` is mocked and answers `todo`. The settings are added to its `x-svc`. */
export function todoThatAnswers(todo: string, settings = ""): string {
  return `openapi: 3.1.0
info: {title: Todo, version: 1.0.0}
x-svc: {mocking: {enabled: true}${settings}}
paths:
  /todos:
    get:
      responses:
        "200": {description: Todos., content: {text/plain: {schema: {type: string}, example: ${todo}}}}
`;
}

export async function textOf(gw: { url: string }, path: string, init?: RequestInit): Promise<string> {
  const response = await fetch(`${gw.url}${path}`, init);
  return await response.text();
}
