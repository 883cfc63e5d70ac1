import assert from "node:assert/strict";
import { createBackground } from "../../../cmd/io/lifecycle.ts";
import type { LogMessage, RequestEntry } from "../../../cmd/io/terminal/log.ts";
import { createRequestHandler } from "../../../cmd/io/request_handler.ts";
import type { Responder } from "../../../lib/mock/responder.ts";

/** Sends a request to a handler. Returns the response, the log, and the background work. */
async function ask(
  responder: Responder,
  request = new Request("http://localhost/pets?a=1"),
): Promise<{ response: Response; entries: RequestEntry[]; complaints: string[]; settled: () => Promise<void> }> {
  const entries: RequestEntry[] = [];
  const complaints: string[] = [];
  const log = {
    note: () => {},
    say: () => {},
    complain: (message: LogMessage) => complaints.push([message].flat().join("\n")),
    request: (entry: RequestEntry) => entries.push(entry),
    late: () => {},
    delivery: () => {},
  };
  const background = createBackground();
  const handle = createRequestHandler({ responder: () => responder, log, logsRequests: true, background });
  const response = await handle(request);
  return { response, entries, complaints, settled: background.settled };
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
      /^gw failed to answer GET \/pets\?a=1: out of ideas\. This is an error of gw/,
    );
    assert.match(complaints[0] ?? "", /^Error: out of ideas\n +at /);
    assert.equal(entries[0]?.status, 500);
  });
}

Deno.test("createRequestHandler() returns a response that is ready without a promise", () => {
  const answer = { response: new Response("ready"), mediaType: "text/plain", source: "example" };
  const log = {
    note: () => {},
    say: () => {},
    complain: () => {},
    request: () => {},
    late: () => {},
    delivery: () => {},
  };
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
  const { entries, settled } = await ask(() => answer);
  assert.equal(entries.length, 0);
  resolve({ violations });
  await settled();
  assert.deepEqual(entries[0]?.remarks, ["Request body must be string."]);
});

Deno.test("createRequestHandler() logs which examples are wrong after what is wrong with the request", async () => {
  const violation = { severity: "Error" as const, code: "type" };
  const answer = {
    response: new Response(),
    mediaType: "",
    source: "example",
    validation: { violations: [{ ...violation, location: ["query", "a"], message: "First." }] },
    checkExamples: () => Promise.resolve([{ ...violation, location: ["response", "body"], message: "Second." }]),
  };
  const { entries, settled } = await ask(() => answer);
  await settled();
  assert.deepEqual(entries.map(({ remarks }) => remarks), [["First.", "Second."]]);
});

Deno.test("createRequestHandler() logs a request whose check fails", async () => {
  const validation = Promise.reject(new Error("out of ideas"));
  const { entries, settled } = await ask(() => ({
    response: new Response(),
    mediaType: "",
    source: "status",
    validation,
  }));
  await settled();
  assert.deepEqual(entries[0]?.remarks, ["The request could not be checked: out of ideas"]);
});

Deno.test("createRequestHandler() reads a small body that no handler has read", async (t) => {
  const answer = { response: new Response(), mediaType: "", source: "status" };
  for (const { size, isRead } of [{ size: 10, isRead: true }, { size: 100_000, isRead: false }]) {
    await t.step(`${size} bytes`, async () => {
      const headers = { "content-length": String(size) };
      const request = new Request("http://localhost/", { method: "POST", body: "x".repeat(size), headers });
      await ask(() => answer, request);
      assert.equal(request.bodyUsed, isRead);
    });
  }
});

Deno.test("createRequestHandler() starts callbacks with a promise that resolves when the response was sent", async () => {
  const { promise: completed, resolve } = Promise.withResolvers<void>();
  const background = createBackground();
  const sent: string[] = [];
  const handle = createRequestHandler({
    responder: () => () => ({
      response: new Response(),
      mediaType: "",
      source: "status",
      callbacks: Promise.resolve([]),
    }),
    log: { note: () => {}, say: () => {}, complain: () => {}, request: () => {}, late: () => {}, delivery: () => {} },
    logsRequests: true,
    background,
    sendCallbacks: async (_plans, answered) => {
      await answered;
      sent.push("callbacks");
    },
  });
  await handle(new Request("http://localhost/"), { completed });
  assert.deepEqual(sent, []);
  resolve();
  await background.settled();
  assert.deepEqual(sent, ["callbacks"]);
});

Deno.test("createRequestHandler() logs preferences that are not honoured before violations", async () => {
  const violations = [{
    location: ["query", "a"],
    severity: "Error" as const,
    code: "type",
    message: "Query a is wrong.",
  }];
  const answer = { mediaType: "", source: "problem", detail: "Nothing there.", remarks: ["No code abc."] };
  const cases = [
    { validation: undefined, want: ["No code abc.", "Nothing there."] },
    { validation: { violations }, want: ["No code abc.", "Query a is wrong."] },
    { validation: Promise.resolve({ violations }), want: ["No code abc.", "Query a is wrong."] },
  ];
  for (const { validation, want } of cases) {
    const { entries, settled } = await ask(() => ({ ...answer, response: new Response(), validation }));
    await settled();
    assert.deepEqual(entries.map(({ remarks }) => remarks), [want]);
  }
});

Deno.test("createRequestHandler() waits for the end of a response that it doesn't log", async () => {
  const { promise: late, reject } = Promise.withResolvers<string[]>();
  const complaints: string[] = [];
  const log = {
    note: () => {},
    say: () => {},
    complain: (message: string) => complaints.push(message),
    request: () => {},
    late: () => {},
    delivery: () => {},
  };
  const background = createBackground();
  const reply = { response: new Response("ok"), mediaType: "text/plain", source: "upstream", late };
  await createRequestHandler({ responder: () => () => reply, log, logsRequests: false, background })(
    new Request("http://localhost/pets"),
  );
  reject(new Error("no memory"));
  await background.settled();
  assert.deepEqual(complaints, ["GET /pets could not be checked: no memory"]);
});
