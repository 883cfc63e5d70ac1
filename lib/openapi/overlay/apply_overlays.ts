import { loadPatternReader, type ReadPattern } from "../../regexp/pattern.ts";
import { child, isObject, type Node } from "../../schema/json/node.ts";
import { formatPointer } from "../../schema/json/pointer.ts";
import type { Place, Source } from "../../schema/json/source.ts";
import { quote, show } from "../../schema/wording.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";
import type { RuleCode } from "../rules.ts";
import { LIMITS } from "../reading.ts";
import type { ReadSource } from "../text/source.ts";
import { measure } from "../text/yaml_source.ts";
import { keysOf } from "./found.ts";
import { type JsonPathLibrary, loadJsonPath } from "./json_path.ts";
import { MergedValue, type Mismatch, type Origin } from "./merged_value.ts";
import type { Action, Overlay } from "./read_overlay.ts";
import { Selector } from "./select.ts";
import { TooMuchWork, Work } from "./work.ts";

export const OVERLAY_LIMITS = {
  /** Budget of steps: visiting a node in a query takes 1, writing a value takes {@linkcode WRITE_STEPS}. */
  steps: 20_000_000,
} as const;

/**
 * Applies overlays to a definition, in their order.
 *
 * @param source The definition, as its author wrote it.
 * @param options `steps`: the budget. Default: {@linkcode OVERLAY_LIMITS}.
 * @returns The changed source, and the diagnostics of the overlays. If one of these is an error, the source is the
 * given one. The changed source still has the text of the definition; its `originOf` finds values in the overlays'
 * texts.
 */
export async function applyOverlays(
  source: Source,
  overlays: readonly Overlay[],
  { steps = OVERLAY_LIMITS.steps }: { steps?: number } = {},
): Promise<ReadSource> {
  const diagnostics = overlays.flatMap((overlay) => overlay.diagnostics);
  if (diagnostics.some(isError) || !isObject(source.value)) return { source, diagnostics };
  const library = await loadJsonPath();
  const readPattern = await loadPatternReader();
  const applier = new Applier(source, { library, readPattern, work: new Work(steps) });
  for (const overlay of overlays) {
    if (!applier.applyAll(overlay)) break;
  }
  diagnostics.push(...applier.diagnostics);
  const { merged } = applier;
  const tooLarge = excessOf(merged.value, source, overlays);
  if (tooLarge !== undefined) diagnostics.push(tooLarge);
  return { source: diagnostics.some(isError) ? source : sourceOf(merged, source), diagnostics };
}

function sourceOf(merged: MergedValue, source: Source): Source {
  const originOf = ({ pointer, atKey }: Place): Origin & Place => {
    return { ...merged.originOf(pointer), ...(atKey === undefined ? {} : { atKey }) };
  };
  return {
    ...source,
    value: merged.value,
    // An update with several targets writes one object to each of them, so parts of the value may be shared.
    isShared: true,
    originOf,
    locate: (places) => source.locate(places.map((place) => placeIn(source, originOf, place))),
  };
}

/**
 * The place of a value in the definition's own text. For a value that an overlay has added, this is the place of the
 * nearest enclosing value that wasn't added.
 */
function placeIn(source: Source, originOf: (place: Place) => Origin & Place, place: Place): Place {
  const origin = originOf(place);
  if (origin.source === source) return origin;
  return placeIn(source, originOf, { pointer: place.pointer.slice(0, place.pointer.lastIndexOf("/")) });
}

/**
 * Reports a definition that overlays have nested too deep, or have made too large: like YAML aliases, an update can
 * repeat values.
 */
function excessOf(
  value: unknown,
  source: Source,
  overlays: readonly Overlay[],
): UnlocatedDiagnostic | undefined {
  if (isWithinLimits(value, LIMITS.depth, { values: LIMITS.values })) return undefined;
  const size = measure(value);
  const refuse = (message: string): UnlocatedDiagnostic | undefined => {
    const last = overlays.at(-1)?.source ?? source;
    return { severity: "error", code: "bad-overlay", message, source: last, pointer: "" };
  };
  if (size === "circular" || size.depth > LIMITS.depth) {
    return refuse(`With its overlays, the definition is nested more than ${LIMITS.depth} deep.`);
  }
  const characters = [source, ...overlays.map(({ source }) => source)].reduce(
    (sum, { text }) => sum + text().length,
    0,
  );
  const most = Math.max(LIMITS.values, characters * 10);
  if (size.values <= most) return undefined;
  return refuse(`With its overlays, the definition has ${size.values.toExponential(0)} values; the limit is ${most}.`);
}

/**
 * Tells whether a value is within the limits, counting shared parts each time they occur. A quick test before
 * `measure`, which is exact but slower.
 */
