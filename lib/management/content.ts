import { decodeStrictly } from "../http/decode_strictly.ts";
import { messageOf } from "../http/message.ts";
import { readAllowedNamespaces } from "../gateway/allowed_namespaces.ts";
import { readContent } from "../api/content.ts";
import { type ErrorResponse, errorResponse } from "../api/error_response.ts";
import type { BodyWatch } from "../http/limits/body_limits.ts";
import type { Bytes } from "../http/handler.ts";
import type { Context, ManagementCall } from "./context.ts";
import { sizeOfJson } from "../schema/json/json.ts";
import { isObject } from "../schema/json/node.ts";
import { formatPointer } from "../schema/json/pointer.ts";
import { locateInJson } from "../openapi/text/json_text.ts";
import type { Position } from "../openapi/text/position.ts";
import type { Check } from "../schema/document_validator.ts";
import type { FleetSpec, ObjectName } from "../gateway/resource.ts";

/** An error in the content of a request, as a problem's member `errors` lists it. */
export interface ContentError {
  /** JSON Pointer of the wrong value, in the text that `in` tells. */
  pointer: string;
  detail: string;
  line: number;
  column: number;
  /** The text that has the error: the request's body, or the definition in its field `openapi`. */
  in: "body" | "openapi";
}

/** The message for a violation of `pattern`. The validator's own message would show the regular expression. */
const NOT_A_LABEL = "must be a DNS label: lower-case letters, digits and `-`, with a letter or digit at both ends";

const NOT_A_PORT = "must be the number of a port, from 0 to 65535, or a name that the service of the fleet shows";

const NOT_TCP = "must be TCP: fleets listen for HTTP";

/**
 * The content of a request, validated or not. `value` of invalid content is the parsed JSON; `undefined` if it can't be
 * parsed.
 */
export type ResourceContent =
  | { kind: "fine"; value: unknown; text: string }
  | { kind: "bad"; value: unknown; errors: readonly ContentError[] };

/** The content of a request that deploys a definition as an API or a static route. */
export interface ApiContent {
  name: string;
  namespace: string;
  fleet: ObjectName | undefined;
  openapi: string;
}

/**
 * Reads the content of a request, and validates it against the operation's schema in openapi.yaml.
 *
 * @throws {ErrorResponse} If the body is too large, incomplete, late, or has another media type than JSON, and if too
 * many bodies are being read.
 */
export async function readJsonContent(
  { request, operationId }: ManagementCall,
  { options, description }: Context,
): Promise<ResourceContent> {
  const { maxBody: limit, bodyTimeout, bodies: { memory } } = options;
  const { checkOf } = await description();
  const bodies = { memory, watch: timeInAll(bodyTimeout) };
  const late = (): ErrorResponse => {
    const detail = `The body has not come within ${bodyTimeout / 1000} s. Send all of it at once.`;
    return errorResponse(400, detail, [["connection", "close"]]);
  };
  const { bytes } = await readContent(request, { accepted: ["application/json"], limit, bodies, late });
  return readJson(bytes, checkOf(operationId));
}

/** Limits the time of a whole body, in milliseconds, however its bytes arrive. */
function timeInAll(milliseconds: number): BodyWatch {
  return (giveUp) => {
    const timer = setTimeout(giveUp, milliseconds);
    return { progress: () => {}, stop: () => clearTimeout(timer) };
  };
}

/** Makes the error for a value of the request's body, with its line and column. */
export function bodyError(text: string, pointer: string, detail: string): ContentError {
  const [offset = 0] = locateInJson(text, [{ pointer }]);
  return { pointer, detail, ...positionAt(text, offset), in: "body" };
}

/**
 * Reads the fields of an API or a static route, also from invalid content, since the response repeats them. A field
 * that is missing or has the wrong type becomes empty.
 */
export function readApiContent(value: unknown): ApiContent {
  const fleetName = readName(value, "proxyFleetName");
  const fleetNamespace = readName(value, "proxyFleetNamespace") || "default";
  return {
    name: readName(value, "name"),
    namespace: readName(value, "namespace"),
    fleet: fleetName === "" ? undefined : { name: fleetName, namespace: fleetNamespace },
    openapi: text(value, "openapi"),
  };
}

