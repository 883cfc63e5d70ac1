import { child, entries, type Node, stringOf } from "../../schema/node.ts";
import { readHints } from "../../schema/hints.ts";
import { follow } from "../../schema/reference.ts";
import type { ParameterLocation } from "../../openapi/parameter.ts";
import type { Operation } from "../../openapi/operation.ts";
import type { ValueFormats } from "../../wire/value_format.ts";
import { selectResponse } from "../select_response.ts";
import { type FilterInput, findFilters, findODataInput, type ODataInput } from "./filters.ts";
import { ItemProperties } from "./item_property.ts";
import type { ListBinding } from "./listing.ts";
import { findPageFields, headerRoleOf, type PageField, type PageRole } from "./page_fields.ts";
import { findPagingInputs, type PagingInputs, pagingRoleOf } from "./paging_inputs.ts";
import { listQueryInputs } from "./query_input.ts";
import { findSortInputs, isSortInput, type SortInputs } from "./sorting.ts";

/** The parameters and the response of a list operation, understood once. */
export interface ListPlan {
  /** The keys on the way to the array of items in the body; empty for a bare array. */
  readonly envelope: readonly string[];
  readonly filters: readonly FilterInput[];
  /** The parameter `$filter` of OData. */
  readonly odata: ODataInput | undefined;
  readonly sort: SortInputs;
  readonly paging: PagingInputs;
  /** The most items that the array may have; `Infinity` without a bound. */
  readonly most: number;
  /** The properties of the body that tell of the page. */
  readonly fields: readonly PageField[];
  /** The headers of the response that tell of the page, by name in lower case. */
  readonly headers: readonly ListHeader[];
  /** Whether the response tells the number of all items, so that they must be counted. */
  readonly countsAll: boolean;
  /** The status for a cursor that names no item; `undefined` where the definition declares no error for it. */
  readonly refusal: number | undefined;
}

/** A header that tells of the page. */
export interface ListHeader {
  readonly name: string;
  readonly role: PageRole | "link" | "contentRange";
}

/** The locations of the parameters that filter, sort and page a list. */
export const LIST_LOCATIONS: ReadonlySet<ParameterLocation> = new Set(["query"]);

/**
 * Finds out which query parameters of a list operation filter, sort and page, and which properties and headers of its
 * response tell of pages.
 *
 * @param formats The formats of queries, where they differ from the definition's.
 */
export function planList(binding: ListBinding, formats: ValueFormats = {}): ListPlan {
  const { operation, envelope = [] } = binding;
  const inputs = listQueryInputs(operation, formats);
  const properties = new ItemProperties(binding);
  const sort = findSortInputs(inputs, properties, descriptionOf(operation));
  const others = inputs.filter((input) => pagingRoleOf(input) === undefined && !isSortInput(sort, input));
  const response = responseOf(binding);
  const fields = response === undefined ? [] : fieldsOf(operation, response, envelope);
  const headers = response === undefined ? [] : headersOf(response);
  return {
    envelope,
    filters: findFilters(others, properties),
    odata: findODataInput(others, properties),
    sort,
    paging: findPagingInputs(inputs),
    most: response === undefined ? Infinity : mostItemsOf(operation, response, envelope),
    fields,
    headers,
    countsAll: [...fields, ...headers].some(({ role }) => OF_ALL.has(role)),
    refusal: refusalOf(operation),
  };
}

function descriptionOf({ node }: Operation): string {
  return `${stringOf(child(node, "summary")) ?? ""} ${stringOf(child(node, "description")) ?? ""}`;
}

/** What can only be told when all items are counted. */
const OF_ALL: ReadonlySet<ListHeader["role"]> = new Set([
  "total",
  "totalPages",
  "remaining",
  "lastUrl",
  "link",
  "contentRange",
]);

function responseOf({ operation, status }: ListBinding): Node<"Response"> | undefined {
  const selected = selectResponse(operation, { code: status });
  return selected.kind === "response" ? selected.node : undefined;
}

/** The schema of the response's body as JSON; of the first media type, if none is JSON. */
function bodyOf({ document }: Operation, response: Node<"Response">): Node<"Schema"> | undefined {
  const medias = entries(child(response, "content"));
  const [, media] = medias.find(([mediaType]) => /[/+]json\b/i.test(mediaType)) ?? medias[0] ?? [];
  const schema = media && child(follow(document, media), "schema");
  return schema?.value === undefined ? undefined : schema;
}

function fieldsOf(operation: Operation, response: Node<"Response">, envelope: readonly string[]): PageField[] {
  const schema = bodyOf(operation, response);
  return schema === undefined ? [] : findPageFields(readHints(operation.document, schema, "response"), envelope);
}

function mostItemsOf(operation: Operation, response: Node<"Response">, envelope: readonly string[]): number {
  const schema = bodyOf(operation, response);
  if (schema === undefined) return Infinity;
  const array = envelope.reduce((at, key) => at.property(key), readHints(operation.document, schema, "response"));
  return Math.min(...array.schemas.map(({ maxItems }) => maxItems ?? Infinity), Infinity);
}

function headersOf(response: Node<"Response">): ListHeader[] {
  return entries(child(response, "headers")).flatMap(([written]) => {
    const name = written.toLowerCase();
    const role = name === "link" ? "link" : name === "content-range" ? "contentRange" : headerRoleOf(name);
    return role === undefined ? [] : [{ name, role }];
  });
}

/** The declared statuses for a request that asks for a page which isn't there, the most usual first. */
const REFUSALS = ["400", "422", "404", "410"] as const;

function refusalOf({ document, node }: Operation): number | undefined {
  const codes = new Set(entries(follow(document, child(node, "responses"))).map(([code]) => code.toUpperCase()));
  const exact = REFUSALS.find((code) => codes.has(code));
  if (exact !== undefined) return Number(exact);
  return codes.has("4XX") || codes.has("DEFAULT") ? 400 : undefined;
}
