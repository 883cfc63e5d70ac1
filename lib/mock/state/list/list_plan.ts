import { child, entries, type Node, stringOf } from "../../../schema/json/node.ts";
import { readHints } from "../../../schema/hints.ts";
import { follow } from "../../../schema/json/reference.ts";
import type { ParameterLocation } from "../../../openapi/parameter.ts";
import type { Operation } from "../../../openapi/operation.ts";
import type { ValueFormats } from "../../../wire/value_format.ts";
import { selectResponse } from "../../answer/select_response.ts";
import { type FilterInput, findFilters, findODataInput, type ODataInput } from "./filters.ts";
import { type CriteriaInputs, findCriteria } from "./criteria.ts";
import { ItemProperties } from "../item/item_property.ts";
import type { ListBinding } from "./listing.ts";
import type { PageRole } from "../../../names/page_names.ts";
import { findPageFields, headerRoleOf, type PageField } from "./page_fields.ts";
import { findPagingInputs, type PagingInputs, pagingRoleOf } from "./paging_inputs.ts";
import { listInputs } from "./query_input.ts";
import { findSortInputs, isSortInput, type SortInputs } from "./sorting.ts";

/**
 * The list plan of an operation: its parameters that filter, sort and page, and the parts of its response that describe
 * the page.
 */
export interface ListPlan {
  /** The keys that lead to the list in the body; empty if the body is the list itself. */
  readonly envelope: readonly string[];
  readonly filters: readonly FilterInput[];
  readonly criteria: CriteriaInputs;
  readonly odata: ODataInput | undefined;
  readonly sort: SortInputs;
  readonly paging: PagingInputs;
  /** `maxItems` of the list's schema; `Infinity` if it has none. */
  readonly most: number;
  /** The properties of the body that describe the page. */
  readonly fields: readonly PageField[];
  /** The headers of the response that describe the page, in lower case. */
  readonly headers: readonly ListHeader[];
  /** Whether the response shows the total, for which all items must be counted. */
  readonly countsAll: boolean;
  /** The status of the error for an invalid cursor; `undefined` if the operation declares none. */
  readonly refusal: number | undefined;
}

/** A response header that describes the page, such as `x-total-count`. */
export interface ListHeader {
  readonly name: string;
  readonly role: PageRole | "link" | "contentRange";
}

export const LIST_LOCATIONS: ReadonlySet<ParameterLocation> = new Set(["query"]);

/**
 * Prepares an operation that lists or counts items: finds the parameters that filter, sort and page, and the properties
 * and headers of the response that describe the page.
 *
 * @param formats The formats of query parameters, where they differ from the definition's.
 */
export function planList(binding: ListBinding, formats: ValueFormats = {}): ListPlan {
  const { operation, kind, envelope = [] } = binding;
  const inputs = listInputs(operation, formats);
  const properties = new ItemProperties(binding);
  const sort = findSortInputs(inputs, properties, descriptionOf(operation));
  const others = inputs.filter((input) => pagingRoleOf(input) === undefined && !isSortInput(sort, input));
  const response = responseOf(binding);
  const fields = response === undefined ? [] : fieldsOf(operation, response, envelope);
  const headers = response === undefined ? [] : headersOf(response);
  const filters = findFilters(others, properties);
  return {
    envelope,
    filters,
    criteria: findCriteria(others, filters, properties),
    odata: findODataInput(others, properties),
    sort,
    paging: findPagingInputs(inputs),
    most: response === undefined ? Infinity : mostItemsOf(operation, response, envelope),
    fields,
    headers,
    countsAll: kind === "count" || [...fields, ...headers].some(({ role }) => OF_ALL.has(role)),
    refusal: refusalOf(operation),
  };
}

function descriptionOf({ node }: Operation): string {
  return `${stringOf(child(node, "summary")) ?? ""} ${stringOf(child(node, "description")) ?? ""}`;
}

/** Roles of page fields and headers that need the total number of items. */
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

/** The schema of the response's JSON body, or of its first media type if none is JSON. */
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

/** Statuses for a request with an invalid cursor, in order of preference. */
const REFUSALS = ["400", "422", "404", "410"] as const;

function refusalOf({ document, node }: Operation): number | undefined {
  const codes = new Set(entries(follow(document, child(node, "responses"))).map(([code]) => code.toUpperCase()));
  const exact = REFUSALS.find((code) => codes.has(code));
  if (exact !== undefined) return Number(exact);
  return codes.has("4XX") || codes.has("DEFAULT") ? 400 : undefined;
}
