/**
 * Lists every kind of problem that gw reports about a definition, with its code. docs/validate.md is generated from
 * this table.
 *
 * @module
 */

/** `error`: a deployment refuses the definition. `warning`: it doesn't. */
export type Severity = "error" | "warning";

/** Severities that a user sets for rules, instead of gw's own. `off` suppresses the diagnostics of a rule. */
export type Severities = Readonly<Partial<Record<RuleCode, Severity | "off">>>;

/** The code of a rule, as in diagnostics. */
export type RuleCode =
  | "alias-expansion"
  | "ambiguous-path"
  | "array-without-items"
  | "bad-default"
  | "bad-enum-value"
  | "bad-example"
  | "bad-expression"
  | "bad-extension-value"
  | "bad-name"
  | "bad-overlay"
  | "bad-path"
  | "bad-status"
  | "bad-swagger"
  | "bad-value"
  | "broken-link"
  | "broken-mapping"
  | "broken-reference"
  | "cache-without-age"
  | "circular-alias"
  | "circular-reference"
  | "circular-schema"
  | "conflict"
  | "cors-without-origins"
  | "deployment-warning"
  | "duplicate-body"
  | "duplicate-enum-value"
  | "duplicate-key"
  | "duplicate-operation"
  | "duplicate-operation-id"
  | "duplicate-parameter"
  | "duplicate-route"
  | "duplicate-tag"
  | "ignored-body"
  | "ignored-paths"
  | "ignored-sibling"
  | "impossible-body"
  | "impossible-header"
  | "impossible-parameter"
  | "invalid-utf8"
  | "key-too-long"
  | "many-retries"
  | "merge-key"
  | "misplaced-extension"
  | "misplaced-extension-key"
  | "misplaced-field"
  | "misplaced-property"
  | "missing-field"
  | "missing-info"
  | "missing-paths"
  | "mocked-and-validated"
  | "mocked-without-body"
  | "mocked-without-schema"
  | "no-action"
  | "no-mockable-response"
  | "not-in-cluster"
  | "not-json"
  | "not-openapi"
  | "nullable-without-type"
  | "open-credentials"
  | "misplaced-reference"
  | "open-template"
  | "deployment-error"
  | "outside-reference"
  | "shared-path"
  | "syntax"
  | "text-too-large"
  | "too-deep"
  | "too-many-problems"
  | "unchecked-bodies"
  | "unchecked-examples"
  | "undeclared-discriminator"
  | "undeclared-encoding"
  | "undeclared-parameter"
  | "undeclared-required"
  | "undeclared-variable"
  | "unknown-extension-key"
  | "unknown-field"
  | "unknown-keyword"
  | "unknown-match"
  | "unknown-scope"
  | "unknown-security-scheme"
  | "unmatched-pattern"
  | "unmatched-target"
  | "unreachable-mapping"
  | "unshared-state"
  | "unserved-base-path"
  | "unsupported-setting"
  | "unused-parameter"
  | "unused-variable"
  | "wrong-reference";

/** The codes of rules that `gw validate` doesn't check, but other commands do. */
type OtherCode =
  | "cache-without-age"
  | "conflict"
  | "cors-without-origins"
  | "deployment-warning"
  | "duplicate-operation"
  | "duplicate-route"
  | "ignored-paths"
  | "no-action"
  | "not-in-cluster"
  | "deployment-error"
  | "shared-path"
  | "unshared-state"
  | "unsupported-setting";

/** A kind of problem that gw reports about a definition. */
export interface DiagnosticRule {
  /** The severity; `either` for an error in some cases and a warning in others. */
  severity: Severity | "either";
  /** The problem, as a phrase without full stop. */
  finds: string;
  /** Advice, or an example of the correct form. */
  remedy: string;
}

