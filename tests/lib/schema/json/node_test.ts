import assert from "node:assert/strict";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { listOperations } from "../../../../lib/openapi/operation.ts";
import { listParameters } from "../../../../lib/openapi/parameter.ts";
import { child, entries, items, type Node } from "../../../../lib/schema/json/node.ts";
import { follow } from "../../../../lib/schema/json/reference.ts";

const TEXT = `
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
paths:
  /pets:
    get:
      parameters: [{name: kind, in: query, schema: {type: string}}]
      responses:
        "200": {description: Pets., content: {application/json: {schema: {type: array, items: {type: object}}}}}
components: {schemas: {Pet: {type: object}}}
x-owner: {name: Ann}
`;

/** Checked at compile time: `deno check` fails if a line after `@ts-expect-error` has no type error. */
Deno.test("the compiler knows the keys of each kind of object, and the kinds under them", async () => {
  const document = await parseDocument(TEXT);
  const [operation] = listOperations(document);
  assert.ok(operation !== undefined);
  const { node } = operation;

  const responses: Node<"Responses"> = child(node, "responses");
  // @ts-expect-error: an Operation Object has no such field.
  assert.equal(child(node, "responces").value, undefined);
  // @ts-expect-error: its responses are no Schema Object.
  const wrong: Node<"Schema"> = child(node, "responses");
  assert.deepEqual(wrong.value, responses.value);

  const response = follow(document, child(responses, "200"));
  const [[mediaType, media] = []] = entries(child(response, "content"));
  assert.equal(mediaType, "application/json");
  assert.ok(media !== undefined);
  const schema: Node<"Schema"> = child(media, "schema");
  assert.equal(child(child(schema, "items"), "type").value, "object");
  // @ts-expect-error: a Media Type Object has no such field.
  assert.equal(child(media, "schemas").value, undefined);
  // @ts-expect-error: a keyword that is misspelt.
  assert.equal(child(schema, "requierd").value, undefined);

  const [parameter] = items(child(node, "parameters"));
  assert.ok(parameter !== undefined);
  assert.equal(child(parameter, "in").value, "query");
  // @ts-expect-error: a list has indexes.
  assert.equal(child(child(node, "parameters"), "schema").value, undefined);
  // @ts-expect-error: a Parameter Object has no such field.
  assert.equal(child(follow(document, parameter), "operationId").value, undefined);
  // @ts-expect-error: a Parameter Object is no Header Object.
  const header: Node<"Header"> = parameter;
  assert.equal(child(header, "schema").value, listParameters(operation)[0]?.schema?.value);
});

Deno.test("a key that no object of the specification stands under leads to a node of any kind", async () => {
  const { root } = await parseDocument(TEXT);
  const owner: Node = child(root, "x-owner");
  assert.equal(child(owner, "name").value, "Ann");
  assert.equal(child(child(root, "openapi"), 0).value, undefined);
  const any: Node = root;
  assert.equal(child(any, "openapy").value, undefined);
  const pet = child(child(child(root, "components"), "schemas"), "Pet");
  // @ts-expect-error: the kind of a component is that of its map.
  assert.equal(child(pet, "content").value, undefined);
});
