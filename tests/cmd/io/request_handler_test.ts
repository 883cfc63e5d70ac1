import assert from "node:assert/strict";
import type { RequestEntry } from "../../../cmd/io/log.ts";
import { createRequestHandler, type Responder } from "../../../cmd/io/request_handler.ts";

/** Asks a handler, and gives what it answers and logs. */
async function ask(
  responder: Responder,
): Promise<{ response: Response; entries: RequestEntry[]; complaints: string[] }> {
  const entries: RequestEntry[] = [];
  const complaints: string[] = [];
  const log = {
    note: () => {},
    say: () => {},
    complain: (message: string) => complaints.push(message),
    request: (entry: RequestEntry) => entries.push(entry),
  };
  const handle = createRequestHandler({ responder: () => responder, log, logsRequests: true });
  const response = await handle(new Request("http://localhost/pets?a=1"));
  return { response, entries, complaints };
}

for (
  const [how, responder] of [
    ["throws", () => {
      throw new Error("out of ideas");
    }],
    ["rejects", () => Promise.reject(new Error("out of ideas"))],
  ] satisfies [string, Responder][]
) {
  Deno.test(`createRequestHandler() answers a problem when what answers ${how}`, async () => {
    const { response, entries, complaints } = await ask(responder);
    assert.equal(response.status, 500);
    assert.match(
      (await response.json()).detail,
      /^gw failed to answer GET \/pets\?a=1: out of ideas\. This is a fault of gw/,
    );
    assert.match(complaints[0] ?? "", /Error: out of ideas\n +at /);
    assert.equal(entries[0]?.status, 500);
  });
}

Deno.test("createRequestHandler() gives an answer that is ready without a promise", () => {
  const answer = { response: new Response("ready"), mediaType: "text/plain", source: "example" };
  const log = { note: () => {}, say: () => {}, complain: () => {}, request: () => {} };
  const handle = createRequestHandler({ responder: () => () => answer, log, logsRequests: true });
  assert.equal(handle(new Request("http://localhost/")), answer.response);
});

Deno.test("createRequestHandler() logs what is wrong with a request when its body has been read", async () => {
  const violations = [{
    location: ["body"],
    severity: "Error" as const,
    code: "type",
    message: "Request body must be string.",
  }];
  const { promise, resolve } = Promise.withResolvers<{ violations: typeof violations }>();
  const answer = { response: new Response(), mediaType: "", source: "status", validation: promise };
  const { entries } = await ask(() => answer);
  assert.equal(entries.length, 0);
  resolve({ violations });
  await promise;
  assert.deepEqual(entries[0]?.remarks, ["Request body must be string."]);
});
