/**
 * The check of a mock server's options, for programs that no compiler checks. Without it, a wrong value would show at
 * some request, or not at all.
 *
 * @module
 */
import type { MockOptions } from "./mock_options.ts";
import { writeJson } from "../schema/json/json.ts";

/** The kinds of values, each with its test. */
const KINDS = {
  "a boolean": (value) => typeof value === "boolean",
  "a function": (value) => typeof value === "function",
  "a list of strings": (value) => isList(value, (item) => typeof item === "string"),
  "a list of rules, as objects with an operation": (value) =>
    isList(value, (rule) => isObject(rule) && typeof Reflect.get(rule, "operation") === "string"),
  "a string": (value) => typeof value === "string",
  "a whole number": (value) => Number.isSafeInteger(value),
  "a whole number from 0": (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  "a whole number from 1": (value) => Number.isSafeInteger(value) && Number(value) >= 1,
  "an object": isObject,
  '"off", "warn" or "error"': (value) => value === "off" || value === "warn" || value === "error",
} satisfies Record<string, (value: unknown) => boolean>;

const OPTIONS = {
  anyStatus: "a boolean",
  asGateway: "a boolean",
  bodies: "an object",
  baseUrls: "a list of strings",
  callbacks: "a boolean",
  clientOf: "a function",
  control: "a boolean",
  controlPath: "a string",
  controlToken: "a string",
  cors: "a boolean",
  corsOrigins: "a list of strings",
  dynamic: "a boolean",
  errors: "a boolean",
  formFormats: "an object",
  isForeign: "a function",
  items: "a whole number from 0",
  journal: "a whole number from 0",
  journalMemory: "a whole number from 1",
  now: "a function",
  observe: "a function",
  pause: "a function",
  rest: "a function",
  proxyAll: "a boolean",
  proxyUnknown: "a boolean",
  queryFormats: "an object",
  random: "a function",
  rules: "a list of rules, as objects with an operation",
  security: "a boolean",
  seed: "a whole number",
  sessions: "a whole number from 1",
  sleep: "a function",
  stateLimits: "an object",
  stopwatch: "a function",
  stateful: "a boolean",
  strictQueries: "a boolean",
  timer: "a function",
  upstream: "a function",
  validate: '"off", "warn" or "error"',
  validateUpstream: '"off", "warn" or "error"',
} satisfies Record<keyof MockOptions, keyof typeof KINDS>;

/**
 * Checks options. `undefined` stands for the default.
 *
 * @throws {TypeError} If the value of an option isn't of its kind.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * checkOptions({ journal: 100 });
 * assert.throws(() => checkOptions({ journal: -1 }), /The option `journal` must be a whole number from 0, not -1/);
 * ```
 */
export function checkOptions(options: MockOptions): void {
  for (const [name, kind] of Object.entries(OPTIONS)) {
    const value: unknown = Reflect.get(options, name);
    if (value === undefined || KINDS[kind](value)) continue;
    throw new TypeError(`The option \`${name}\` must be ${kind}, not ${textOf(value)}.`);
  }
}

/** The value for a message. A value without a JSON text, such as an object that contains itself, is named by its type. */
function textOf(value: unknown): string {
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  try {
    return writeJson(value) ?? `a ${typeof value}`;
  } catch {
    return "an object";
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isList(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}
