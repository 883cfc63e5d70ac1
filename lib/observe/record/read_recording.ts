import type { Operation } from "../../openapi/operation.ts";
import { isObject, type JsonObject } from "../../schema/json/node.ts";
import { escapeToken } from "../../schema/json/pointer.ts";
import { parseTarget } from "./overlay_target.ts";
import { EXAMPLE_FIELDS, type RecordedResponse, sizeInYaml } from "./recorded_answer.ts";
import { writeJson } from "../../schema/json/json.ts";

/** The contents of an earlier recording. */
export interface EarlierRecording {
  readonly answers: readonly (readonly [Operation, RecordedResponse])[];
  /**
   * Actions that gw didn't record, and actions for operations that the definition no longer has. They are written
   * unchanged into the new recording.
   */
  readonly others: readonly unknown[];
  /** The fields of the overlay other than `actions`. */
  readonly head: JsonObject;
}

/** Reads an overlay that gw recorded and that may have been edited since. */
export function readRecording(overlay: JsonObject, operations: readonly Operation[]): EarlierRecording {
  const { actions, ...head } = overlay;
  const byPath = new Map(operations.map((operation) => [operation.node.pointer, operation]));
  const answers: [Operation, RecordedResponse][] = [];
  const others: unknown[] = [];
  for (const action of Array.isArray(actions) ? actions : []) {
    const read = readAction(action, byPath);
    if (read === undefined) others.push(action);
    else answers.push(...read);
  }
  return { answers, others, head };
}

/** The recorded answers in an overlay action; `undefined` if gw didn't record the action. */
function readAction(
  action: unknown,
  byPath: ReadonlyMap<string, Operation>,
): [Operation, RecordedResponse][] | undefined {
  const target = isObject(action) && typeof action["target"] === "string" ? parseTarget(action["target"]) : undefined;
  const place = target && findOperation(target, byPath);
  if (target === undefined || place === undefined || !isObject(action)) return undefined;
  const rest = target.slice(place.length);
  // Drop the actions by which gw removed `$ref` and examples. The new recording adds them again if they are needed.
  const isOwn = rest.at(-1) === "$ref" || rest.at(-1) === "example" || rest.at(-2) === "examples";
  if (action["remove"] === true) return isOwn ? [] : undefined;
  const tree = rest.reduceRight<unknown>((inner, token) => ({ [token]: inner }), action["update"]);
  const responses = isObject(tree) ? tree["responses"] : undefined;
  if (!isObject(tree) || !isObject(responses) || Object.keys(tree).length > 1) return undefined;
  const answers = Object.entries(responses).flatMap(([status, response]) => readResponse(Number(status), response));
  return answers.map((answer) => [place.operation, answer]);
}

function findOperation(
  target: readonly string[],
  byPath: ReadonlyMap<string, Operation>,
): { operation: Operation; length: number } | undefined {
  let pointer = "";
  for (const [index, token] of target.entries()) {
    pointer += `/${escapeToken(token)}`;
    const operation = byPath.get(pointer);
    if (operation !== undefined) return { operation, length: index + 1 };
  }
  return undefined;
}

function readResponse(status: number, response: unknown): RecordedResponse[] {
  if (!Number.isInteger(status) || !isObject(response)) return [];
  const content = Object.entries(contentOf(response));
  const headers = readHeaders(response["headers"]);
  const common = { status, headers, redacted: [], isKept: true };
  const answers = content.flatMap(([mediaType, media]) => {
    const examples = isObject(media) && isObject(media["examples"]) ? Object.values(media["examples"]) : [];
    return examples.flatMap((example): RecordedResponse[] => {
      const field = isObject(example) ? EXAMPLE_FIELDS.find((field) => Object.hasOwn(example, field)) : undefined;
      if (!isObject(example) || field === undefined) return [];
      const value = example[field];
      const size = sizeInYaml(value) ?? writeJson(value).length;
      return [{ ...common, mediaType, value, field, size, ...readExtension(example["x-svc"]) }];
    });
  });
  if (answers.length > 0) return answers;
  return [{ ...common, mediaType: "", value: undefined, field: "value", size: 0, parameters: {}, details: {} }];
}

/**
 * The Media Type Objects of a response, by media type. For Swagger 2.0, they are made from the response's `x-examples`.
 */
function contentOf({ content, "x-examples": named }: JsonObject): JsonObject {
  if (!isObject(named)) return isObject(content) ? content : {};
  return Object.fromEntries(Object.entries(named).map(([mediaType, examples]) => [mediaType, { examples }]));
}

function readHeaders(headers: unknown): Record<string, unknown> {
  const written = isObject(headers) ? Object.entries(headers) : [];
  return Object.fromEntries(written.flatMap(([name, header]): [string, unknown][] => {
    const example = isObject(header) ? header["example"] : undefined;
    return example === undefined ? [] : [[name, example]];
  }));
}

function readExtension(extension: unknown): Pick<RecordedResponse, "parameters" | "details" | "contentType"> {
  const mocking = isObject(extension) ? extension["mocking"] : undefined;
  const contentType = isObject(mocking) ? mocking["contentType"] : undefined;
  const match = isObject(mocking) && isObject(mocking["match"]) ? Object.entries(mocking["match"]) : [];
  const isParameter = ([key]: [string, unknown]): boolean => /^(?:path|query)\./.test(key);
  return {
    parameters: Object.fromEntries(match.filter(isParameter)),
    details: Object.fromEntries(match.filter((entry) => !isParameter(entry))),
    contentType: typeof contentType === "string" ? contentType : undefined,
  };
}
