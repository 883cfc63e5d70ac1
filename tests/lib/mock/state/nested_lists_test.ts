import assert from "node:assert/strict";
import { createHandlerContext } from "../../../../lib/mock/operation/operation_handler.ts";
import { inferResources } from "../../../../lib/mock/infer/infer_resources.ts";
import { createInitialStates } from "../../../../lib/mock/state/store/initial_states.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { createStateClient, type StateClient } from "./state_client.ts";

const json = (schema: string): string => `content: {application/json: {schema: ${schema}}}`;
const ref = (name: string): string => `{$ref: "#/components/schemas/${name}"}`;
const many = (name: string): string => `{"200": {description: All, ${json(`{type: array, items: ${ref(name)}}`)}}}`;
const one = (name: string): string => `{"200": {description: One, ${json(ref(name))}}}`;
const path = (...names: string[]): string =>
  `parameters: [${names.map((name) => `{name: ${name}, in: path, required: true, schema: {type: string}}`).join()}]`;

/** A definition of repositories with issues, whose list is that of the caller. */
const repos = (list: string, create = ""): string => `
openapi: 3.0.0
info: {title: N, version: "1"}
paths:
  ${list}: {get: {responses: ${many("Repo")}}${create}}
  /repos/{repo}:
    ${path("repo")}
    get: {responses: ${one("Repo")}}
    put: {requestBody: {${json(ref("Repo"))}}, responses: ${one("Repo")}}
    delete: {responses: {"204": {description: Gone}}}
  /repos/{repo}/issues:
    ${path("repo")}
    get: {responses: ${many("Issue")}}
    post: {requestBody: {${json(ref("Issue"))}}, responses: {"201": {description: Made, ${json(ref("Issue"))}}}}
  /repos/{repo}/issues/{number}:
    ${path("repo", "number")}
    get: {responses: ${one("Issue")}}
components:
  schemas:
    Issue: {type: object, required: [number, title], properties: {number: {type: integer}, title: {type: string}}}
    Repo: {type: object, required: [name], properties: {name: {type: string}, topic: {type: string}, size: {type: integer}}}
`;

async function clientOf(definition: string, items = 3): Promise<StateClient> {
  const handlers = createHandlerContext();
  const document = await parseDocument(definition);
  const initial = createInitialStates(inferResources([document]), { items, ...handlers })(0);
  return createStateClient(definition, { initial, handlers });
}

for (const list of ["/user/repos", "/me/repos", "/v1/account/repos", "/catalogue/repos"]) {
  Deno.test(`an item that GET ${list} shows can be read by its own path, with the items below it`, async () => {
    const client = await clientOf(repos(list));
    const { body } = await client.ask(`GET ${list}`);
    assert.equal(body.length, 3);
    for (const repo of body) {
      assert.deepEqual((await client.ask(`GET /repos/${repo.name}`)).body, repo);
      const { body: issues } = await client.ask(`GET /repos/${repo.name}/issues`);
      assert.equal(issues.length, 3);
      assert.deepEqual((await client.ask(`GET /repos/${repo.name}/issues/${issues[0].number}`)).body, issues[0]);
    }
    await client.ask("PUT /repos/new", { name: "new" });
    assert.equal((await client.ask(`GET ${list}`)).body.length, 4);
    assert.deepEqual((await client.ask("GET /repos/new/issues")).body, []);
  });
}

Deno.test("an empty list below a parent that doesn't exist says which parents have some", async () => {
  const client = await clientOf(repos("/user/repos"));
  const { body: [first, second] } = await client.ask("GET /user/repos");
  const { body, status, remarks } = await client.ask("GET /repos/denoland/issues");
  assert.deepEqual([status, body], [200, []]);
  assert.match(remarks.join(), new RegExp(`^There is no repo "denoland". .* below "${first.name}", "${second.name}"`));
  await client.ask("POST /repos/denoland/issues", { number: 1, title: "a" });
  const { body: issues, remarks: none } = await client.ask("GET /repos/denoland/issues");
  assert.deepEqual([issues.length, none.length], [1, 0]);
  await client.ask(`DELETE /repos/${first.name}`);
  assert.equal((await client.ask(`GET /repos/${first.name}/issues`)).status, 404);
});
