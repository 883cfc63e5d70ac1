/**
 * Finds parts of a definition that gateways treat otherwise than its author may expect.
 *
 * @module
 */
import type { UnlocatedDiagnostic } from "../../openapi/diagnostic.ts";
import type { Document } from "../../openapi/document.ts";
import { EXTENSION } from "../../openapi/extension/settings.ts";
import type { ConfiguredOperation } from "../../openapi/lint/operations.ts";
import { atKey, warning } from "../../openapi/lint/report.ts";
import { nameOf } from "../../openapi/operation.ts";
import { child, type Node } from "../../schema/json/node.ts";
import { follow } from "../../schema/json/reference.ts";
import { gatewayAction } from "../operation/action.ts";
import { unservedBasePaths } from "../route/server_urls.ts";

/** The most `qos.retries` that aren't reported. */
const MOST_RETRIES = 10;

/** Warns of base paths that gateways don't serve, of very many retries, and of bodies that aren't checked. */
export function checkGatewayUse(
  document: Document,
  operations: readonly ConfiguredOperation[],
): UnlocatedDiagnostic[] {
  return [...checkBasePath(document, operations), ...checkRetries(operations), ...operations.flatMap(checkHiddenBody)];
}

/** Warns of the base path of `servers`, if the definition is meant for a gateway and sets no `path.prefix`. */
function checkBasePath(document: Document, operations: readonly ConfiguredOperation[]): UnlocatedDiagnostic[] {
  const served = operations.filter(({ extension: { settings } }) => {
    const { upstream, upstreams } = settings;
    const { kind } = gatewayAction(settings);
    return kind === "mock" || kind === "redirect" || (kind === "upstream" && (upstream ?? upstreams) !== undefined);
  });
  if (served.length === 0 || operations.some(({ extension: { settings } }) => settings.path?.prefix !== undefined)) {
    return [];
  }
  const [basePath] = unservedBasePaths(document);
  if (basePath === undefined) return [];
  const { written } = document;
  const key = child(written, "swagger").value === undefined ? "servers" : "basePath";
  const message = `Gateways serve the paths without ${basePath}, the path of \`${key}\`: set ` +
    `\`${EXTENSION}.path.prefix: ${basePath}\`, or \`/\` if that is meant.`;
  return [atKey(warning("unserved-base-path", message, child(written, key)))];
}

function checkRetries(operations: readonly ConfiguredOperation[]): UnlocatedDiagnostic[] {
  const nodes = new Map<string, Node>();
  for (const { extension: { settings: { qos }, origins } } of operations) {
    const { qos: node } = origins;
    if (node !== undefined && (qos?.retries ?? 0) > MOST_RETRIES) nodes.set(`${node.source.uri}#${node.pointer}`, node);
  }
  const message = `More than ${MOST_RETRIES} \`${EXTENSION}.qos.retries\` multiply the load of an upstream that fails.`;
  return [...nodes.values()].map((node) => atKey(warning("many-retries", message, child(node, "retries"))));
}

/** Warns of a required body of GET and HEAD. */
function checkHiddenBody({ operation }: ConfiguredOperation): UnlocatedDiagnostic[] {
  const { document, method, node } = operation;
  const body = child(node, "requestBody");
  const isRequired = child(follow(document, body), "required").value === true;
  if (!isRequired || (method !== "GET" && method !== "HEAD")) return [];
  const message =
    `The body of \`${nameOf(operation)}\` isn't checked, and doesn't reach upstreams: servers may ignore ` +
    "the body of GET and HEAD (RFC 9110, section 9.3.1). Use POST, or QUERY of OpenAPI 3.2.";
  return [atKey(warning("ignored-body", message, body))];
}