/** Rules that `gw validate` checks, by their codes. */
export const VALIDATION_RULES: Readonly<Record<Exclude<RuleCode, OtherCode>, DiagnosticRule>> = {
  "alias-expansion": error("YAML aliases that expand to more values than the limit", "Refer by `$ref` instead"),
  "ambiguous-path": either(
    "paths that match the same requests: an error where both have the same method",
    "Make `/pets/{id}` and `/pets/{name}` one path",
  ),
  "array-without-items": warning(
    "an array without `items`, before OpenAPI 3.1",
    "Write `items: {}` for items of any kind",
  ),
  "bad-default": warning("a default that its schema refuses", "`{type: integer, default: ten}` needs a number"),
  "bad-enum-value": warning(
    "a value of an `enum` that isn't of the schema's own type",
    '`{type: string, enum: [1, 2]}`: write `["1", "2"]`',
  ),
  "bad-example": warning("an example that its schema refuses", "Correct the example, or the schema"),
  "bad-expression": warning(
    "a callback's URL, or a link's parameter, that is no runtime expression",
    "`{$request.body.url}` is written `{$request.body#/url}`",
  ),
  "bad-extension-value": error(
    "an invalid value of `x-svc`",
    "See [x-svc](x-svc.md) for the values of each key",
  ),
  "bad-name": either(
    "a name that isn't allowed at its place, or has a control character",
    "Names of components have letters, digits, `.`, `_` and `-`",
  ),
  "bad-overlay": either(
    "an overlay that can't be applied: an error; one that is applied leniently: a warning",
    "The message says what [an overlay](overlays.md) needs here",
  ),
  "bad-path": either(
    "a path that isn't well-formed; one with a parameter as `:id`, `<id>` or `[id]` is a warning",
    "Begin it with `/`, close each `{`, name each parameter once",
  ),
  "bad-status": error("a key of `responses` that is no status", "Write `200`, `2XX` or `default`"),
  "bad-swagger": error("a definition of Swagger 2.0 that can't be converted", "The message says why"),
  "bad-value": either(
    "a value that the OpenAPI schema refuses; addresses and patterns that are badly formed are warnings",
    '`version: 1.0` is a number: write `version: "1.0"`',
  ),
  "broken-link": warning("a link to an operation that isn't there", "Name an `operationId` of the definition"),
  "broken-mapping": warning(
    "an entry of a discriminator's `mapping` that names no schema",
    "Name a schema of the components",
  ),
  "broken-reference": either(
    "a `$ref` or an `externalValue` that leads nowhere; an `externalValue` is a warning",
    "Correct the path, or add what it names",
  ),
  "circular-alias": error("a YAML anchor that contains an alias of itself", "Refer by `$ref` instead"),
  "circular-reference": error("a `$ref` that leads back to itself", "Let one of them be a schema"),
  "circular-schema": warning("a schema that is a member of its own `allOf`", "Remove it from its `allOf`"),
  "duplicate-body": warning(
    "a second body parameter, or form fields beside a body, in Swagger 2.0",
    "Make them one body",
  ),
  "duplicate-enum-value": warning("a value that an `enum` has twice", "Remove one"),
  "duplicate-key": error("a key that a JSON object has twice", "Remove one; only the last counts"),
  "duplicate-operation-id": error("an `operationId` that two operations have", "Give one of them another"),
  "duplicate-parameter": error("a parameter that is twice in one list", "Remove one"),
  "duplicate-tag": warning("a tag that the definition, or an operation, has twice", "Remove one"),
  "ignored-body": warning("a required body of GET or HEAD, which isn't checked", "Use POST or QUERY"),
  "ignored-sibling": warning(
    "a field beside a `$ref` that is ignored: any field before OpenAPI 3.1",
    "`{allOf: [{$ref: …}], nullable: true}`, or remove it",
  ),
  "impossible-body": warning(
    "a request body, or a mocked body, that no value satisfies",
    "The message says what contradicts what",
  ),
  "impossible-header": warning(
    "a header of the mocked response that no value satisfies",
    "The message says what contradicts what",
  ),
  "impossible-parameter": warning("a parameter that no value satisfies", "`{minimum: 5, maximum: 1}` has no number"),
  "invalid-utf8": error(
    "a text that is not valid in its encoding: UTF-8, or UTF-16 or UTF-32 by its first bytes",
    "Save the file as UTF-8",
  ),
  "key-too-long": error("a key of more than 10,000 characters", "Shorten it"),
  "many-retries": warning("more than 10 `qos.retries`", "Set fewer"),
  "merge-key": warning(
    "a YAML merge key, which YAML 1.2 doesn't have",
    "`<<: *common`: write its keys out, or refer by `$ref`",
  ),
  "misplaced-extension": warning("an `x-svc` that gw doesn't read", "Move it to the top, a path or an operation"),
  "misplaced-extension-key": error(
    "a key of `x-svc` at a level that doesn't have it",
    "See [x-svc](x-svc.md) for the levels of each key",
  ),
  "misplaced-field": error("a field that excludes another, or needs another", "Remove one of `example` and `examples`"),
  "misplaced-property": warning(
    "a property beside `properties`, or a keyword in it, from OpenAPI 3.1 on",
    "`{properties: {id: {}}, name: {type: string}}`: move `name` into `properties`",
  ),
  "missing-field": error("a field that an object must have", "Add it"),
  "missing-info": warning("a definition without `info`, when it is mocked", "Add a title and a version"),
  "missing-paths": warning("a definition without operations, or without `paths` when it is mocked", "Add an operation"),
  "mocked-and-validated": error(
    "an operation that is mocked and has its requests validated",
    "Disable `x-svc.mocking` or `x-svc.validation.request`",
  ),
  "mocked-without-body": warning(
    "a mocked response with a schema and no example, which a gateway answers without a body",
    "Add an example, or `x-svc.mocking.generate: true`",
  ),
  "mocked-without-schema": error("a mocked response that has examples and no schema", "Add a schema"),
  "no-mockable-response": warning(
    "an operation without a response from 200 to 299, which `gw mock` answers with 501",
    "Add one; `2XX` and `default` are mocked with `--any-status`",
  ),
  "not-json": warning("a JSON text with YAML in it, such as comments", "Write JSON, or name the file `.yaml`"),
  "not-openapi": error("a text that is no OpenAPI definition", "Begin it with `openapi: 3.1.0`"),
  "nullable-without-type": warning("`nullable` in a schema without `type`, which has no effect", "Add the `type`"),
  "open-credentials": error(
    "`x-svc.cors` with `credentials: true` for the origin `*`",
    "Name the origins, or remove `credentials`",
  ),
  "open-template": warning(
    "an open path template that takes the path of a protected or disabled operation in other case",
    "Let the upstream compare paths with their case, or give both the same settings",
  ),
  "misplaced-reference": warning(
    "a `$ref` where OpenAPI has none: instead of a whole map or list, or in the value of an example",
    "Refer by `$ref` from the objects in it; write the value of an example, or give it as `externalValue`",
  ),
  "outside-reference": warning(
    "a `$ref` to a file outside the repository, the working folder and the definitions' folders",
    "Move the file, or run gw with `--allow-remote-refs`",
  ),
  "syntax": error("a text that is neither YAML nor JSON", "The message says what is wrong here"),
  "text-too-large": error("a text of more than 64 MiB", "Split it"),
  "too-deep": error("objects and arrays that are nested more than 500 deep", "Refer by `$ref` instead"),
  "too-many-problems": either("more problems than are reported", "Fix those before it first"),
  "unchecked-bodies": warning(
    "schemas that were not tried, as it would take too long",
    "Simplify the schema that the message names",
  ),
  "unchecked-examples": warning(
    "examples that were not checked, as it would take too long",
    "Fix those before it first",
  ),
  "undeclared-discriminator": warning(
    "a discriminator whose property the schema, or an alternative, lacks",
    "Declare the property in each schema of `oneOf`",
  ),
  "undeclared-encoding": warning("an `encoding` of a property that the schema lacks", "Name a property of the schema"),
  "undeclared-parameter": error("a parameter of a path that isn't declared", "Add it with `in: path`"),
  "undeclared-required": warning(
    "a name in `required` that no property has",
    "`{required: [nmae], properties: {name: {}}}`: correct it",
  ),
  "undeclared-variable": warning("a variable of a server's URL that isn't declared", "Add it to `variables`"),
  "unknown-extension-key": error("a key that `x-svc` doesn't have", "The message suggests a key"),
  "unknown-field": either(
    "a field that its object doesn't have; in an overlay, a warning",
    "The message suggests a field",
  ),
  "unknown-keyword": warning(
    "a keyword that is likely misspelt, from OpenAPI 3.1 on",
    "`requierd` is written `required`",
  ),
  "unknown-match": warning(
    "a condition of an example's `match` that is never met",
    "Write `query.NAME`, `body./POINTER`, …",
  ),
  "unknown-scope": warning("a scope that none of its OAuth flows has", "Add it to the `scopes` of the scheme"),
  "unknown-security-scheme": error("a security scheme that isn't there", "Add it to the components"),
  "unmatched-pattern": warning(
    "a pattern that takes too long to match: all texts are valid, or its look-behind and back-references match",
    "Write `^(?!.*x$)` for `(?<!x)$`",
  ),
  "unmatched-target": warning(
    "an overlay's target, or the source of a copy, that finds nothing in the definition",
    "Correct the JSONPath, or remove the action",
  ),
  "unreachable-mapping": warning("a discriminator's `mapping` to a schema that isn't offered", "Add it to `oneOf`"),
  "unserved-base-path": warning(
    "the base path of `servers` in a definition for a gateway, which serves the paths without it",
    "Set `x-svc.path.prefix`",
  ),
  "unused-parameter": warning("a path parameter that the path doesn't have", "Remove it, or add it to the path"),
  "unused-variable": warning("a variable that its server's URL doesn't have", "Remove it, or add it to the URL"),
  "wrong-reference": error(
    "a `$ref` to another kind of object than is wanted",
    "Refer to an object of the kind that the message names",
  ),
};

