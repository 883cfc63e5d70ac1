import { suggest } from "../../http/message.ts";
import { nameOf, type Operation } from "../../openapi/operation.ts";

/** The message for an operation that no definition has. Suggests the most similar operation. */
export function unknownOperation(written: string, operations: readonly Operation[]): string {
  const names = operations.flatMap((operation) => [`${operation.method} ${operation.path}`, nameOf(operation)]);
  const [nearest] = suggest(written, names);
  const advice = nearest === undefined ? "Its operations are listed by gw mock -v." : `Did you mean \`${nearest}\`?`;
  return `The definition has no operation \`${written}\`. ${advice}`;
}
