/**
 * Parses the query parameter `$filter` of OData (OData 4.01, URL conventions, section 5.1.1). Supports only comparisons
 * joined by `and`: `status eq 'open' and priority gt 3`.
 *
 * @module
 */
import { type ComparisonName, comparisonOfSuffix } from "../../../names/list_names.ts";

export interface ODataTerm {
  /** The path of the property: `["owner", "city"]`. */
  readonly tokens: readonly string[];
  readonly comparison: ComparisonName;
  readonly value: unknown;
}

/** Limits of the length of a filter, and of its comparisons. */
const MOST_LENGTH = 4_000;
const MOST_TERMS = 20;

const TEXT = String.raw`'(?:[^']|'')*'`;
const PATH = String.raw`[A-Za-z_@][\w/.@]*`;
const TERM = new RegExp(
  String.raw`\s*(?:(${PATH}) +(eq|ne|gt|ge|lt|le) +(${TEXT}|[^\s()']+)|contains\((${PATH}), *(${TEXT})\))\s*(and\s|$)`,
  "y",
);

/** Parses a filter; `undefined` if it contains anything but comparisons joined by `and`. */
export function readODataFilter(text: string): readonly ODataTerm[] | undefined {
  if (text.length > MOST_LENGTH) return undefined;
  const terms: ODataTerm[] = [];
  TERM.lastIndex = 0;
  for (;;) {
    const [whole, path, operator = "", literal, searched, part, joint] = TERM.exec(text) ?? [];
    if (whole === undefined || terms.length === MOST_TERMS) return undefined;
    terms.push({
      tokens: (path ?? searched ?? "").split("/"),
      comparison: comparisonOfSuffix(operator) ?? "contains",
      value: valueOf(literal ?? part ?? ""),
    });
    if (joint === "") return terms;
  }
}

function valueOf(literal: string): unknown {
  if (literal.startsWith("'")) return literal.slice(1, -1).replaceAll("''", "'");
  if (literal === "true" || literal === "false") return literal === "true";
  if (literal === "null") return null;
  return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(literal) ? Number(literal) : literal;
}
