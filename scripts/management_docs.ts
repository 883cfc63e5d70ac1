/**
 * Generates docs/management-api.md from the API's own OpenAPI description, lib/management/openapi.yaml, for
 * `deno task docs`.
 *
 * @module
 */
import { load } from "js-yaml";

export const MANAGEMENT_REFERENCE = new URL("../docs/management-api.md", import.meta.url);

const DESCRIPTION = new URL("../lib/management/openapi.yaml", import.meta.url);

const HEAD = `# The management API

\`gw serve\` answers it on port 8090: on a laptop for [the gateway in the same process](gateway.md), in a cluster for
[the custom resources](cluster.md). \`gw deploy\`, \`create\`, \`get\` and \`delete\` call it. It describes itself at
\`/openapi.yaml\` and \`/openapi.json\`, of which this page is made.

`;

const METHODS = ["get", "post", "put", "delete"] as const;

/** The parts of the OpenAPI description that the page shows. Optional parts are absent, never null. */
interface Description {
  info: { version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, { [method in typeof METHODS[number]]?: Operation } & { parameters?: Referred<Parameter>[] }>;
}

interface Operation {
  summary: string;
  tags: string[];
  security?: object[];
  parameters?: Referred<Parameter>[];
  requestBody?: { content: Record<string, { schema: Referred<Schema> }> };
  responses: Record<string, Referred<Response>>;
}

interface Parameter {
  name: string;
  in: string;
  description: string;
}

interface Response {
  description: string;
  content?: Record<string, { schema: Referred<Schema> | true }>;
}

interface Schema {
  description?: string;
  type?: string | string[];
  enum?: string[];
  const?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  required?: string[];
  properties?: Record<string, Referred<Schema>>;
  items?: Referred<Schema>;
}

/** A value, or a reference to it. */
type Referred<T> = T & { $ref?: string };

/** The text of docs/management-api.md before formatting. */
export async function managementReference(): Promise<string> {
  // The cast is safe: the description is a file of this repository, and tests validate it.
  const description = load(await Deno.readTextFile(DESCRIPTION)) as Description;
  const page = createPage(description);
  const { info, tags } = description;
  const operations = tags.map(page.tag).join("\n");
  return `${HEAD}Version ${info.version}. ${info.description}\n${operations}\n${page.errors()}\n${page.schemas()}`;
}

interface Writer {
  tag(tag: { name: string; description: string }): string;
  /** The section on the errors that operations refer to. */
  errors(): string;
  /** The section on the schemas that operations refer to. */
  schemas(): string;
}

function createPage(description: Description): Writer {
  const named = new Map<string, Schema>();
  const failures = new Map<string, Set<string>>();
  return { tag, errors, schemas };

  function tag({ name, description: text }: Description["tags"][number]): string {
    const operations = Object.entries(description.paths).flatMap(([path, item]) =>
      METHODS.flatMap((method) => {
        const operation = item[method];
        if (operation === undefined || !operation.tags.includes(name)) return [];
        return [operationOf(`${method.toUpperCase()} ${path}`, operation, item.parameters ?? [])];
      })
    );
    return `## ${name}\n\n${text}\n\n${operations.join("\n")}`;
  }

  function operationOf(title: string, operation: Operation, shared: Referred<Parameter>[]): string {
    const { summary, security, requestBody, responses } = operation;
    const open = security?.some((needed) => Object.keys(needed).length === 0) === true ? " Needs no token." : "";
    const parameters = [...shared, ...operation.parameters ?? []].map(resolve)
      .map(({ name, in: place, description }) => `- \`${name}\` (${place}): ${description}`);
    const schema = requestBody?.content["application/json"]?.schema;
    const content = schema === undefined ? [] : [`- content: ${nameOf(schema)}`];
    const refused = Object.keys(responses).filter((code) => Number(code) >= 400);
    const answers = Object.entries(responses).flatMap(([code, response]) => {
      const { description, content = {} } = resolve(response);
      if (refused.includes(code)) {
        failures.set(code, (failures.get(code) ?? new Set()).add(description));
        return [];
      }
      const [type, media] = Object.entries(content)[0] ?? [];
      const value = Number(code) < 300 && media !== undefined ? ` ${shownOf(media.schema, type ?? "")}` : "";
      return [`- ${code}: ${description}${value}`];
    });
    if (refused.length > 0) answers.push(`- [errors](#errors): ${refused.join(", ")}`);
    const given = [...parameters, ...content];
    return [`### ${title}\n`, `${summary}${open}\n`, ...given, given.length > 0 ? "\nAnswers:\n" : "", ...answers, ""]
      .join("\n");
  }

  function shownOf(schema: Referred<Schema> | true, type: string): string {
    if (schema === true || !type.endsWith("json")) return "";
    if (schema.$ref !== undefined) return `Content: ${nameOf(schema)}.`;
    const { items } = schema;
    return items?.$ref === undefined ? "" : `Content: a list of ${nameOf(items)}.`;
  }

  function nameOf(schema: Referred<Schema>): string {
    const name = schema.$ref?.split("/").at(-1) ?? "an object";
    if (schema.$ref !== undefined) named.set(name, resolve(schema));
    return schema.$ref === undefined ? name : `[${name}](#${name.toLowerCase()})`;
  }

  function errors(): string {
    const codes = [...failures].sort(([one], [other]) => Number(one) - Number(other));
    const lines = codes.map(([code, descriptions]) => `- ${code}: ${[...descriptions].join(" Or: ")}`);
    return `## Errors\n\nThe content is a [Problem](#problem).\n\n${lines.join("\n")}\n`;
  }

  function schemas(): string {
    nameOf({ $ref: "#/components/schemas/Problem" });
    const shown: string[] = [];
    // The loop also visits the schemas that `fieldsOf` adds to the map.
    for (const [name, schema] of named) shown.push(`### ${name}\n\n${schema.description ?? ""}\n\n${fieldsOf(schema)}`);
    return `## Contents\n\n${shown.join("\n")}`;
  }

  function fieldsOf(schema: Schema, indent = ""): string {
    return Object.entries(schema.properties ?? {}).map(([name, field]) => {
      const required = schema.required?.includes(name) === true ? ", required" : "";
      const { description = "", ...rest } = { ...resolve(field), ...field };
      const inner = rest.items === undefined ? resolve(field) : resolve(rest.items);
      const isReferred = (rest.items ?? field).$ref !== undefined;
      const below = isReferred || inner.properties === undefined ? "" : fieldsOf(inner, `${indent}  `);
      return `${indent}- \`${name}\`${required}: ${
        [kindOf(field), sentence(description)].filter(Boolean).join(". ")
      }\n${below}`;
    }).join("");
  }

  function kindOf(referred: Referred<Schema>): string {
    const schema = { ...resolve(referred), ...referred };
    const { type, enum: values, items, minimum, maximum, const: only } = schema;
    const fallback = schema.default === undefined || schema.default === "" ? "" : `, else \`${schema.default}\``;
    if (only !== undefined) return `\`${only}\``;
    if (values !== undefined) return `${values.map((value) => `\`${value}\``).join(", ")}${fallback}`;
    if (items !== undefined) return `list of ${kindOf(items)}`;
    if (resolve(referred).properties !== undefined && referred.$ref !== undefined) return nameOf(referred);
    const bounds = maximum === undefined ? "" : ` from ${minimum ?? 0} to ${maximum}`;
    return `${[type ?? "any"].flat().join(" or ")}${bounds}${fallback}`;
  }

  function resolve<T>(referred: Referred<T>): T {
    const { $ref } = referred;
    if ($ref === undefined) return referred;
    const found = $ref.slice(2).split("/").reduce<unknown>((value, key) => Object(value)[key], description);
    return found as T;
  }
}

function sentence(text: string): string {
  return text === "" || text.endsWith(".") ? text : `${text}.`;
}
