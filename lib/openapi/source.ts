import { messageOf } from "../http/message.ts";
import { CORE_SCHEMA, load, mergeTag, YAMLException } from "js-yaml";
import { locateInJson } from "./json_text.ts";
import type { Source } from "../schema/source.ts";
import { locateInYaml } from "./yaml_text.ts";
import type { RuleCode, Severity } from "./rules.ts";
import type { UnlocatedDiagnostic } from "./diagnostic.ts";

/** A text that was read, and its diagnostics as YAML or JSON. */
export interface ReadSource {
  readonly source: Source;
  readonly diagnostics: readonly UnlocatedDiagnostic[];
}

/** Limits of a text, so that a hostile text costs no more time and memory than its size justifies. */
export const LIMITS = {
  /** Size of a text in bytes. */
  bytes: 64 * 1024 * 1024,
  /** Nesting of objects and arrays. */
  depth: 500,
  /** Length of a key, which is a part of each pointer to the values below. */
  key: 10_000,
  /** Values once YAML aliases are expanded: this many, or ten for each character of the text if that is more. */
  values: 1_000_000,
  /** Above this many characters a broken text is reported by its first syntax error alone. */
  manyErrors: 1024 * 1024,
  /** The most syntax errors of a text that are reported: later ones are often consequences of the first. */
  syntaxErrors: 10,
} as const;

const YAML_SCHEMA = CORE_SCHEMA.withTags(mergeTag);
const YAML_OPTIONS = { schema: YAML_SCHEMA, maxDepth: LIMITS.depth, maxTotalMergeKeys: 100_000 };

