import { child, stringOf } from "../../../schema/json/node.ts";
import { namesOf, type Operation } from "../../../openapi/operation.ts";
import { boundReason, contentReason } from "../../explain/answer_steps.ts";
import { ROUTE_REASONS } from "../../explain/steps.ts";
import { answerFromDefinition } from "../../operation/operation_handler.ts";
import type { OperationRoute } from "../../operation/mock_route.ts";
import { fitTarget, readTarget, type RuleTarget } from "../../rules/rule_target.ts";
import type { ControlCall, ControlContext, ControlledServer } from "../context.ts";
import { integerOf } from "../../../api/query.ts";
import { limitOf } from "../limit.ts";
import { jsonResponse } from "../responses.ts";

/** `GET /openapi.json` */
export async function getDescription(_call: ControlCall, { description }: ControlContext): Promise<Response> {
  const { document } = await description();
  return jsonResponse(document.root.value);
}

/** `GET /operations` */
export async function listOperations({ query, session }: ControlCall, { server }: ControlContext): Promise<Response> {
  const offset = integerOf(query, "offset", 0, Number.MAX_SAFE_INTEGER) ?? 0;
  const page = server.operations.slice(offset, offset + limitOf(query));
  const targets = session.rules.list().map(({ id, rule }) => ({ id, target: readTarget(rule.operation) }));
  const operations: unknown[] = [];
  // Sequential, since each operation may have to generate an answer.
  for (const route of page) operations.push(await representOperation(route, targets, server));
  return jsonResponse({ total: server.operations.length, operations });
}

/** `GET /resources` */
export function listResources(_call: ControlCall, { server: { resources } }: ControlContext): Response {
  if (resources === undefined) return jsonResponse({ resources: [], unbound: [] });
  return jsonResponse({
    resources: resources.all.map(({ name, isSingleton, id, scope, bindings, evidence }) => ({
      name,
      isSingleton,
      id,
      scope: scope.map(({ parameter }) => parameter),
      operations: bindings.map(({ kind, operation }) => ({ kind, ...namesOf(operation) })),
      evidence,
    })),
    unbound: resources.unbound.map(({ operation, reason }) => ({ ...namesOf(operation), reason })),
  });
}

/** The name of a rule, and the operations that the rule is for. */
interface TargetOfRule {
  readonly id: string;
  readonly target: RuleTarget;
}

async function representOperation(route: OperationRoute, targets: readonly TargetOfRule[], server: ControlledServer) {
  const { operation } = route;
  const names = targets.filter(({ target }) => fitTarget(target, operation) !== undefined).map(({ id }) => id);
  const { answer, reason } = await explain(route, server);
  return {
    ...namesOf(operation),
    definition: stringOf(child(child(operation.document.root, "info"), "title")) ?? operation.document.uri,
    answer: names.length === 0 ? answer : { ...answer, rules: names },
    reason: names.length === 0 ? reason : `Rules may decide first: ${names.join(", ")}. ${reason}`,
  };
}

interface Explained {
  readonly answer: { readonly source: string; readonly status?: number; readonly mediaType?: string };
  readonly reason: string;
}

/** Explains what an operation answers to a request without preferences. */
async function explain(route: OperationRoute, server: ControlledServer): Promise<Explained> {
  const { action, operation } = route;
  if (action.kind !== "mock") return { answer: { source: action.kind }, reason: ROUTE_REASONS[action.kind] };
  const binding = route.isStateful ? server.resources?.bindingOf(operation) : undefined;
  if (binding !== undefined) {
    const { kind, resource: { name }, status } = binding;
    return { answer: { source: "state", status, ...{ resource: name, kind } }, reason: boundReason(binding) };
  }
  const handler = server.handlerOf(route, action);
  const answer = await answerFromDefinition(handler, { headers: new Headers() });
  const { source, status, mediaType } = answer;
  const unbound = route.isStateful ? reasonNotBound(operation, server) : undefined;
  const reason = contentReason({ answer, binding: undefined });
  return {
    answer: mediaType === "" ? { source, status } : { source, status, mediaType },
    reason: unbound === undefined ? reason : `${reason} It is bound to no resource: ${unbound}`,
  };
}

function reasonNotBound({ document, method, path }: Operation, { resources }: ControlledServer): string | undefined {
  return resources?.unbound.find(({ operation }) =>
    operation.document === document && operation.method === method && operation.path === path
  )?.reason;
}