/**
 * Reads the fields of a fleet, also from invalid content, since the response repeats them. A field that is missing or
 * has the wrong type becomes empty or gets its default.
 */
export function readFleetContent(value: unknown): ObjectName & { spec: FleetSpec } {
  const ports = isObject(value) && Array.isArray(value["ports"]) ? value["ports"] : [];
  const serviceType = text(value, "serviceType") === "LoadBalancer" ? "LoadBalancer" : "ClusterIP";
  const allowedNamespaces = readAllowedNamespaces(isObject(value) ? value["allowedNamespaces"] : undefined);
  return {
    name: readName(value, "name"),
    namespace: readName(value, "namespace"),
    spec: {
      serviceType,
      ports: ports.map((port: unknown) => ({
        name: text(port, "name"),
        nodePort: number(port, "nodePort"),
        port: number(port, "port"),
        protocol: text(port, "protocol") || "TCP",
        targetPort: targetPortOf(port),
      })),
      ...(allowedNamespaces === undefined ? {} : { allowedNamespaces }),
    },
  };
}

function readJson(bytes: Bytes, check: Check): ResourceContent {
  const text = decodeStrictly(bytes);
  if (text === undefined) {
    const error: ContentError = { pointer: "", detail: "The body is not UTF-8.", line: 1, column: 1, in: "body" };
    return { kind: "bad", value: undefined, errors: [error] };
  }
  const { depth, values } = sizeOfJson(text, { depth: MOST_DEPTH, values: MOST_VALUES });
  if (depth > MOST_DEPTH || values > MOST_VALUES) {
    const detail = `The content has more than ${MOST_VALUES} values, or is nested more than ${MOST_DEPTH} deep.`;
    return { kind: "bad", value: undefined, errors: [{ pointer: "", detail, line: 1, column: 1, in: "body" }] };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const message = messageOf(error);
    const offset = Number(/at position (\d+)/.exec(message)?.[1] ?? text.length);
    const detail = `The body is not JSON: ${message.replace(/ in JSON at position.*| \(line.*/s, "")}.`;
    return {
      kind: "bad",
      value: undefined,
      errors: [{ pointer: "", detail, ...positionAt(text, offset), in: "body" }],
    };
  }
  const violations = check(value);
  if (violations.length === 0) return { kind: "fine", value, text };
  const places = violations.map(({ path }) => ({ pointer: formatPointer(path) }));
  const offsets = locateInJson(text, places);
  const errors = violations.map(({ path, keyword, message: written }, index): ContentError => {
    const message = path.at(-1) === "protocol" && keyword === "enum"
      ? NOT_TCP
      : keyword !== "pattern"
      ? written
      : path.at(-1) === "targetPort"
      ? NOT_A_PORT
      : NOT_A_LABEL;
    const subject = path.length === 0 ? "The content" : `\`${path.join(".")}\``;
    const pointer = places[index]?.pointer ?? "";
    return { pointer, detail: `${subject} ${message}.`, ...positionAt(text, offsets[index] ?? 0), in: "body" };
  });
  return { kind: "bad", value, errors };
}

/**
 * Limits of the JSON in a request's body, as the validator takes time for each value. A definition in it counts as one
 * string.
 */
const MOST_VALUES = 10_000;
const MOST_DEPTH = 100;

/**
 * Returns the line and column of an offset. Counts newlines up to it: an index of all lines would cost more for few
 * errors.
 */
function positionAt(text: string, offset: number): Position {
  let line = 1;
  let start = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", start)) {
    line++;
    start = at + 1;
  }
  return { line, column: offset - start + 1 };
}

/**
 * Reads a name. A text longer than the longest valid name (63 characters) becomes empty, since the response repeats the
 * name.
 */
function readName(value: unknown, key: string): string {
  const name = text(value, key);
  return name.length <= 63 ? name : "";
}

function text(value: unknown, key: string): string {
  const field = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof field === "string" ? field : "";
}

/** Reads `targetPort`, a number or its text. Default: the port itself; of a name 0, which leaves the target as it is. */
function targetPortOf(port: unknown): number {
  if (/[^0-9]/.test(text(port, "targetPort"))) return 0;
  return Number(text(port, "targetPort")) || number(port, "targetPort") || number(port, "port");
}

function number(value: unknown, key: string): number {
  const field = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof field === "number" ? field : 0;
}