/** The form of a YAML anchor. Other text may match too; then the value is checked for aliases in vain. */
const ANCHOR = /(?:^|[\s,[{])&[^\s,[\]{}]/m;

/** A diagnostic of a text that has no source yet. */
type TextDiagnostic = Pick<UnlocatedDiagnostic, "code" | "message" | "offset"> & { severity?: Severity };

/** The result of reading a text as JSON or YAML. */
interface Reading {
  value: unknown;
  isJson?: boolean;
  isShared?: boolean;
  diagnostics: TextDiagnostic[];
  locate?: Source["locate"];
}

/**
 * Reads a text as JSON or YAML.
 *
 * @param uri The origin of the text.
 * @param input The text, or its bytes in UTF-8.
 * @returns The source, whose `value` holds the readable parts, and its diagnostics.
 */
export async function readSource(uri: string, input: string | Uint8Array): Promise<ReadSource> {
  const { value, isJson = false, isShared = false, diagnostics, locate } = await readInput(input);
  // Bytes take half the memory of a decoded string that isn't pure Latin-1, and the text is seldom asked for again.
  const text = typeof input === "string" ? () => input : () => decodeLeniently(input);
  const source: Source = {
    uri,
    value,
    isJson,
    isShared,
    text,
    locate: locate ?? ((places) => isJson ? locateInJson(text(), places) : locateInYaml(text(), places)),
  };
  return {
    source,
    diagnostics: diagnostics.map((diagnostic) => ({ severity: "error", ...diagnostic, source, pointer: "" })),
  };
}

/**
 * Reads an object as its JSON text, so that later changes of the object don't matter.
 *
 * @param uri The name of the definition.
 */
export async function readObject(uri: string, object: object): Promise<ReadSource> {
  let text: string;
  try {
    text = JSON.stringify(object, undefined, 2);
  } catch (error) {
    const { source } = await readSource(uri, "null");
    const reason = messageOf(error).split("\n", 1)[0];
    const message = `This object can't be written as JSON: ${sentence(reason ?? "")} Refer by \`$ref\` instead.`;
    return { source, diagnostics: [{ severity: "error", code: "syntax", message, source, pointer: "" }] };
  }
  return await readSource(uri, text);
}

async function readInput(input: string | Uint8Array): Promise<Reading> {
  if (input.length > LIMITS.bytes) {
    return failure("text-too-large", `The text has ${input.length} bytes; the limit is ${LIMITS.bytes}.`, 0);
  }
  if (typeof input === "string") return await readText(input);
  try {
    return await readText(new TextDecoder("utf-8", { fatal: true }).decode(input));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const offset = Math.max(0, decodeLeniently(input).indexOf("\ufffd"));
    return failure("invalid-utf8", "The text is not valid UTF-8 here. Save the file as UTF-8.", offset);
  }
}

function decodeLeniently(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

async function readText(text: string): Promise<Reading> {
  const looksLikeJson = /^\s*[{[]/.test(text);
  if (looksLikeJson) {
    try {
      const value: unknown = JSON.parse(text);
      const deep = typeof value === "object" && value !== null && isTooDeep(value, LIMITS.depth);
      return deep ? failure("too-deep", tooDeep(), 0) : { value, isJson: true, diagnostics: [] };
    } catch (error) {
      // A text with trailing commas or comments isn't JSON, but may be valid YAML. If not, the YAML errors are
      // returned.
      const reading = await readYaml(text);
      if (reading.diagnostics.length > 0) return reading;
      if (!/^\s*\{\s*"/.test(text)) return reading;
      const message = `This is not JSON (${jsonReason(error)}); it was read as YAML.`;
      return {
        ...reading,
        diagnostics: [{ severity: "warning", code: "not-json", message, offset: jsonOffset(error) }],
      };
    }
  }
  return await readYaml(text);
}

async function readYaml(text: string): Promise<Reading> {
  try {
    const value = load(text, YAML_OPTIONS);
    // Without anchors nothing is shared; and the parser has checked the depth. So `bounded` would find nothing.
    return ANCHOR.test(text) ? bounded(text, value) : { value, diagnostics: [] };
  } catch (error) {
    if (error instanceof YAMLException) {
      if (/depth/i.test(error.reason)) return failure("too-deep", tooDeep(), error.mark?.position ?? 0);
      return await explainSyntax(text, { message: error.reason, offset: error.mark?.position ?? 0 });
    }
    if (error instanceof RangeError) return failure("too-deep", tooDeep(), 0);
    throw error;
  }
}

/** Finds all syntax errors of a text after its first, unless the text is so large that this would take seconds. */
async function explainSyntax(text: string, first: { message: string; offset: number }): Promise<Reading> {
  if (text.length > LIMITS.manyErrors) return failure("syntax", sentence(first.message), first.offset);
  const { readBrokenYaml } = await import("./broken_yaml.ts");
  const broken = readBrokenYaml(text);
  if (broken === undefined) return failure("syntax", sentence(first.message), first.offset);
  const diagnostics = (broken.errors.length > 0 ? broken.errors.slice(0, LIMITS.syntaxErrors) : [first])
    .map(({ message, offset }): TextDiagnostic => ({ code: "syntax", message: sentence(message), offset }));
  const others = broken.errors.slice(LIMITS.syntaxErrors);
  if (others[0] !== undefined) {
    const are = others.length === 1 ? "is 1 more syntax error" : `are ${others.length} more syntax errors`;
    const message = `From here on there ${are}, which may be consequences of those before: fix these first.`;
    diagnostics.push({ code: "syntax", message, offset: others[0].offset });
  }
  const reading = bounded(text, broken.value);
  return { ...reading, diagnostics: [...diagnostics, ...reading.diagnostics], locate: broken.locate };
}

function failure(code: RuleCode, message: string, offset: number): Reading {
  return { value: undefined, diagnostics: [{ code, message, offset }] };
}

function tooDeep(): string {
  return `Objects and arrays are nested more than ${LIMITS.depth} deep.`;
}

/** Refuses values that are nested too deep, contain themselves, or grow out of proportion when aliases are expanded. */
function bounded(text: string, value: unknown): Reading {
  const size = measure(value);
  if (size === "circular") return failure("circular-alias", "An anchor contains an alias of itself.", 0);
  if (size.depth > LIMITS.depth) return failure("too-deep", tooDeep(), 0);
  const most = Math.max(LIMITS.values, text.length * 10);
  if (size.values > most) {
    const message = `The aliases expand to ${size.values.toExponential(0)} values; the limit is ${most}.`;
    return failure("alias-expansion", message, Math.max(0, text.indexOf("*")));
  }
  return { value, isShared: true, diagnostics: [] };
}

/**
 * Whether a value, whose parts are not shared, is nested deeper than `depth`. Must be fast: every JSON text is checked.
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

/** The size of a value. */
export interface Measure {
  /** Nesting of objects and arrays. */
  depth: number;
  /** Objects and arrays, counted as often as they are reached. */
  values: number;
}

/** Measures a value whose parts may be shared, in time that grows with its parts, not with their expansion. */
export function measure(value: unknown): Measure | "circular" {
  const done = new Map<object, Measure>();
  const stack: { object: object; children: object[]; next: number; measure: Measure }[] = [];
  const open = new Set<object>();
  const total: Measure = { depth: 0, values: 0 };
  const enter = (object: object): void => {
    open.add(object);
    stack.push({ object, children: objectsIn(object), next: 0, measure: { depth: 1, values: 1 } });
  };
  if (typeof value === "object" && value !== null) enter(value);
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const next = top.children[top.next++];
    if (next === undefined) {
      stack.pop();
      open.delete(top.object);
      done.set(top.object, top.measure);
      add(stack.at(-1)?.measure ?? total, top.measure);
    } else if (open.has(next)) {
      return "circular";
    } else {
      const known = done.get(next);
      if (known !== undefined) add(top.measure, known);
      else enter(next);
    }
  }
  return total;
}

function add(parent: Measure, part: Measure): void {
  parent.depth = Math.max(parent.depth, part.depth + 1);
  parent.values += part.values;
}

function objectsIn(parent: object): object[] {
  return Object.values(parent).filter((part): part is object => typeof part === "object" && part !== null);
}

function jsonReason(error: unknown): string {
  return messageOf(error).replace(/ in JSON at position.*| \(line.*/s, "");
}

function jsonOffset(error: unknown): number {
  return Number(/at position (\d+)/.exec(String(error))?.[1] ?? 0);
}

/** The message of a parser as a sentence. */
function sentence(remark: string): string {
  const text = remark.trim();
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}
