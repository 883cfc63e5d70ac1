import { isEqual } from "../../../schema/json/equal.ts";
import { isObject, type JsonObject } from "../../../schema/json/node.ts";
import { formatPointer, parsePointer } from "../../../schema/json/pointer.ts";
import { setOwn } from "../../../schema/json/own_property.ts";

/** Limit of the operations in a patch. */
export const MOST_OPERATIONS = 1_000;
/**
 * Step budget of a patch: one step for each member of an object or array that is copied, compared or searched. The
 * budget also bounds the size of the result. Otherwise 30 `copy` operations could make a value of a gigabyte.
 */
export const MOST_PATCH_STEPS = 1_000_000;
/** Limit of the keys in a pointer. Otherwise repeated `copy` operations could nest a value ever deeper. */
const MOST_DEPTH = 500;

/** The patched value, or the error of a patch that fails. */
export type Patched =
  | { readonly kind: "value"; readonly value: unknown }
  | {
    readonly kind: "failed";
    /**
     * 400 if the patch is invalid, 409 if it doesn't apply to the value (such as a failed `test`), 413 if it exceeds
     * the step budget.
     */
    readonly status: 400 | 409 | 413;
    /** Which part of the patch failed, and why. */
    readonly detail: string;
  };

/** An operation of a JSON Patch (RFC 6902, section 4), with its pointers parsed. */
type Operation =
  | { readonly op: "add" | "replace" | "test"; readonly path: Path; readonly value: unknown }
  | { readonly op: "remove"; readonly path: Path }
  | { readonly op: "move" | "copy"; readonly path: Path; readonly from: Path };

type Path = readonly string[];

interface Steps {
  left: number;
}

class PatchError extends Error {
  constructor(readonly status: 400 | 409 | 413, message: string) {
    super(message);
  }
}

/** Applies a JSON Patch (RFC 6902) atomically. The given value isn't changed; the result shares its unchanged parts. */
export function applyJsonPatch(value: unknown, patch: unknown): Patched {
  if (!Array.isArray(patch)) return failed(400, "A JSON Patch is an array of operations (RFC 6902, section 3).");
  if (patch.length > MOST_OPERATIONS) {
    return failed(413, `A patch may have at most ${MOST_OPERATIONS} operations; this one has ${patch.length}.`);
  }
  const steps = { left: MOST_PATCH_STEPS };
  let patched = value;
  for (const [index, written] of patch.entries()) {
    try {
      patched = applyOperation(patched, readOperation(written), steps);
    } catch (error) {
      if (!(error instanceof PatchError)) throw error;
      return failed(error.status, `Operation ${index} of the patch ${error.message}.`);
    }
  }
  return { kind: "value", value: patched };
}

function failed(status: 400 | 409 | 413, detail: string): Patched {
  return { kind: "failed", status, detail };
}

function readOperation(written: unknown): Operation {
  if (!isObject(written)) throw new PatchError(400, "is not an object");
  const op = written["op"];
  const path = readPath(written, "path");
  switch (op) {
    case "add":
    case "replace":
    case "test":
      if (!Object.hasOwn(written, "value")) throw new PatchError(400, `("${op}") has no "value"`);
      return { op, path, value: written["value"] };
    case "remove":
      return { op, path };
    case "move":
    case "copy":
      return { op, path, from: readPath(written, "from") };
    default:
      throw new PatchError(400, 'must have an "op" of add, remove, replace, move, copy or test');
  }
}

function readPath(written: JsonObject, key: "path" | "from"): Path {
  const pointer = Object.hasOwn(written, key) ? written[key] : undefined;
  if (typeof pointer !== "string" || (pointer !== "" && !pointer.startsWith("/"))) {
    throw new PatchError(400, `must have a JSON Pointer as its "${key}"`);
  }
  const path = parsePointer(pointer);
  if (path.length > MOST_DEPTH) throw new PatchError(413, `has a pointer of more than ${MOST_DEPTH} keys`);
  return path;
}

function applyOperation(value: unknown, operation: Operation, steps: Steps): unknown {
  const { path } = operation;
  switch (operation.op) {
    case "add":
      return add(value, path, operation.value, steps);
    case "remove":
      return remove(value, path, steps);
    case "replace":
      valueAt(value, path);
      return path.length === 0 ? operation.value : change(value, path, steps, (parent, key) => {
        if (Array.isArray(parent)) parent[Number(key)] = operation.value;
        else setOwn(parent, key, operation.value);
      });
    case "move":
      return move(value, operation.from, path, steps);
    case "copy": {
      const copied = valueAt(value, operation.from);
      spendSizeOf(copied, steps);
      return add(value, path, copied, steps);
    }
    case "test":
      spendSizeOf(operation.value, steps);
      if (!isEqual(valueAt(value, path), operation.value)) {
        throw new PatchError(409, `tests "${format(path)}" for another value than the one that is there`);
      }
      return value;
  }
}

