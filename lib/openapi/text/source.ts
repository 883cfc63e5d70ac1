import { messageOf } from "../../http/message.ts";
import { decodeText, encodingOf } from "./decode_text.ts";
import { locateInJson } from "./json_text.ts";
import { failure, LIMITS, type Reading, sentence, tooDeep } from "../reading.ts";
import { jsonFault } from "../../schema/json/json_fault.ts";
import type { Source } from "../../schema/json/source.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";
import { readJsonText, writeJson } from "../../schema/json/json.ts";

/** The result of reading a text: the source, and the diagnostics of parsing it. */
export interface ReadSource {
  readonly source: Source;
  readonly diagnostics: readonly UnlocatedDiagnostic[];
}

/**
 * Parses a text as JSON or YAML.
 *
 * @param uri Where the text comes from.
 * @param input The text, or its bytes in UTF-8, UTF-16 or UTF-32.
 * @returns The source, with the readable parts as `value`, and the diagnostics of parsing.
 */
export async function readSource(uri: string, input: string | Uint8Array): Promise<ReadSource> {
  const { value, isJson = false, isShared = false, diagnostics, locate } = await readInput(input);
  // Keeps the bytes instead of the decoded text, which is seldom needed again: a string with characters outside Latin-1
  // takes twice the memory.
  const text = typeof input === "string" ? () => input : () => decodeText(input);
  const source: Source = {
    uri,
    value,
    isJson,
    isShared,
    text,
    locate: locate ?? ((places) => isJson ? locateInJson(text(), places) : places.map(() => 0)),
  };
  return {
    source,
    diagnostics: diagnostics.map((diagnostic) => ({ severity: "error", ...diagnostic, source, pointer: "" })),
  };
}

/**
 * Serializes an object as JSON and parses it again, so that later changes of the object have no effect.
 *
 * @param uri The name of the definition.
 */
export async function readObject(uri: string, object: object): Promise<ReadSource> {
  let text: string;
  try {
    // The result is `undefined` for a function, which only callers without types give.
    text = writeJson(object, 2, createLengthLimit) ?? "null";
  } catch (error) {
    const { source } = await readSource(uri, "null");
    const reason = sentence(messageOf(error).split("\n", 1)[0] ?? "");
    const advice = error instanceof RangeError || /circular|cyclic/i.test(reason) ? " Refer by `$ref` instead." : "";
    const message = `This object can't be written as JSON: ${reason}${advice}`;
    return { source, diagnostics: [{ severity: "error", code: "syntax", message, source, pointer: "" }] };
  }
  return await readSource(uri, text);
}

/**
 * Makes a visitor of the values of a JSON text that throws when the text is too long. An object that shares parts, as some
 * tools make from references, has a text that can be exponentially longer than the object.
 */
function createLengthLimit(): (value: unknown) => void {
  let length = 0;
  return (value) => {
    // A lower bound: each value has a line of its own, with an indentation of two spaces or more.
    length += 3 + (typeof value === "string" ? value.length : 1);
    if (length > LIMITS.bytes) throw new RangeError(`Its text has more than ${LIMITS.bytes} bytes.`);
  };
}

async function readInput(input: string | Uint8Array): Promise<Reading> {
  if (input.length > LIMITS.bytes) {
    return failure("text-too-large", `The text has ${input.length} bytes; the limit is ${LIMITS.bytes}.`, 0);
  }
  if (typeof input === "string") return await readText(input);
  try {
    return await readText(decodeText(input, { fatal: true }));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const offset = Math.max(0, decodeText(input).indexOf("\ufffd"));
    const encoding = encodingOf(input).toUpperCase();
    return failure("invalid-utf8", `The text is not valid ${encoding} here. Save the file as UTF-8.`, offset);
  }
}

async function readText(text: string): Promise<Reading> {
  const looksLikeJson = /^\s*[{[]/.test(text);
  if (looksLikeJson) {
    try {
      const value: unknown = readJsonText(text);
      const deep = typeof value === "object" && value !== null && isTooDeep(value, LIMITS.depth);
      return deep ? failure("too-deep", tooDeep(), 0) : { value, isJson: true, diagnostics: [] };
    } catch {
      // A text with trailing commas or comments isn't JSON, but may be valid YAML. If it isn't, the errors are those of
      // YAML.
      const { readYaml } = await import("./yaml_source.ts");
      const reading = await readYaml(text);
      if (reading.diagnostics.length > 0) return reading;
      if (!/^\s*\{\s*"/.test(text)) return reading;
      const fault = jsonFault(text);
      const message = `This is not JSON (${jsonReason(fault)}); it was read as YAML.`;
      return {
        ...reading,
        diagnostics: [{ severity: "warning", code: "not-json", message, offset: jsonOffset(fault) }],
      };
    }
  }
  const { readYaml } = await import("./yaml_source.ts");
  return await readYaml(text);
}

/**
 * Whether a value without shared parts is nested deeper than `depth`. It must be fast, since every JSON text is
 * checked.
 */
function isTooDeep(value: object, depth: number): boolean {
  if (depth === 0) return true;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const part: unknown = value[index];
      if (typeof part === "object" && part !== null && isTooDeep(part, depth - 1)) return true;
    }
    return false;
  }
  for (const key in value) {
    const part = (value as Record<string, unknown>)[key];
    if (typeof part === "object" && part !== null && isTooDeep(part, depth - 1)) return true;
  }
  return false;
}

function jsonReason(fault: string): string {
  return fault.replace(/ in JSON at position.*| \(line.*/s, "");
}

function jsonOffset(fault: string): number {
  return Number(/at position (\d+)/.exec(fault)?.[1] ?? 0);
}
