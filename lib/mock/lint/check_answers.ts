import type { ConfiguredOperation } from "../../openapi/lint/operations.ts";
import { atKey, findAtEach, warning } from "../../openapi/lint/report.ts";
import { child } from "../../schema/json/node.ts";
import { nameOf, type Operation } from "../../openapi/operation.ts";
import type { UnlocatedDiagnostic } from "../../openapi/diagnostic.ts";
import { quote } from "../../schema/wording.ts";
import { gatewayAction } from "../operation/action.ts";
import { selectResponse } from "../answer/select_response.ts";

/**
 * Warns of operations that `gw mock` answers with 501, because they have no response with a status code from 200 to
 * 299. Leaves out operations that a gateway mocks, since `checkMocking` reports those, and operations that a gateway
 * disables, redirects, or doesn't mock (`mocking.enabled: false`).
 */
export function checkAnswers(operations: readonly ConfiguredOperation[]): UnlocatedDiagnostic[] {
  return findAtEach(operations, ({ operation, extension: { settings } }) => {
    if (settings.mocking?.enabled === false || gatewayAction(settings).kind !== "upstream") return [];
    const chosen = selectResponse(operation, {});
    if (chosen.kind !== "none") return [];
    const { found } = chosen;
    if (found.length === 0 && needsResponse(operation)) return [];
    const codes = found.length === 0 ? "no response at all" : `only ${found.map(quote).join(", ")}`;
    const advice = selectResponse(operation, { anyStatus: true }).kind === "response"
      ? "Add a response with a code from 200 to 299, or start it with `--any-status`."
      : "Add a response with a code from 200 to 299.";
    const message = `\`gw mock\` answers \`${nameOf(operation)}\` with 501, as it has ${codes}. ${advice}`;
    return [atKey(warning("no-mockable-response", message, operation.node))];
  });
}

/**
 * Whether an operation must have responses. If it has none, it is invalid, and another check reports that. Since
 * OpenAPI 3.1 the field `responses` may be missing, but not be empty.
 */
function needsResponse({ document: { version }, node }: Operation): boolean {
  return version === "2.0" || version === "3.0" || child(node, "responses").value !== undefined;
}
