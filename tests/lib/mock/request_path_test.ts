/** Bounds the number of gw's functions that are called for a request whose answer is cached. */
import assert from "node:assert/strict";
import { Session } from "node:inspector/promises";
import { createMock } from "../../../lib/mock/mock.ts";
import { parseDocument } from "../../../lib/openapi/document.ts";

const DEFINITION = `
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
paths:
  /pets:
    get:
      responses:
        "200":
          description: Pets.
          content: {application/json: {schema: {type: object}, example: {name: Tom}}}
`;

const LIBRARY = import.meta.resolve("../../../lib/");

/** Runs an action. Returns the functions in lib/ that it called, each with its file. */
async function callsOf(action: () => unknown): Promise<string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    await session.post("Profiler.takePreciseCoverage");
    action();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    return result.flatMap(({ url, functions }) => {
      const file = url.startsWith(LIBRARY) ? url.slice(LIBRARY.length) : undefined;
      const called = functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0);
      return file === undefined ? [] : called.map(({ functionName }) => `${file} ${functionName || "(anonymous)"}`);
    }).sort();
  } finally {
    await session.post("Profiler.stopPreciseCoverage");
    session.disconnect();
  }
}

Deno.test("a request with a cached answer passes few functions", async () => {
  const mock = createMock(await parseDocument(DEFINITION));
  const request = new Request("http://localhost/pets");
  await mock(request);
  let response: unknown;
  const calls = await callsOf(() => response = mock(request));
  assert.ok(response instanceof Response, "the answer is there at once");
  assert.deepEqual([...new Set(calls)], [
    "http/and_then.ts andThen",
    "http/direct.ts isDirect",
    "http/url/host.ts hostOf",
    "http/url/host.ts parseAgain",
    "http/url/url.ts splitTarget",
    "mock/answer_operation.ts (anonymous)",
    "mock/answer_operation.ts answerInOrder",
    "mock/answer_operation.ts answerOperation",
    "mock/answer_operation.ts checkRequest",
    "mock/answer_operation.ts chooseAnswer",
    "mock/answer_operation.ts describeReply",
    "mock/answer_operation.ts preferencesOf",
    "mock/answer_operation.ts readNeededBody",
    "mock/mock.ts (anonymous)",
    "mock/mock.ts reply",
    "mock/mock.ts respond",
    "mock/operation/operation_handler.ts answerFromDefinition",
    "mock/operation/reply.ts observeReply",
    "mock/operation/reply.ts send",
    "mock/route/router.ts match",
  ]);
});
