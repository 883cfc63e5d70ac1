import { integerOf, type Query } from "../../api/query.ts";

const DEFAULT_LIMIT = 100;
const MOST_LIMIT = 1000;

/** The number of items that a list shows at once. */
export function limitOf(query: Query): number {
  return integerOf(query, "limit", 1, MOST_LIMIT) ?? DEFAULT_LIMIT;
}
