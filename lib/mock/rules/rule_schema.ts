/**
 * The JSON Schema (2020-12) of a rule. The control API publishes it, and validates rules by it.
 *
 * @module
 */
import type { JsonObject } from "../../schema/json/node.ts";
import { MOST_DELAY } from "./delay.ts";
import { DEFAULT_RATE, MOST_STEPS } from "../../openapi/extension/rule.ts";

/** Limit of the headers or conditions of a rule. */
const MOST_ENTRIES = 100;
/** Limit of the characters of a name or path. */
const LONGEST = 2_000;

const MILLISECONDS = { type: "number", minimum: 0, maximum: MOST_DELAY };

const DELAY = {
  description: "Milliseconds before the answer is sent.",
  anyOf: [
    MILLISECONDS,
    {
      description: "A uniform distribution.",
      type: "object",
      required: ["min", "max"],
      additionalProperties: false,
      properties: { min: MILLISECONDS, max: MILLISECONDS },
    },
    {
      description: "A log-normal distribution, by its median and the standard deviation of the logarithm.",
      type: "object",
      required: ["median", "sigma"],
      additionalProperties: false,
      properties: { median: MILLISECONDS, sigma: { type: "number", minimum: 0, maximum: 10 }, max: MILLISECONDS },
    },
  ],
};

const OUTCOME = {
  status: { description: "Status code of the answer.", type: "integer", minimum: 200, maximum: 599 },
  headers: {
    description: "Headers of the answer; they replace those of the definition of the same name.",
    type: "object",
    maxProperties: MOST_ENTRIES,
    additionalProperties: { type: "string", pattern: "^[\\t\\x20-\\x7e\\x80-\\xff]*$" },
    propertyNames: { pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" },
  },
  body: { description: "Body of the answer, as a value. The definition's schema must allow it." },
  example: { description: "Name of an example of the definition.", type: "string", minLength: 1, maxLength: LONGEST },
  delay: DELAY,
  fault: {
    description: "What goes wrong: the connection is reset, or closed without an answer (empty), or closed within " +
      "the body (truncated); the body is sent slowly; or nothing is sent until the client goes away (time-out).",
    enum: ["reset", "empty", "truncated", "slow", "time-out"],
  },
  bytes: {
    description: "With truncated: bytes of the body that are sent. Default: half of it.",
    type: "integer",
    minimum: 0,
  },
  rate: {
    description: `With slow: bytes of the body in each second. Default: ${DEFAULT_RATE}.`,
    type: "number",
    exclusiveMinimum: 0,
  },
};

const DEPENDENT = {
  bytes: { required: ["fault"], properties: { fault: { const: "truncated" } } },
  rate: { required: ["fault"], properties: { fault: { const: "slow" } } },
  body: { properties: { example: false } },
};

export const RULE_SCHEMA = {
  title: "Rule",
  type: "object",
  required: ["operation"],
  additionalProperties: false,
  properties: {
    operation: {
      description: "A method and a path as the definition writes it, or an operationId. * stands for every method; " +
        "in a path it stands for any text.",
      examples: ["GET /pets/{petId}", "* /pets*", "listPets"],
      type: "string",
      minLength: 1,
      maxLength: LONGEST,
    },
    match: {
      description: "Conditions on the request: the wanted values of path.NAME, query.NAME, header.NAME, " +
        "cookie.NAME, body or body./POINTER.",
      type: "object",
      maxProperties: MOST_ENTRIES,
      propertyNames: { pattern: "^(body([.#]/.*)?|(path|query|header|cookie)\\..+)$" },
    },
    share: { description: "Share of the requests that the rule applies to.", type: "number", minimum: 0, maximum: 1 },
    times: { description: "How often the rule applies; how often a sequence runs.", type: "integer", minimum: 1 },
    ...OUTCOME,
    sequence: {
      description: "Outcomes of one request after the other; {} is the operation's own answer.",
      type: "array",
      minItems: 1,
      maxItems: MOST_STEPS,
      items: { type: "object", additionalProperties: false, properties: OUTCOME, dependentSchemas: DEPENDENT },
    },
    force: {
      description: "Whether the rule is taken although its answer doesn't fit the definition.",
      type: "boolean",
    },
  },
  dependentSchemas: {
    ...DEPENDENT,
    // A rule with a sequence must have its outcomes in the sequence's steps only.
    sequence: { properties: Object.fromEntries(Object.keys(OUTCOME).map((name) => [name, false])) },
  },
} satisfies JsonObject;

/** The members of a rule that have an effect. A rule needs at least one of them. */
export const EFFECTS: readonly string[] = ["status", "headers", "body", "example", "delay", "fault", "sequence"];
