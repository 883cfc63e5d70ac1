import type { Document } from "./document.ts";
import { isObject, type JsonObject } from "../schema/node.ts";
import { DATA, MAPS } from "./scan.ts";
import { resolveUri, withoutFragment } from "../schema/uri.ts";
import type { Source } from "../schema/source.ts";

/** A definition and all that it refers to, as one text. */
export interface Bundle {
  /** The text, as JSON. */
  readonly text: string;
  /** Where a value of the text was written: in which of the texts that were bundled, and where there. */
  readonly originOf: (pointer: string) => { source: Source; pointer: string };
}

/** Under which key of the root the other texts are. */
const CONTAINER = "x-bundled";

/**
 * Makes one text of a definition that refers to others: each of them becomes a part of it, and references lead there.
 *
 * @returns `undefined` for a definition that refers to no other text, and for one whose schemas have names of their own
 * (`$id`, `$anchor`): what they are relative to would change.
 */
export function bundle({ uri, written, sources, named }: Document): Bundle | undefined {
  const others = [...sources.values()].filter((source) => source.uri !== uri);
  if (others.length === 0 || named.size > 0 || !isObject(written.value)) return undefined;
  const root = written.value;
  const container = freeKey(root);
  const places = new Map([[uri, ""], ...others.map(({ uri }, index) => [uri, `/${container}/${index}`] as const)]);
  const text = JSON.stringify({
    ...rewritten(root, written.source, false) as JsonObject,
    [container]: others.map((source) => rewritten(source.value, source, false)),
  });
  return { text, originOf };

  function originOf(pointer: string): { source: Source; pointer: string } {
    const [, first, number, ...rest] = pointer.split("/");
    const source = first === container ? others[Number(number)] : undefined;
    return source === undefined
      ? { source: written.source, pointer }
      : { source, pointer: rest.map((token) => `/${token}`).join("") };
  }

  /** A value with its references rewritten; what is data of the API stays as it is. */
  function rewritten(value: unknown, source: Source, isMap: boolean): unknown {
    if (Array.isArray(value)) return value.map((item) => rewritten(item, source, false));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => {
        if (!isMap && key === "$ref" && typeof part === "string") return [key, moved(part, source)];
        if (!isMap && key === "discriminator" && isObject(part)) return [key, withMapping(part, source)];
        return [key, !isMap && DATA.has(key) ? part : rewritten(part, source, !isMap && MAPS.has(key))];
      }),
    );
  }

  function withMapping(discriminator: JsonObject, source: Source): JsonObject {
    const { mapping } = discriminator;
    if (!isObject(mapping)) return discriminator;
    const entries = Object.entries(mapping).map(([name, target]) => [
      name,
      typeof target === "string" && /[#/]|\.(json|ya?ml)$/.test(target) ? moved(target, source) : target,
    ]);
    return { ...discriminator, mapping: Object.fromEntries(entries) };
  }

  /** A reference as it leads to the same place in the bundle; one that leads nowhere stays. */
  function moved(reference: string, source: Source): string {
    const target = resolveUri(reference, source.uri);
    const place = places.get(withoutFragment(target));
    const fragment = target.slice(withoutFragment(target).length + 1);
    return place === undefined || !/^(\/|$)/.test(fragment) ? reference : `#${place}${fragment}`;
  }
}

function freeKey(root: JsonObject): string {
  let key = CONTAINER;
  while (Object.hasOwn(root, key)) key += "-";
  return key;
}
