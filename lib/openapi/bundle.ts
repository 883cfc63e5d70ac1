import type { Document } from "./document.ts";
import { isObject, type JsonObject } from "../schema/json/node.ts";
import { rewriteReferences } from "./rewrite_references.ts";
import { resolveUri, withoutFragment } from "../schema/json/uri.ts";
import type { Source } from "../schema/json/source.ts";
import { writeJson } from "../schema/json/json.ts";

/** A definition with all documents that it refers to, as one text. */
export interface Bundle {
  readonly text: string;
  readonly isJson: boolean;
  /** Finds the document that a value of the bundle comes from, and the place of the value in that document. */
  readonly originOf: (pointer: string) => { source: Source; pointer: string };
}

/** The key of the root object under which a bundle contains the referenced documents. */
const CONTAINER = "x-bundled";

/**
 * Bundles a definition with the documents that it refers to. Each of these becomes a value inside the bundle, and
 * references to it are rewritten.
 *
 * @returns `undefined` for a definition that refers to no other document, and for a definition with `$id` or `$anchor`,
 * since bundling would change their base URIs.
 */
export function bundle({ uri, written, sources, named }: Document): Bundle | undefined {
  const others = [...sources.values()].filter((source) => source.uri !== uri);
  if (others.length === 0 || named.size > 0 || !isObject(written.value)) return undefined;
  const root = written.value;
  const container = freeKey(root);
  const places = new Map([[uri, ""], ...others.map(({ uri }, index) => [uri, `/${container}/${index}`] as const)]);
  const text = writeJson({
    ...rewrite(root, written.source) as JsonObject,
    [container]: others.map((source) => rewrite(source.value, source)),
  });
  return { text, isJson: true, originOf };

  function rewrite(value: unknown, source: Source): unknown {
    return rewriteReferences(value, { rewrite: (reference) => rewriteReference(places, reference, source) });
  }

  function originOf(pointer: string): { source: Source; pointer: string } {
    const [, first, number, ...rest] = pointer.split("/");
    const source = first === container ? others[Number(number)] : undefined;
    return source === undefined
      ? { source: written.source, pointer }
      : { source, pointer: rest.map((token) => `/${token}`).join("") };
  }
}

/** JSON Pointers of the bundled documents, by their URIs. */
type Places = ReadonlyMap<string, string>;

/** Rewrites a reference to its target in the bundle. A broken reference is left unchanged. */
function rewriteReference(places: Places, reference: string, source: Source): string {
  const target = resolveUri(reference, source.uri);
  const place = places.get(withoutFragment(target));
  const fragment = target.slice(withoutFragment(target).length + 1);
  return place === undefined || !/^(\/|$)/.test(fragment) ? reference : `#${place}${fragment}`;
}

function freeKey(root: JsonObject): string {
  let key = CONTAINER;
  while (Object.hasOwn(root, key)) key += "-";
  return key;
}
