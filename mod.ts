/**
 * Mock servers and bodies from OpenAPI definitions, as pure functions: no permissions, no clock, no network.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { createMock, parseDocument } from "./mod.ts";
 *
 * const document = await parseDocument(`
 * openapi: 3.1.0
 * info: {title: Pets, version: 1.0.0}
 * paths:
 *   /pets/{petId}:
 *     get:
 *       responses:
 *         "200":
 *           description: A pet.
 *           content:
 *             application/json:
 *               schema: {type: object, required: [name], properties: {name: {type: string, minLength: 1}}}
 * `);
 * const mock = createMock(document); // Deno.serve(mock)
 * const response = await mock(new Request("http://localhost/pets/7"));
 * assert.equal(response.status, 200);
 * assert.equal(typeof (await response.json()).name, "string");
 * ```
 *
 * @module
 */
export {
  type DefinitionObject,
  type Document,
  type LoadedText,
  parseDocument,
  type ParseOptions,
  type Reference,
} from "./lib/openapi/document.ts";
export { type Permission, type PolicyOptions, ReferencePolicy } from "./lib/openapi/reference_policy.ts";
export type { ReferenceWorld, SystemFunctions } from "./lib/openapi/reference_world.ts";
export { parseOverlay } from "./lib/openapi/overlay/parse_overlay.ts";
export type { Action, Overlay } from "./lib/openapi/overlay/read_overlay.ts";
export type { SchemaDocument, Version } from "./lib/schema/dialect.ts";
export type { Scope } from "./lib/schema/json/reference.ts";
export type { Content, Kind } from "./lib/schema/kinds.ts";
export type { Diagnostic } from "./lib/openapi/diagnostic.ts";
export type { RuleCode, Severity } from "./lib/openapi/rules.ts";
export type { UnlocatedDiagnostic } from "./lib/openapi/diagnostic.ts";
export type { Source } from "./lib/schema/json/source.ts";
export type { JsonObject, Node } from "./lib/schema/json/node.ts";
export type { Place } from "./lib/schema/json/source.ts";
export type { Direction } from "./lib/schema/schema.ts";
export type { ArrayFormat, FormFormats, ObjectFormat, QueryFormats } from "./lib/mock/validation/validate_request.ts";
export { createMock, type Mock } from "./lib/mock/mock.ts";
export type {
  DefinitionPlace,
  ExplainedCondition,
  ExplainedExample,
  ExplainedOffer,
  ExplainedOutcome,
  ExplainedRequest,
  ExplainedRule,
  Explanation,
  NearOperation,
  PlacedViolation,
  RecordedOutcome,
  Step,
  StepDetails,
  StepName,
} from "./lib/mock/explain/explanation.ts";
export type { MockOptions } from "./lib/mock/mock_options.ts";
export type { BodyLimits, BodyWatch } from "./lib/http/limits/body_limits.ts";
export type { MemoryBudget, Reservation } from "./lib/http/limits/memory_budget.ts";
export type { StateLimits } from "./lib/mock/state/store/limits.ts";
export type { Delay, FaultKind, Outcome, Rule } from "./lib/openapi/extension/rule.ts";
export type { Exchange, Message, Observer } from "./lib/observe/exchange.ts";
export type { Timer } from "./lib/observe/relay/limits.ts";
export type { ResponseViolation } from "./lib/mock/validation/check_response.ts";
export type { RequestViolation } from "./lib/mock/validation/violation.ts";
export type { Forwarded, Forwarder } from "./lib/http/forward.ts";
export type { Bytes } from "./lib/http/handler.ts";
export type { Operation } from "./lib/openapi/operation.ts";
export type { GeneratedBody } from "./lib/mock/generate/body.ts";
export { generateBody, type GenerateOptions } from "./lib/mock/generate/generate.ts";
export type { Severities } from "./lib/openapi/rules.ts";
export { validateDocument } from "./lib/mock/lint/validate_document.ts";
export type { ValidationOptions } from "./lib/mock/lint/document_validation.ts";
export { createRouter, type Match, type Route, type Router } from "./lib/mock/route/router.ts";
export type { RequirementsOf } from "./lib/mock/route/alternatives.ts";
export type { Requirements } from "./lib/openapi/operation_conditions.ts";
export type { Condition, ConditionedRequest, PathConditions } from "./lib/openapi/path_condition.ts";
export type { Handler } from "./lib/http/handler.ts";
export { createMockServer } from "./lib/mock/server/create_mock_server.ts";
export type { MockServer } from "./lib/mock/server/open_mock_server.ts";
export { BrokenConnectionError } from "./lib/mock/operation/deliver_reply.ts";
export type { RequestScope, ScopedRequest } from "./lib/mock/request_scope.ts";
export type { MockSession } from "./lib/mock/server/mock_session.ts";
export type { MockRequests } from "./lib/mock/server/mock_requests.ts";
export type { MockRules } from "./lib/mock/server/mock_rules.ts";
export type { ItemScope, SessionItems, StoreOptions } from "./lib/mock/session/session_items.ts";
export type { Expectation, NearRequest, Verification } from "./lib/mock/journal/verify.ts";
export type { RequestFilter } from "./lib/mock/journal/filter.ts";
export type { EntryJson, MessageJson } from "./lib/mock/journal/represent.ts";
export type { OperationNames } from "./lib/openapi/operation.ts";
export type { ListedRule } from "./lib/mock/rules/rule_list.ts";
export { StateFullError } from "./lib/mock/state/store/limits.ts";
