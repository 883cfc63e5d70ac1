import { atKey, error, warning } from "../../openapi/lint/report.ts";
import type { ConfiguredOperation } from "../../openapi/lint/operations.ts";
import { child, entries, type Node } from "../../schema/json/node.ts";
import { nameOf } from "../../openapi/operation.ts";
import { follow } from "../../schema/json/reference.ts";
import type { UnlocatedDiagnostic } from "../../openapi/diagnostic.ts";
import { gatewayAction } from "../operation/action.ts";
import { firstExample } from "../answer/example.ts";
import { selectResponse } from "../answer/select_response.ts";

/**
 * Finds operations that a gateway can't mock although `x-svc` enables mocking. A diagnostic is an error if a deployment
 * is refused for it, and a warning if the gateway answers otherwise than the author may expect.
 */
export function checkMocking(operations: readonly ConfiguredOperation[]): UnlocatedDiagnostic[] {
  const mocked = operations.filter(({ extension: { settings } }) => gatewayAction(settings).kind === "mock");
  return [...checkValidation(mocked), ...mocked.flatMap(checkResponse)];
}

/**
 * Reports operations for which both mocking and request validation are enabled. A gateway validates only requests that
 * it sends to an upstream.
 */
function checkValidation(mocked: readonly ConfiguredOperation[]): UnlocatedDiagnostic[] {
  const both = mocked.filter(({ extension: { settings } }) => settings.validation?.request?.enabled === true);
  const byOrigin = Map.groupBy(both, ({ operation, extension }) => extension.origins.validation ?? operation.node);
  return [...byOrigin].map(([origin, operations]) => {
    const names = operations.map(({ operation }) => `\`${nameOf(operation)}\``);
    const others = names.length > 3 ? ` and ${names.length - 2} others` : "";
    const message = `${names.slice(0, others === "" ? 3 : 2).join(", ")}${others} can't be mocked and have requests ` +
      "validated at once: disable `x-svc.mocking` or `x-svc.validation.request`.";
    return error("mocked-and-validated", message, origin);
  });
}

function checkResponse({ operation, extension }: ConfiguredOperation): UnlocatedDiagnostic[] {
  const { document } = operation;
  const name = nameOf(operation);
  const chosen = selectResponse(operation, {});
  if (chosen.kind !== "response") {
    const found = chosen.kind === "broken"
      ? `a broken ${chosen.part}`
      : chosen.found.length === 0
      ? "no response at all"
      : `only ${chosen.found.join(", ")}`;
    const message = `\`${name}\` can't be mocked: it needs a response with a code from 200 to 299 and has ${found}.`;
    return [atKey(warning("no-mockable-response", message, operation.node))];
  }

  const media = entries(child(chosen.node, "content")).map(([mediaType, written]) => {
    const node = follow(document, written);
    return { mediaType, node, hasSchema: hasSchema(node), hasExample: firstExample(document, node) !== undefined };
  });
  if (media.some(({ hasExample }) => hasExample) && !media.some(({ hasSchema }) => hasSchema)) {
    const message = `The ${chosen.status} response of \`${name}\` has examples and no schema: ` +
      "give one of its media types a schema, or disable `x-svc.mocking` for the operation.";
    return [error("mocked-without-schema", message, child(chosen.node, "content"))];
  }
  const { generate, stateful } = extension.settings.mocking ?? {};
  // A stateful operation answers from the state.
  if (generate === true || stateful === true) return [];
  return media.filter(({ hasSchema, hasExample }) => hasSchema && !hasExample).map(({ mediaType, node }) => {
    const message = `\`${name}\` will be mocked as ${chosen.status} without a body where ${mediaType} is accepted: ` +
      "add an example, or set `x-svc.mocking.generate: true`.";
    return atKey(warning("mocked-without-body", message, node));
  });
}

function hasSchema(media: Node<"MediaType">): boolean {
  return child(media, "schema").value !== undefined || child(media, "itemSchema").value !== undefined;
}
