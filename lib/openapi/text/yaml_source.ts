/**
 * Parses YAML. This module is imported for the first text that isn't JSON, since the parser is large.
 *
 * @module
 */
import { load, mergeTag, YAMLException } from "js-yaml";
import { EXACT_CORE_SCHEMA } from "./exact_yaml.ts";
import { failure, LIMITS, type Reading, sentence, type TextDiagnostic, tooDeep } from "../reading.ts";
import { locateInYaml } from "./yaml_text.ts";

const YAML_SCHEMA = EXACT_CORE_SCHEMA.withTags(mergeTag);
const YAML_OPTIONS = { schema: YAML_SCHEMA, maxDepth: LIMITS.depth, maxTotalMergeKeys: 100_000 };

/** The syntax of a YAML anchor. Other text may match too; then the value is checked for aliases in vain. */
const ANCHOR = /(?:^|[\s,[{])&[^\s,[\]{}]/m;

/** Parses a text as YAML. */
export async function readYaml(text: string): Promise<Reading> {
  return { locate: (places) => locateInYaml(text, places), ...await readValue(text) };
}

async function readValue(text: string): Promise<Reading> {
  try {
    const value = load(text, YAML_OPTIONS);
    // Without anchors no value is shared, and the parser itself has checked the depth, so `bounded` would find nothing.
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

/** Finds the further syntax errors of a text, unless the text is so large that this would take seconds. */
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

/**
 * Refuses values that are nested too deep, that contain themselves, or that expand to too many values through aliases.
 */
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

export interface Measure {
  /** Depth of the nesting of objects and arrays. */
  depth: number;
  /** Number of objects and arrays; a shared one is counted each time it is reached. */
  values: number;
}

/**
 * Measures a value that may have shared parts. Takes time in proportion to its distinct parts, not to their expansion.
 */
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
