/**
 * A schema as a tree that one can open.
 *
 * @module
 */
import type { Document } from "../../openapi/document.ts";
import { child, entries, isObject, items, type Node, stringOf } from "../../schema/json/node.ts";
import { follow, referenceOf } from "../../schema/json/reference.ts";
import { writeJson } from "../../schema/json/json.ts";
import { type Html, type HtmlValue, markup } from "../html.ts";

/** Limits of a tree: what is deeper, or beyond so many schemas, is named and not shown. */
const MOST_DEPTH = 8;
const MOST_SCHEMAS = 500;
/** Limit of the characters of a value. */
const LONGEST = 200;

type Schema = Node<"Schema">;

export function schemaTree(document: Document, schema: Schema): Html {
  let left = MOST_SCHEMAS;
  return markup`<ul class="tree">${item("", schema, false, [])}</ul>`;

  function item(name: string, written: Schema, isRequired: boolean, above: readonly string[]): Html {
    const node = follow(document, written);
    const title = markup`${name !== "" && markup`<code class="${isRequired && "required"}">${name}</code> `}${
      factsOf(written, node)
    }`;
    const key = `${node.source.uri}#${node.pointer}`;
    if (above.includes(key)) return markup`<li>${title} <span class="muted">as above</span></li>`;
    if (above.length >= MOST_DEPTH || left-- <= 0) return markup`<li>${title} <span class="muted">…</span></li>`;
    const parts = partsOf(node, [...above, key]);
    if (parts.length === 0) return markup`<li>${title}</li>`;
    const isOpen = above.length < 2;
    return markup`<li><details${isOpen && markup` open`}><summary>${title}</summary><ul>${parts}</ul></details></li>`;
  }

  function partsOf(node: Schema, above: readonly string[]): Html[] {
    const { value: required } = child(node, "required");
    const needed: readonly unknown[] = Array.isArray(required) ? required : [];
    const properties = entries(child(node, "properties")).map(([name, schema]) =>
      item(name, schema, needed.includes(name), above)
    );
    const alternatives = (["allOf", "oneOf", "anyOf"] as const).flatMap((key) => {
      const schemas = items(child(node, key));
      if (schemas.length === 0) return [];
      const word = key === "allOf" ? "all of" : key === "oneOf" ? "one of" : "any of";
      return [
        markup`<li><span class="muted">${word}</span><ul>${
          schemas.map((schema) => item("", schema, false, above))
        }</ul></li>`,
      ];
    });
    const others = ([["items", "each item"], ["additionalProperties", "other properties"]] as const).flatMap(
      ([key, name]) => {
        const schema = child(node, key);
        return isObject(schema.value) ? [item(name, schema, false, above)] : [];
      },
    );
    return [...properties, ...others, ...alternatives];
  }
}

/** Keywords that are shown with their values. */
const KEYWORDS = [
  "format",
  "const",
  "enum",
  "default",
  "pattern",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "readOnly",
  "writeOnly",
  "deprecated",
] as const;

function factsOf(written: Schema, node: Schema): HtmlValue {
  const { value: type } = child(node, "type");
  const types = Array.isArray(type) ? type.join(" or ") : typeof type === "string" ? type : "";
  const reference = referenceOf(written);
  const name = reference === undefined ? "" : reference.slice(reference.lastIndexOf("/") + 1);
  const facts = KEYWORDS.flatMap((key) => {
    const { value } = child(node, key);
    return value === undefined ? [] : [`${key} ${shortText(value)}`];
  });
  const description = stringOf(child(node, "description"));
  return [
    markup`<span class="muted">${[types, name].filter(Boolean).join(" · ")}</span>`,
    facts.map((fact) => markup` <span class="tag">${fact}</span>`),
    description !== undefined && markup` <span class="muted">${description.slice(0, LONGEST)}</span>`,
  ];
}

function shortText(value: unknown): string {
  const text = typeof value === "string" ? value : writeJson(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
