import assert from "node:assert/strict";
import { findIdProperty } from "../../../../lib/mock/infer/id_property.ts";
import { createShapeReader } from "../../../../lib/mock/infer/shape.ts";
import { nounsOf } from "../../../../lib/names/words.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { child } from "../../../../lib/schema/json/node.ts";

type Properties = Record<string, unknown>;

const text = { type: "string" };
const number = { type: "integer" };
const inside = (properties: Properties): unknown => ({ type: "object", properties });

/**
 * A collection, the path parameter of its items with its type, the items' properties, and the path of the id within an
 * item.
 */
const CASES: [collection: string, parameter: string, type: string, properties: Properties, id?: string][] = [
  ["pets", "petId", "string", { id: text, name: text }, "id"],
  ["pets", "petId", "string", { id: text, petId: text }, "petId"],
  ["pets", "pet_id", "integer", { id: number, pet_name: text }, "id"],
  ["pets", "id", "string", { pet_id: text, name: text }, "pet_id"],
  ["pets", "id", "string", { _id: text }, "_id"],
  ["pets", "id", "string", { uuid: text }, "uuid"],
  ["customers", "customer", "string", { id: text, name: text }, "id"],
  ["repos", "repo", "string", { id: number, name: text }, "name"],
  ["urlMaps", "urlMap", "string", { id: { type: "string", format: "uint64" }, name: text }, "name"],
  ["issues", "issue_number", "integer", { id: number, number }, "number"],
  ["users", "username", "string", { id: number, login: text, name: text }, "login"],
  ["events", "event-id1", "string", { id: text }, "id"],
  ["pods", "name", "string", { metadata: inside({ name: text }), spec: {} }, "metadata.name"],
  ["memberships", "username", "string", { user: inside({ login: text }), role: text }, "user.login"],
  ["things", "thingName", "string", { id: text, name: text, type: text, properties: {} }, "name"],
  ["boards", "idBoard", "string", { id: text }, "id"],
  ["reports", "year", "string", { id: text, title: text }],
  ["pets", "petId", "string", { id: inside({}), name: text }],
];

for (const [collection, name, type, properties, id] of CASES) {
  Deno.test(`findIdProperty() of /${collection}/{${name}} with ${Object.keys(properties)} is ${id}`, async () => {
    const schemas = { Item: { type: "object", properties } };
    const document = await parseDocument({ openapi: "3.1.0", info: {}, paths: {}, components: { schemas } });
    const reader = createShapeReader(document);
    const item = reader.read(child(child(child(document.root, "components"), "schemas"), "Item"));
    const found = findIdProperty({ name, type, format: undefined }, nounsOf(collection), item, reader);
    assert.equal(found?.path.join("."), id);
  });
}
