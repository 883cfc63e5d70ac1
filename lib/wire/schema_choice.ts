/**
 * Where a schema describes a value in one of several ways, and what is left of it once one of them is chosen.
 *
 * @module
 */
import type { Document } from "../openapi/document.ts";
import { child, isObject, items, type Node } from "../schema/node.ts";
import { followOnce, referenceOf } from "../schema/reference.ts";

/** Keywords whose schemas describe the value itself. */
export type InPlaceKeyword = "allOf" | "anyOf" | "oneOf" | "if" | "enum" | "const";

/** The schemas that were chosen, for each choice; a choice that isn't here is open. */
export type Chosen = ReadonlyMap<string, readonly Node[]>;

/** What is left when nothing is chosen. */
export const NOTHING_CHOSEN: Chosen = new Map();

/** Reads the schemas of a document as far as they describe one value. */
export interface InPlaceSchemas {
  /** The schemas under a keyword that describe the same value, or those of them that are chosen. */
  readonly under: (schema: Node, keyword: InPlaceKeyword, chosen: Chosen) => readonly Node[];
  /** Schemas, what they refer to and all that they are combined of; the nearest first. */
  readonly all: (schemas: readonly Node[], chosen: Chosen) => Node[];
  /** The first choice that schemas leave open, as what may be chosen. */
  readonly openChoice: (schemas: readonly Node[], chosen: Chosen) => readonly Chosen[] | undefined;
  /** Tells lists of schemas apart, with what is chosen of them. */
  readonly keyOf: (schemas: readonly Node[], chosen: Chosen) => string;
}

const KEYWORDS = ["allOf", "anyOf", "oneOf", "enum", "const", "if"] as const satisfies readonly InPlaceKeyword[];
const CHOICES = ["anyOf", "oneOf", "enum", "if"] as const satisfies readonly InPlaceKeyword[];

/** Makes what reads a document's schemas; it remembers those that it met. */
export function createInPlaceSchemas(document: Document): InPlaceSchemas {
  const numbers = new WeakMap<object, number>();
  const described = new WeakMap<object, object>();
  let count = 0;
  return { under, all, openChoice, keyOf };

  function under(schema: Node, keyword: InPlaceKeyword, chosen: Chosen): readonly Node[] {
    // Most schemas have few of the keywords, and are asked for all of them again and again.
    if (!mayHave(schema, keyword)) return [];
    return chosen.get(choiceKey(schema, keyword)) ?? written(schema, keyword);
  }

  function written(schema: Node, keyword: InPlaceKeyword): Node[] {
    switch (keyword) {
      case "if":
        return ["if", "then", "else"].filter((name) => isObject(schema.value) && Object.hasOwn(schema.value, name))
          .map((name) => child(schema, name)).filter(({ value }) => value !== undefined);
      case "enum":
        return items(child(schema, keyword)).some(isCompound) ? items(child(schema, keyword)).map(describe) : [];
      case "const":
        return [child(schema, keyword)].filter(isCompound).map(describe);
      default:
        return items(child(schema, keyword));
    }
  }

  function all(schemas: readonly Node[], chosen: Chosen): Node[] {
    const found = new Map<unknown, Node>();
    const collect = (schema: Node): void => {
      if (!isObject(schema.value) || found.has(schema.value)) return;
      found.set(schema.value, schema);
      // Since OpenAPI 3.1 a `$ref` has siblings.
      if (referenceOf(schema) !== undefined) collect(followOnce(document, schema));
      for (const keyword of KEYWORDS) under(schema, keyword, chosen).forEach(collect);
    };
    schemas.forEach(collect);
    return [...found.values()];
  }

  function openChoice(schemas: readonly Node[], chosen: Chosen): readonly Chosen[] | undefined {
    for (const schema of schemas) {
      for (const keyword of CHOICES) {
        if (!mayHave(schema, keyword)) continue;
        const key = choiceKey(schema, keyword);
        const options = chosen.has(key) ? [] : optionsOf(schema, keyword);
        if (options.length > 1) return options.map((option) => new Map([...chosen, [key, option]]));
      }
    }
    return undefined;
  }

  function optionsOf(schema: Node, keyword: (typeof CHOICES)[number]): (readonly Node[])[] {
    const branches = written(schema, keyword);
    switch (keyword) {
      case "if": {
        const otherwise = child(schema, "else").value;
        const isElse = ({ value }: Node): boolean => value === otherwise;
        return branches.length < 2 ? [] : [branches.filter((branch) => !isElse(branch)), branches.filter(isElse)];
      }
      case "oneOf":
        return branches.map((branch) => [branch]);
      default:
        // Several may hold at the same time.
        return branches.length < 2 ? [] : [branches, ...branches.map((branch) => [branch])];
    }
  }

  function keyOf(schemas: readonly Node[], chosen: Chosen): string {
    const choices = [...chosen].map(([key, branches]) => `${key}=${branches.map(numberOf).join()}`);
    return [schemas.map(numberOf).join(), ...choices.sort()].join(" ");
  }

  function choiceKey(schema: Node, keyword: InPlaceKeyword): string {
    return `${numberOf(schema)}${keyword}`;
  }

  function numberOf({ value }: Node): number | string {
    if (typeof value !== "object" || value === null) return String(value);
    const number = numbers.get(value) ?? ++count;
    numbers.set(value, number);
    return number;
  }

  /** The schema of nothing but a value that `enum` or `const` gives. */
  function describe(node: Node): Node {
    const { value } = node;
    if (typeof value !== "object" || value === null) return { ...node, value: { const: value } };
    const schema = described.get(value) ?? schemaOf(value);
    described.set(value, schema);
    return { ...node, value: schema };
  }
}

function mayHave({ value }: Node, keyword: InPlaceKeyword): boolean {
  if (!isObject(value)) return false;
  return keyword === "if" || Object.hasOwn(value, keyword);
}

function isCompound({ value }: Node): boolean {
  return typeof value === "object" && value !== null;
}

function schemaOf(value: unknown): object {
  if (Array.isArray(value)) {
    return { type: "array", prefixItems: value.map(schemaOf), minItems: value.length, maxItems: value.length };
  }
  if (!isObject(value)) return { const: value };
  const properties = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, schemaOf(part)]));
  return { type: "object", properties, required: Object.keys(value) };
}