function add(value: unknown, path: Path, added: unknown, steps: Steps): unknown {
  if (path.length === 0) return added;
  return change(value, path, steps, (parent, key) => {
    if (!Array.isArray(parent)) return setOwn(parent, key, added);
    const index = key === "-" ? parent.length : indexOf(key);
    if (index === undefined || index > parent.length) throw new PatchError(409, `has no place "${format(path)}"`);
    parent.splice(index, 0, added);
  });
}

function remove(value: unknown, path: Path, steps: Steps): unknown {
  valueAt(value, path);
  if (path.length === 0) throw new PatchError(409, "removes the whole item");
  return change(value, path, steps, (parent, key) => {
    if (Array.isArray(parent)) parent.splice(Number(key), 1);
    else delete parent[key];
  });
}

function move(value: unknown, from: Path, path: Path, steps: Steps): unknown {
  const moved = valueAt(value, from);
  if (from.length === path.length && from.every((token, index) => token === path[index])) return value;
  if (from.length < path.length && from.every((token, index) => token === path[index])) {
    throw new PatchError(409, `moves "${format(from)}" into itself`);
  }
  return add(remove(value, from, steps), path, moved, steps);
}

/** Copies the objects and arrays on a path, and changes the copy of the innermost. */
function change(
  value: unknown,
  path: Path,
  steps: Steps,
  edit: (parent: JsonObject | unknown[], key: string) => void,
): unknown {
  const copyAt = (depth: number, original: unknown): unknown => {
    const key = path[depth] ?? "";
    const copy = copyOf(original, steps);
    if (copy === undefined) throw new PatchError(409, `finds no object or array at "${format(path.slice(0, depth))}"`);
    if (depth === path.length - 1) {
      edit(copy, key);
      return copy;
    }
    const inner = copyAt(depth + 1, valueAt(original, [key], path.slice(0, depth)));
    if (Array.isArray(copy)) copy[Number(key)] = inner;
    else setOwn(copy, key, inner);
    return copy;
  };
  return copyAt(0, value);
}

function copyOf(value: unknown, steps: Steps): JsonObject | unknown[] | undefined {
  if (Array.isArray(value)) {
    spend(steps, value.length + 1);
    return [...value];
  }
  if (!isObject(value)) return undefined;
  const copy = { ...value };
  spend(steps, Object.keys(copy).length + 1);
  return copy;
}

/**
 * The value at a path.
 *
 * @throws {PatchError} If nothing is there.
 */
function valueAt(value: unknown, path: Path, outer: Path = []): unknown {
  let at = value;
  for (const [depth, token] of path.entries()) {
    const isThere = Array.isArray(at)
      ? (indexOf(token) ?? at.length) < at.length
      : isObject(at) && Object.hasOwn(at, token);
    if (!isThere) throw new PatchError(409, `finds nothing at "${format([...outer, ...path.slice(0, depth + 1)])}"`);
    at = (at as JsonObject)[token];
  }
  return at;
}

/** An array index (RFC 6901, section 4): digits without leading zeros; `undefined` for other texts. */
function indexOf(token: string): number | undefined {
  return /^(?:0|[1-9]\d{0,9})$/.test(token) ? Number(token) : undefined;
}

function spend(steps: Steps, count: number): void {
  steps.left -= count;
  if (steps.left < 0) throw new PatchError(413, `goes beyond the ${MOST_PATCH_STEPS} steps that a patch may take`);
}

/** Spends a step for each object, array, scalar and member within a value. */
function spendSizeOf(value: unknown, steps: Steps): void {
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    spend(steps, 1);
    if (typeof next !== "object" || next === null) continue;
    const members = Object.values(next);
    spend(steps, members.length);
    for (const member of members) pending.push(member);
  }
}

/** Limit of the characters of a pointer that a message shows. */
const MOST_SHOWN = 100;

function format(path: Path): string {
  const pointer = formatPointer(path);
  return pointer.length > MOST_SHOWN ? `${pointer.slice(0, MOST_SHOWN)}…` : pointer;
}