function isWithinLimits(value: unknown, depth: number, left: { values: number }): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (depth === 0 || --left.values < 0) return false;
  if (Array.isArray(value)) return value.every((item) => isWithinLimits(item, depth - 1, left));
  for (const key in value) {
    if (!isWithinLimits((value as Record<string, unknown>)[key], depth - 1, left)) return false;
  }
  return true;
}

function isError({ severity }: UnlocatedDiagnostic): boolean {
  return severity === "error";
}

class Applier {
  readonly merged: MergedValue;
  readonly diagnostics: UnlocatedDiagnostic[] = [];
  readonly #options: { library: JsonPathLibrary; readPattern: ReadPattern; work: Work };
  #version: Overlay["version"] = "1.1";

  constructor(source: Source, options: { library: JsonPathLibrary; readPattern: ReadPattern; work: Work }) {
    this.#options = options;
    this.merged = new MergedValue(source, options.work);
  }

  /** Applies all actions of an overlay. Returns `false` if the budget was spent before the last one. */
  applyAll({ actions, version }: Overlay): boolean {
    this.#version = version;
    for (const action of actions) {
      try {
        this.#apply(action);
      } catch (error) {
        const isDeep = error instanceof RangeError;
        if (!isDeep && !(error instanceof TooMuchWork)) throw error;
        const reason = isDeep ? "the definition is nested too deep" : "it takes too much work";
        this.#report("error", `This action can't be applied: ${reason}.`, child(action.node, "target"));
        return false;
      }
    }
    return true;
  }

  #apply(action: Action): void {
    const { node, target, change } = action;
    const found = new Selector(this.merged.value, this.#options).select(target);
    if (found.length === 0) {
      const where = child(node, "target");
      this.#report("warning", `The target ${quote(String(where.value))} finds nothing.`, where, "unmatched-target");
      return;
    }
    const places = found.map(keysOf);
    if (change.kind === "remove") {
      if (places.some((keys) => keys.length === 0)) {
        return this.#report("error", "The whole definition can't be removed.", child(node, "target"));
      }
      return this.merged.remove(places);
    }
    const added = change.kind === "update" ? originAt(change.value) : this.#copied(action, change.from);
    if (added === undefined) return;
    const kinds = new Set(found.map(({ value }) => kindOf(value)));
    if (this.#version === "1.1" && kinds.size > 1) {
      const message = `The target finds ${[...kinds].join(" and ")}; an action changes values of one kind.`;
      return this.#report("error", message, child(node, "target"));
    }
    for (const keys of places) {
      this.merged.update(keys, added.value, added.origin, (mismatch) => this.#replaces(mismatch, node));
    }
  }

  /** The value that a `copy` action copies, with its origin; `undefined` after an error. */
  #copied({ node }: Action, from: Parameters<Selector["select"]>[0]): { value: unknown; origin: Origin } | undefined {
    const where = child(node, "copy");
    const found = new Selector(this.merged.value, this.#options).select(from);
    const [first] = found;
    if (first === undefined) {
      const message = `${quote(String(where.value))} finds nothing to copy.`;
      return this.#report("warning", message, where, "unmatched-target");
    }
    if (found.length > 1) {
      const message = `${quote(String(where.value))} finds ${found.length} values; one is copied at a time.`;
      return this.#report("error", message, where);
    }
    this.merged.share(first.value);
    return { value: first.value, origin: this.merged.originOf(formatPointer(keysOf(first))) };
  }

  /**
   * Reports that a value can't be merged with the existing one, since they are of different kinds: as an error in
   * Overlay 1.1, as a warning in Overlay 1.0. Returns whether the value replaces the existing one.
   */
  #replaces({ origin, before, after }: Mismatch, action: Node): boolean {
    const place = origin.source === action.source ? origin : child(action, "copy");
    // In Overlay 1.0, empty values such as `tags:` replace nothing: overlays that repeat the structure of the
    // definition often contain them.
    const isKept = this.#version === "1.0" && after === null;
    const what = `${show(after)} can't be merged with ${show(before)}`;
    const sentence = what.charAt(0).toUpperCase() + what.slice(1);
    if (this.#version === "1.1") {
      this.#report("error", `${sentence}: remove that first.`, place);
      return false;
    }
    this.#report("warning", `${sentence}, ${isKept ? "and is ignored" : "and replaces it"}.`, place);
    return !isKept;
  }

  #report(
    severity: UnlocatedDiagnostic["severity"],
    message: string,
    { source, pointer }: Pick<Node, "source" | "pointer">,
    code: RuleCode = "bad-overlay",
  ): undefined {
    this.diagnostics.push({ severity, code, message, source, pointer });
  }
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "arrays";
  return isObject(value) ? "objects" : "scalars";
}

function originAt({ value, source, pointer }: Node): { value: unknown; origin: Origin } {
  return { value, origin: { source, pointer } };
}
