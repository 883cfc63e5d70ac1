import assert from "node:assert/strict";
import { decodeBody } from "../../../../lib/wire/decode.ts";
import { encodeBody } from "../../../../lib/wire/encode.ts";
import { createAjvValidator } from "../../schema/ajv_validator.ts";
import { contextOf } from "../context.ts";

interface Case {
  name: string;
  version?: string;
  schema?: unknown;
  /** The schemas of several components, instead of `schema`. `Body` is the tested one. */
  schemas?: { Body: unknown; [name: string]: unknown };
  direction?: "request" | "response";
  value: unknown;
  /** The value that is read back. Default: the written value. Another valid value may have the same XML. */
  readBack?: unknown;
}

const string = { type: "string" };
const integer = { type: "integer" };
const strings = { type: "array", items: string };
const named = (properties: object, ...required: string[]) => ({ type: "object", required, properties });
const closed = (properties: object, ...required: string[]) => ({
  ...named(properties, ...required),
  additionalProperties: false,
});

const cases: Case[] = [
  {
    name: "the branch of oneOf whose constant it has",
    schema: {
      oneOf: [
        named({ kind: { const: "card" }, id: integer }, "kind", "id"),
        named({ kind: { const: "bank" }, id: string }, "kind", "id"),
      ],
    },
    value: { kind: "bank", id: "7" },
  },
  {
    name: "the branch of oneOf that has no other properties",
    schema: named({ link: { oneOf: [closed({ id: integer }), closed({ id: string, url: string }, "url")] } }),
    value: { link: { id: "1", url: "/1" } },
  },
  {
    name: "the branch of oneOf that describes an array as one",
    schema: named({ tags: { oneOf: [closed({ name: string }, "name"), strings] } }, "tags"),
    value: { tags: ["a"] },
  },
  {
    name: "the branch of oneOf that describes an object where another describes an array",
    schema: named({ article: { oneOf: [strings, closed({ title: string }, "title")] } }, "article"),
    value: { article: { title: "News" } },
  },
  {
    name: "all of an array by one branch",
    schema: named({
      rows: {
        oneOf: [
          { type: "array", items: closed({ id: integer }, "id") },
          { type: "array", items: closed({ id: string, note: string }, "id") },
        ],
      },
    }),
    value: { rows: [{ id: "1" }, { id: "2", note: "b" }] },
  },
  {
    name: "several branches of anyOf together",
    schema: { type: "object", anyOf: [named({ a: integer }, "a"), named({ b: integer }, "b")] },
    value: { a: 1, b: 2 },
  },
  {
    name: "one branch of anyOf",
    schema: { anyOf: [closed({ id: integer, name: string }, "name"), closed({ id: string, size: integer }, "size")] },
    value: { id: "3", size: 4 },
  },
  {
    name: "the last of many branches",
    schema: {
      oneOf: Array.from(
        { length: 150 },
        (_, index) => closed({ kind: { const: `kind ${index}` }, value: index === 149 ? string : integer }, "kind"),
      ),
    },
    value: { kind: "kind 149", value: "1" },
  },
  {
    name: "by if and then, or by else",
    schema: {
      type: "object",
      required: ["kind"],
      properties: { kind: string },
      if: { properties: { kind: { const: "number" } } },
      then: { properties: { value: integer } },
      else: { properties: { value: string } },
    },
    value: { kind: "text", value: "12" },
  },
  {
    name: "choices within choices",
    schemas: {
      Body: { oneOf: [closed({ number: string }, "number"), { $ref: "#/components/schemas/Sum" }] },
      Sum: closed(
        {
          left: { $ref: "#/components/schemas/Body" },
          right: { $ref: "#/components/schemas/Body" },
        },
        "left",
        "right",
      ),
    },
    value: { left: { left: { number: "1" }, right: { number: "2" } }, right: { number: "3" } },
  },
  {
    name: "an empty array that only the branch which is meant requires",
    schema: {
      oneOf: [
        closed({ type: { const: "list" }, alerts: strings }, "type", "alerts"),
        closed({ type: { const: "one" }, alerts: integer }, "type"),
      ],
    },
    value: { type: "list", alerts: [] },
  },
  {
    name: "an object that enum lists",
    schema: named({ game: { enum: [{ id: 1, name: "LoL" }, { id: 4, name: "Dota 2" }, null] } }),
    value: { game: { id: 4, name: "Dota 2" } },
  },
  {
    name: "an object that enum lists among others with the same properties",
    schema: { type: "object", enum: [{ id: 1, on: true }, { id: "1", on: "true", by: [1] }] },
    value: { id: "1", on: "true", by: [1] },
  },
  {
    name: "an array that is a constant",
    schema: named({ range: { const: [1, "2"] } }),
    value: { range: [1, "2"] },
  },
  {
    name: "no writeOnly list in a response",
    schema: named({ name: string, data: { ...strings, writeOnly: true } }, "name", "data"),
    direction: "response",
    value: { name: "a" },
  },
  {
    name: "no readOnly list in a request",
    version: "3.0.4",
    schemas: {
      Body: named({ name: string, data: { allOf: [{ $ref: "#/components/schemas/Data" }] } }, "name", "data"),
      Data: { ...strings, readOnly: true },
    },
    value: { name: "a" },
  },
  {
    name: "a readOnly list in a response",
    schema: named({ data: { ...strings, readOnly: true } }, "data"),
    direction: "response",
    value: { data: [] },
  },
  {
    name: "arrays in arrays, of any of two items",
    schema: named({
      users: {
        type: "array",
        items: {
          anyOf: [{ type: "array", items: closed({ id: integer }) }, closed({ id: string, email: string }, "email")],
        },
      },
    }),
    value: { users: [[{ id: 1 }, { id: 2 }], { id: "3", email: "a@example.com" }] },
  },
  {
    name: "the type that one of allOf has and another doesn't mention",
    schema: { allOf: [named({ after: { description: "Seconds." } }), named({ after: { type: ["integer", "null"] } })] },
    value: { after: 50 },
  },
  {
    name: "a boolean where the branch with a string isn't meant",
    schema: {
      oneOf: [named({ id: integer }, "id"), named({ id: integer, category: string }, "id")],
    },
    value: { id: 1, category: true },
  },
  {
    name: "an array where the branch with a string isn't meant",
    schema: { oneOf: [named({ id: integer }, "id"), named({ id: integer, category: string }, "id")] },
    value: { id: 1, category: ["a"] },
  },
  {
    name: "an empty object where the branch with a string isn't meant",
    schema: { oneOf: [named({ id: integer }, "id"), named({ id: integer, category: string }, "id")] },
    value: { id: 1, category: {} },
  },
  {
    name: "a text that only one branch allows",
    schema: named({ after: { oneOf: [{ ...string, pattern: "^[a-z]+$" }, { ...string, enum: ["1", "2"] }] } }),
    value: { after: "2" },
  },
  {
    name: "a string that looks like a number, in an attribute",
    schema: named({
      code: { oneOf: [{ ...integer, minimum: 10 }, { ...string, maxLength: 1 }], xml: { attribute: true } },
    }),
    value: { code: "7" },
  },
  {
    name: "a text that fits two branches as a number",
    schema: named({ after: { anyOf: [string, integer] } }),
    value: { after: 2 },
  },
  {
    name: "a property and a list whose elements have the same name",
    schemas: {
      Body: named({
        header: { $ref: "#/components/schemas/Link" },
        links: { type: "array", items: { $ref: "#/components/schemas/Link" } },
      }),
      Link: { ...named({ href: string }), xml: { name: "link" } },
    },
    value: { header: { href: "/" }, links: [{ href: "/a" }, { href: "/b" }] },
  },
  {
    name: "the one of two properties whose elements have the same name that it fits",
    schemas: {
      Body: named({ roles: { $ref: "#/components/schemas/Roles" }, groups: { $ref: "#/components/schemas/Groups" } }),
      Roles: { ...closed({ role: string }), xml: { name: "list" } },
      Groups: { ...closed({ group: string }), xml: { name: "list" } },
    },
    value: { groups: { group: "admins" } },
  },
  {
    name: "a list before a required property whose element has the same name",
    schema: named({
      links: { type: "array", items: { ...string, xml: { name: "link" } } },
      footer: { ...string, xml: { name: "link" } },
    }, "footer"),
    value: { links: ["/a", "/b"], footer: "/c" },
  },
];

