import { listItems } from "../../../../lib/mock/state/list/list_items.ts";
import { fillEnvelope } from "../../../../lib/mock/state/list/list_items.ts";
import { type ListPlan, planList } from "../../../../lib/mock/state/list/list_plan.ts";
import type { ListedItem } from "../../../../lib/mock/state/list/listing.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { listOperations } from "../../../../lib/openapi/operation.ts";
import { child, entries } from "../../../../lib/schema/json/node.ts";
import type { JsonObject } from "../../../../lib/schema/json/node.ts";

export interface TestList {
  /** The Parameter Objects as YAML or JSON: `[{name: limit, in: query, schema: {type: integer}}]`. */
  readonly parameters?: string;
  /** The schema of the response's body. Default: an array of items. */
  readonly body?: string;
  /** The schema of an item. */
  readonly item?: string;
  readonly headers?: string;
  readonly responses?: string;
  readonly envelope?: readonly string[];
  readonly description?: string;
}

const PET = `{type: object, properties: {
  id: {type: integer}, name: {type: string}, status: {type: string, enum: [available, sold]}, age: {type: integer},
  tags: {type: array, items: {type: string}}, owner: {type: object, properties: {id: {type: string}, city: {type: string}}},
  vaccinated: {type: boolean}, createdAt: {type: string, format: date-time}}}`;

export async function planTestList(
  { parameters = "[]", body = "{type: array, items: {$ref: '#/components/schemas/Pet'}}", item = PET, ...list }:
    TestList,
): Promise<ListPlan> {
  const document = await parseDocument(`
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
paths:
  /pets:
    get:
      description: ${list.description ?? "Pets."}
      parameters: ${parameters}
      responses:
        "200":
          description: Pets.
          headers: ${list.headers ?? "{}"}
          content: {application/json: {schema: ${body.replaceAll("\n", " ")}}}
        ${list.responses ?? ""}
components: {schemas: {Pet: ${item.replaceAll("\n", " ")}}}
`);
  const operation = listOperations(document)[0];
  const schema = entries(child(child(document.root, "components"), "schemas"))[0]?.[1];
  if (operation === undefined || schema === undefined) throw new Error("no list");
  return planList({
    kind: "list",
    operation,
    status: 200,
    envelope: list.envelope ?? [],
    element: [],
    resource: { id: ["id"], schema, document, name: "pets" },
  });
}

/** Requests a page of a list. Returns the page, and the response's body. */
export function ask(
  plan: ListPlan,
  values: readonly JsonObject[],
  query = "",
  base: unknown = {},
): ReturnType<typeof listItems<ListedItem>> & { body?: unknown } {
  const items = values.map((value) => ({ key: String(value["id"]), value }));
  const page = listItems<ListedItem>(plan, { all: () => items, size: items.length }, {
    url: `http://localhost/pets${query === "" ? "" : `?${query}`}`,
    headers: new Headers(),
    target: { path: "/pets", query, pathParameters: {} },
  });
  if (page.kind === "refused") return page;
  return { ...page, body: fillEnvelope(base, plan, page, page.items.map(({ value }) => value)) };
}

/** The ids on the page that a query leads to; the problem's detail if the query is refused. */
export function idsOf(plan: ListPlan, values: readonly JsonObject[], query = ""): unknown {
  const page = ask(plan, values, query);
  return page.kind === "refused" ? page.detail : page.items.map(({ value }) => value["id"]);
}
