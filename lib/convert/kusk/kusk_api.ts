/**
 * Converts the custom resource `API` of Kusk Gateway into gw's custom resource `API`.
 *
 * @module
 */
import { stringify } from "yaml";
import { readSource } from "../../openapi/text/source.ts";
import { isObject, type JsonObject } from "../../schema/json/node.ts";
import type { Source } from "../../schema/json/source.ts";
import type { Conversion, Leftover } from "../conversion.ts";
import { convertKusk } from "./kusk.ts";

const KUSK_GROUP = "gateway.kusk.io/";

/** JSON Pointer of the definition, a string, in Kusk's custom resource. */
const DEFINITION = "/spec/spec";

/** Tells whether a text is a custom resource `API` of Kusk with a definition. */
export function isKuskApi({ value }: Source): boolean {
  return definitionOf(value) !== undefined;
}

/** Converts a custom resource `API` of Kusk: its definition, its fleet and its metadata. */
export async function convertKuskApi({ value }: Source): Promise<Conversion> {
  const text = definitionOf(value);
  if (text === undefined || !isObject(value) || !isObject(value["spec"])) return { text: "", leftovers: [] };
  const { source, diagnostics } = await readSource("definition", text);
  const broken = diagnostics.map(({ message }) => ({
    pointer: DEFINITION,
    message: `The definition can't be read: ${message}`,
  }));
  const converted = broken.length > 0 ? { text, leftovers: broken } : await convertKusk(source);
  const { fleet } = value["spec"];
  const resource = {
    apiVersion: "gateway.x-svc.io/v1alpha1",
    kind: "API",
    metadata: value["metadata"],
    spec: { ...fleet === undefined ? {} : { fleet }, openapi: converted.text },
  };
  const leftovers = converted.leftovers.map((leftover) => ({
    ...leftover,
    pointer: leftover.pointer.startsWith(DEFINITION) ? leftover.pointer : `${DEFINITION}${leftover.pointer}`,
  }));
  return {
    text: stringify(resource, { lineWidth: 0, aliasDuplicateObjects: false }),
    leftovers: [...leftovers, ...othersOf(value["spec"])],
  };
}

/** Reports the keys of the spec that gw's custom resource hasn't: all but the definition and the fleet. */
function othersOf(spec: JsonObject): Leftover[] {
  return Object.keys(spec).filter((key) => key !== "spec" && key !== "fleet")
    .map((key) => ({ pointer: `/spec/${key}`, message: `gw's resource has no ${key}.`, atKey: true }));
}

/** Returns the text of the definition in a custom resource `API` of Kusk; `undefined` if the value isn't one. */
function definitionOf(value: unknown): string | undefined {
  if (!isObject(value) || value["kind"] !== "API" || !isObject(value["spec"])) return undefined;
  const { apiVersion } = value;
  const { spec } = value["spec"];
  const isKusks = typeof apiVersion === "string" && apiVersion.startsWith(KUSK_GROUP);
  return isKusks && typeof spec === "string" ? spec : undefined;
}
