import assert from "node:assert/strict";
import { startGw } from "./process.ts";

const DEFINITION = `
openapi: 3.1.0
info: {title: Wrong, version: 1.0.0}
paths:
  /pets:
    get:
      responses:
        "200": {description: "", content: {application/json: {schema: {type: array}, example: none}}}
`;

Deno.test("gw mock --errors answers a problem instead of an example that its schema refuses", async () => {
  await using gw = await startGw({ args: ["mock", "-", "--errors"], stdin: DEFINITION });
  const response = await fetch(`${gw.url}/pets`);
  assert.equal(response.status, 500);
  const { validation } = await response.json();
  assert.deepEqual(validation, [{
    location: ["response", "body"],
    severity: "Error",
    code: "type",
    message: "Response body must be array.",
  }]);
  await gw.until(/GET \/pets 500 application\/problem\+json problem/);
});

Deno.test("gw mock logs once that the example of an answer is invalid by its schema", async () => {
  await using gw = await startGw({ args: ["mock", "-"], stdin: DEFINITION });
  for (const _ of [1, 2]) assert.equal(await (await fetch(`${gw.url}/pets`)).text(), '"none"');
  gw.signal("SIGTERM");
  const { stdout } = await gw.ended;
  assert.equal(stdout.match(/GET \/pets 200/g)?.length, 2);
  assert.equal(stdout.match(/^ {2}! Response body must be array\.$/gm)?.length, 1);
});