for (const { name, version, schema, schemas, direction = "request", value, readBack = value } of cases) {
  Deno.test(`decodeBody() reads XML as it was meant: ${name}`, async () => {
    const context = await contextOf(schemas ?? { Body: schema }, { ...(version === undefined ? {} : { version }) });
    const { body, contentType } = await encodeBody(value, "application/xml", context, "data");
    assert.ok(body instanceof Uint8Array && context.schema !== undefined);
    const decoded = await decodeBody(body, contentType, { ...context, direction });
    assert.deepEqual(decoded, { kind: "value", value: readBack }, new TextDecoder().decode(body));
    const validator = await createAjvValidator(context.document);
    assert.deepEqual(validator.checkOf(context.schema, direction)(readBack), []);
  });
}

const payments = {
  Body: { oneOf: [{ $ref: "#/components/schemas/Card" }, { $ref: "#/components/schemas/Bank" }] },
  Card: named({ kind: { const: "card" }, id: integer, name: string }, "kind", "name"),
  Bank: named({ kind: { const: "bank" }, id: string, iban: string }, "kind", "iban"),
};
const misfits: { name: string; text: string; want: unknown }[] = [
  {
    name: "by the branch that it is most like",
    text: "<a><kind>bank</kind><id>1</id></a>",
    want: { kind: "bank", id: "1" },
  },
  { name: "by all together where it is like none", text: "<a><id>1</id></a>", want: { id: 1 } },
];

for (const { name, text, want } of misfits) {
  Deno.test(`decodeBody() reads XML that fits no branch ${name}`, async () => {
    const decoded = await decodeBody(new TextEncoder().encode(text), "text/xml", await contextOf(payments));
    assert.deepEqual(decoded, { kind: "value", value: want });
  });
}

Deno.test("decodeBody() ends for branches that are nested too deep to try all", async () => {
  const operand = { $ref: "#/components/schemas/Body" };
  const branches = Array.from(
    { length: 9 },
    (_, index) => named({ left: operand, right: operand, number: { ...integer, minimum: index } }, "left"),
  );
  const context = await contextOf({ Body: { oneOf: branches } });
  const nested = (depth: number): string =>
    depth === 0 ? "<number>x</number>" : `<left>${nested(depth - 1)}</left><right>${nested(depth - 1)}</right>`;
  const decoded = await decodeBody(new TextEncoder().encode(`<a>${nested(9)}</a>`), "text/xml", context);
  assert.equal(decoded.kind, "value");
});
