/**
 * Reads a small configuration object by a table of its fields: what fits becomes a typed value, what doesn't is
 * reported with its place. The table is tied to the type: a field that one has and the other lacks doesn't compile.
 *
 * @module
 */
import { suggest } from "../../http/message.ts";
import { child, entries, isObject, items, type Node } from "../../schema/node.ts";
import { list, quote, show } from "../../schema/wording.ts";

/** What a value has to be like. */
export type Shape = BooleanShape | NumberShape | TextShape | ListShape | ObjectShape;

/** `true` or `false`. */
export interface BooleanShape {
  kind: "boolean";
}

/** A number, from `least` to `most`, or one of `among`. */
export interface NumberShape {
  kind: "number";
  whole?: boolean;
  least?: number;
  most?: number;
  among?: readonly number[];
}

/** A string, of some syntax, or one of `among`. */
export interface TextShape {
  kind: "text";
  among?: readonly string[];
  syntax?: Syntax;
}

/** What a string must look like, and how a message says it: "a path that starts with `/`". */
export interface Syntax {
  accepts: (text: string) => boolean;
  description: string;
  /** A regular expression, of RE2 too, that all accepted texts match: for schemas, which have no functions. */
  pattern?: string;
}

/** A list of values of one shape. */
export interface ListShape<Item extends Shape = Shape> {
  kind: "list";
  items: Item;
  /** Whether it must have an item. */
  filled?: boolean;
}

/** An object with these fields and no others. */
export interface ObjectShape<T = Record<string, unknown>> {
  kind: "object";
  fields: FieldShapes<T>;
  required?: readonly (keyof T & string)[];
  /** Of these fields there must be exactly one. */
  exactlyOne?: readonly (keyof T & string)[];
  /** Of these fields there must be one at least. */
  someOf?: readonly (keyof T & string)[];
}

/** The shape of each field of a type. */
export type FieldShapes<T> = string extends keyof T ? Record<string, Shape>
  : { [Field in keyof T]-?: ShapeOf<NonNullable<T[Field]>> };

/** The shape that values of a type have. */
export type ShapeOf<T> = [T] extends [boolean] ? BooleanShape
  : [T] extends [number] ? NumberShape
  : [T] extends [string] ? TextShape
  : T extends readonly (infer Item)[] ? ListShape<Extract<ShapeOf<Item>, Shape>>
  : ObjectShape<T>;

/** Something that doesn't fit. */
export interface Misfit {
  kind: "unknown-key" | "misplaced-key" | "bad-value";
  message: string;
  /** The value, or the key, that doesn't fit. */
  node: Node;
}

/**
 * Reads a value of a shape.
 *
 * @param node The value.
 * @param shape What it has to be like.
 * @param label How messages name it: `x-svc.cors`.
 * @param report Told of everything that doesn't fit.
 * @returns The value without the optional parts that don't fit; `undefined` when it doesn't fit itself.
 */
export function readShape<T>(
  node: Node,
  shape: ShapeOf<T> & Shape,
  label: string,
  report: (misfit: Misfit) => void,
): T | undefined {
  // The shape is that of T by its type, so what was read by it is a T.
  return read(node, shape, label, report) as T | undefined;
}

function read(node: Node, shape: Shape, label: string, report: (misfit: Misfit) => void): unknown {
  switch (shape.kind) {
    case "object":
      return isObject(node.value) ? readObject(node, shape, label, report) : refuse("an object with fields");
    case "list":
      if (!Array.isArray(node.value)) return refuse("a list");
      if (shape.filled === true && node.value.length === 0) return refuse("a list with an item at least");
      return readList(node, shape, label, report);
    case "boolean":
      return typeof node.value === "boolean" ? node.value : refuse("true or false");
    case "number":
      return isNumber(node.value, shape) ? node.value : refuse(describeNumber(shape));
    case "text":
      return isText(node.value, shape) ? node.value : refuse(describeText(shape));
  }

  function refuse(wanted: string): undefined {
    report({ kind: "bad-value", message: `\`${label}\` must be ${wanted}, not ${show(node.value)}.`, node });
    return undefined;
  }
}

function readList(node: Node, shape: ListShape, label: string, report: (misfit: Misfit) => void): unknown {
  const values = items(node)
    .map((item, index) => read(item, shape.items, `${label}[${index}]`, report))
    .filter((value) => value !== undefined);
  return shape.filled === true && values.length === 0 ? undefined : values;
}

function readObject(node: Node, shape: ObjectShape, label: string, report: (misfit: Misfit) => void): unknown {
  const value: Record<string, unknown> = {};
  for (const [field, given] of entries(node)) {
    const fieldShape = Object.hasOwn(shape.fields, field) ? shape.fields[field] : undefined;
    if (fieldShape === undefined) {
      report({ kind: "unknown-key", message: unknownKey(field, label, Object.keys(shape.fields)), node: given });
      continue;
    }
    const fieldValue = read(given, fieldShape, `${label}.${field}`, report);
    if (fieldValue !== undefined) value[field] = fieldValue;
  }

  const given = (field: string): boolean => child(node, field).value !== undefined;
  const refusals: string[] = [];
  for (const field of shape.required ?? []) {
    if (!given(field)) refusals.push(`\`${label}\` needs the field ${quote(field)}.`);
  }
  if (shape.exactlyOne !== undefined && shape.exactlyOne.filter(given).length !== 1) {
    const found = shape.exactlyOne.filter(given).length === 0 ? "it has none of them" : "it has both";
    refusals.push(`\`${label}\` needs exactly one of ${list(shape.exactlyOne)}; ${found}.`);
  }
  if (shape.someOf !== undefined && !shape.someOf.some(given)) {
    refusals.push(`\`${label}\` needs one of ${list(shape.someOf)} at least.`);
  }
  for (const message of refusals) report({ kind: "bad-value", message, node });
  const has = (field: string): boolean => Object.hasOwn(value, field);
  const { required = [], exactlyOne, someOf } = shape;
  const isComplete = required.every(has) && (exactlyOne?.some(has) ?? true) && (someOf?.some(has) ?? true);
  return refusals.length === 0 && isComplete ? value : undefined;
}

/** Says that a key isn't known, and which one may be meant. */
export function unknownKey(key: string, label: string, known: readonly string[]): string {
  const [nearest] = suggest(key, known);
  const advice = nearest === undefined ? `Its keys are ${list(known)}.` : `Did you mean ${quote(nearest)}?`;
  return `\`${label}\` has no key ${quote(key)}. ${advice}`;
}

function isNumber(value: unknown, { whole, least, most, among }: NumberShape): boolean {
  return typeof value === "number" && Number.isFinite(value) &&
    (among?.includes(value) ?? true) &&
    (whole !== true || Number.isInteger(value)) &&
    value >= (least ?? -Infinity) && value <= (most ?? Infinity);
}

function describeNumber({ whole, least, most, among }: NumberShape): string {
  if (among !== undefined) return `one of ${among.join(", ")}`;
  const kind = whole === true ? "a whole number" : "a number";
  if (least !== undefined && most !== undefined) return `${kind} from ${least} to ${most}`;
  return least === undefined ? kind : `${kind}, ${least} or more`;
}

function isText(value: unknown, { among, syntax }: TextShape): boolean {
  return typeof value === "string" && (among?.includes(value) ?? true) && (syntax?.accepts(value) ?? true);
}

function describeText({ among, syntax }: TextShape): string {
  return among === undefined ? syntax?.description ?? "a string" : `one of ${list(among)}`;
}
