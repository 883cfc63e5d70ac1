/**
 * A page can read why its request was refused, even if the definition's error response has no property for that.
 *
 * @module
 */
import assert from "node:assert/strict";
import { startGw } from "../cmd/process.ts";
import { CHROMIUM, ELSEWHERE, serveSite } from "./chromium.ts";

const DEFINITION = `
openapi: 3.1.0
info: {title: Refusing, version: 1.0.0}
paths:
  /a:
    get:
      parameters: [{in: query, name: größe, required: true, schema: {type: integer}}]
      responses: {"200": {description: ""}, "422": {description: "No."}}
`;

Deno.test({
  name: "a page of another origin reads why its request is refused",
  ignore: CHROMIUM === undefined && Deno.env.get("CI") !== "true",
  async fn() {
    await using site = serveSite(ELSEWHERE);
    await using gw = await startGw({ args: ["mock", "-", "--validate", "error"], stdin: DEFINITION });
    const found = await site.run(`
      const response = await fetch("${gw.url}/a");
      return [response.status, JSON.parse(response.headers.get("x-gw-violations"))];
    `);
    assert.deepEqual(found, [422, [{
      location: ["query", "größe"],
      severity: "Error",
      code: "required",
      message: "Request query parameter größe is required.",
    }]]);
  },
});