/** Rules that only other commands check: `gw mock`, `gw render` and deployments. */
export const OTHER_RULES: Readonly<Record<OtherCode, DiagnosticRule>> = {
  "cache-without-age": warning("`x-svc.cache` that is enabled without `max_age`", "Set `max_age`"),
  "conflict": error("two definitions of `gw render` with the same route", "Change the path or the host of one"),
  "cors-without-origins": warning("`x-svc.cors` without `origins`", "Name the origins that may read"),
  "deployment-warning": warning("a deployment's warning, as `gw deploy` shows it", "The message says what to do"),
  "duplicate-operation": error(
    "an operation that two definitions of `gw mock` have",
    "Remove one, or give one a prefix",
  ),
  "duplicate-route": error("two operations of a definition with the same route", "Change the path of one"),
  "ignored-paths": warning("`paths` of a static route", "Deploy it as an API"),
  "no-action": error(
    "an operation without an action",
    "Give it an upstream, a redirect, or `mocking: {enabled: true}`",
  ),
  "not-in-cluster": error("a setting that a gateway in a cluster can't honour", "The message says why"),
  "deployment-error": error(
    "a deployment's error, as `gw deploy` and `gw render` show it",
    "The message says what to do",
  ),
  "shared-path": warning(
    "a path that two definitions of `gw mock` have under different `servers`",
    "Ask below the path of the server that is meant",
  ),
  "unshared-state": warning(
    "stateful operations in a cluster, where each replica of the mocks has a state of its own",
    "Run one replica, or send a session's requests to the same one",
  ),
  "unsupported-setting": error("a setting that the embedded gateway can't honour", "Deploy it to a cluster"),
};

function error(finds: string, remedy: string): DiagnosticRule {
  return { severity: "error", finds, remedy };
}

function warning(finds: string, remedy: string): DiagnosticRule {
  return { severity: "warning", finds, remedy };
}

function either(finds: string, remedy: string): DiagnosticRule {
  return { severity: "either", finds, remedy };
}
