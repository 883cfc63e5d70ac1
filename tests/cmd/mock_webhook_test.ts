import assert from "node:assert/strict";
import { mock } from "../../cmd/commands/mock.ts";
import { startGw } from "./process.ts";
import { serveReceiver } from "./receiver.ts";
import { recordPlatform } from "./recorded_platform.ts";

const DEFINITION = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "Orders", version: "1.0.0" },
  webhooks: {
    newOrder: {
      post: {
        requestBody: {
          content: {
            "application/json": {
              schema: { type: "object", required: ["id"], properties: { id: { type: "integer", example: 7 } } },
            },
          },
        },
        responses: { 200: { description: "Thanks." } },
      },
    },
    "order lost": { post: { responses: { 200: { description: "Thanks." } } } },
  },
});

/** Runs `gw mock`. Returns the exit code and the output as one text. */
async function run(args: string[], env: Record<string, string> = {}): Promise<string> {
  const platform = recordPlatform({ stdin: DEFINITION, env });
  const code = await mock(args, platform);
  return `exit ${code}\n${platform.printed.stdout}${platform.printed.stderr}`;
}

Deno.test("gw mock --webhook sends a webhook once, and ends", async () => {
  await using receiver = serveReceiver();
  const url = `${receiver.url}/hook`;
  for (const args of [["-", "--webhook", "newOrder", url], ["--webhook", "newOrder", url, "-"]]) {
    assert.match(await run(args), /^exit 0\n\S+ webhook newOrder POST http:\/\/\S+\/hook 200 [\d.]+ ms\n$/);
  }
  assert.deepEqual(
    receiver.received,
    [1, 2].map(() => ({
      method: "POST",
      target: "/hook",
      contentType: "application/json",
      body: '{"id":7}',
    })),
  );
});

Deno.test("gw mock --webhook is read from the environment too, with spaces in the name", async () => {
  await using receiver = serveReceiver();
  assert.match(
    await run(["-"], { GW_MOCK_WEBHOOK: `order lost ${receiver.url}/` }),
    /^exit 0\n.*webhook order lost POST/,
  );
  assert.equal(await run(["-", "-q", "--webhook", "order lost", receiver.url]), "exit 0\n");
  assert.equal(receiver.received.length, 2);
});

Deno.test("gw mock --webhook ends with 3 when the receiver refuses, or can't be reached", async () => {
  let url;
  {
    await using receiver = serveReceiver({ "/no": () => new Response("No.", { status: 403 }) });
    url = `${receiver.url}/no`;
    const refused =
      /^exit 3\n\S+ webhook newOrder POST \S+\/no 403 [\d.]+ ms\n {2}! The receiver doesn't accept it\.\n$/;
    assert.match(await run(["-", "-q", "--webhook", "newOrder", url]), refused);
  }
  const unreached = /^exit 3\n\S+ webhook newOrder POST \S+ failed [\d.]+ ms\n {2}! Connection refused\.\n$/;
  assert.match(await run(["-", "--webhook", "newOrder", url]), unreached);
});

Deno.test("gw mock --webhook sends nothing to gw's own endpoints, and marks what it sends", async () => {
  const marks: (string | null)[] = [];
  await using receiver = serveReceiver({
    "/hook": ({ headers }) => {
      marks.push(headers.get("x-gw-callback"));
      return new Response();
    },
  });
  const printed = await run(["-", "--webhook", "newOrder", `${receiver.url}/_gw/state`]);
  assert.match(
    printed,
    /^exit 3\n\S+ webhook newOrder POST \S+ unsent\n {2}! \/_gw\/state is one of gw's own endpoints, /,
  );
  assert.match(await run(["-", "--webhook", "newOrder", `${receiver.url}/hook`]), /^exit 0\n/);
  assert.deepEqual(marks, ["true"]);
});

Deno.test("gw mock --webhook lists the webhooks when there is none of that name", async () => {
  assert.equal(
    await run(["-", "--webhook", "neworder", "http://localhost/"]),
    "exit 1\nThere is no webhook neworder in the definition. Did you mean newOrder? It has newOrder, order lost.\n",
  );
});

Deno.test("gw mock --webhook needs a name and a URL", async () => {
  const needs = /^exit 2\n--webhook needs a value: --webhook NAME URL\./;
  assert.match(await run(["-", "--webhook", "newOrder"]), needs);
  assert.match(await run(["-", "--webhook", "newOrder", "-q"]), needs);
  assert.match(await run(["-", "--webhook"]), needs);
  assert.match(await run(["-", "--webhook", "newOrder", "there"]), /^exit 2\n--webhook newOrder there: a URL such as/);
  assert.match(
    await run(["-"], { GW_MOCK_WEBHOOK: "newOrder" }),
    /^exit 2\nGW_MOCK_WEBHOOK newOrder: a name and a URL/,
  );
});

Deno.test("gw mock -v lists the webhooks beside the operations", async () => {
  await using gw = await startGw({ args: ["mock", "-", "-v"], stdin: DEFINITION });
  await gw.until(/\n {2}webhook newOrder POST\n {2}webhook order lost POST\n/);
});
