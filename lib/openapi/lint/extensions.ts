import type { Document } from "../document.ts";
import { EXTENSION, readLevel } from "../extension/extension.ts";
import type { CorsSettings, Level, Rewrite } from "../extension/settings.ts";
import { child, items, type Node, stringOf } from "../../schema/json/node.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";
import { type Kind, oneOfKind } from "../../schema/kinds.ts";
import type { PlacedObject } from "./objects.ts";
import { atKey, error, warning } from "./report.ts";
import type { CheckedRewrite } from "../extension/rewrite_pattern.ts";
import type { ConfiguredOperation } from "./operations.ts";
import { writeJson } from "../../schema/json/json.ts";

/** The kinds of objects that may have an `x-svc`, with the level of its settings. */
export const LEVELS: Partial<Record<Kind, Level>> = { OpenAPI: "root", PathItem: "path", Operation: "operation" };

/** Finds mistakes in the `x-svc` of objects, and objects in which an `x-svc` has no effect. */
export function checkExtensions(document: Document, objects: readonly PlacedObject[]): UnlocatedDiagnostic[] {
  return objects.flatMap(({ kind, node }) => {
    const level = LEVELS[kind];
    if (level !== undefined) return readLevel(document, node, level).diagnostics;
    const extension = child(node, EXTENSION);
    if (extension.value === undefined || kind === "Example") return [];
    const message = `\`${EXTENSION}\` has no meaning in ${oneOfKind(kind)}; ` +
      "move it to the operation, the path or the top of the definition.";
    return [atKey(warning("misplaced-extension", message, extension))];
  });
}

/**
 * Refuses values of `x-svc` that are well-formed, but unsafe or unsupported.
 *
 * @module
 */

/** Limit of the compiled RE2 instructions of all patterns in a definition together. */
const MOST_INSTRUCTIONS = 200_000;
const TOO_MANY = `the patterns of this definition have more than ${MOST_INSTRUCTIONS} instructions in all`;

/** Origins that match every website: `*`, and wildcards of the Gateway API such as `https://*`. */
const ANY_ORIGIN = /^(?:[a-z][-a-z0-9+.]*:\/\/)?\*(?::\d+)?$/i;

/**
 * Whether CORS settings allow every website to send requests with its visitor's credentials and to read the responses.
 */
export function sharesCredentialsWithAll({ origins = [], credentials = false }: CorsSettings): boolean {
  return credentials && origins.some((origin) => ANY_ORIGIN.test(origin));
}

/**
 * Finds `cors` settings that, once all levels are merged, allow credentials for all origins. A place is reported once,
 * even if many operations inherit the settings from it.
 */
export function checkCors(document: Document, operations: readonly ConfiguredOperation[]): UnlocatedDiagnostic[] {
  const places = [readLevel(document, document.root, "root"), ...operations.map(({ extension }) => extension)];
  const nodes = places.flatMap(({ settings: { cors }, origins }) =>
    cors !== undefined && origins.cors !== undefined && sharesCredentialsWithAll(cors) ? [origins.cors] : []
  );
  const message = `\`${EXTENSION}.cors\` can't have \`credentials: true\` for all origins: every website could read ` +
    "answers with the credentials of its visitors. Name the origins instead of `*`, or remove `credentials`.";
  return distinct(nodes).map((node) => error("open-credentials", message, node));
}

/** Finds rewrites that can't be deployed, for example because RE2 doesn't support their pattern. */
export async function checkRewrites(objects: readonly PlacedObject[]): Promise<UnlocatedDiagnostic[]> {
  const written = objects.flatMap(({ kind, node }) => LEVELS[kind] === undefined ? [] : rewritesIn(node));
  if (written.length === 0) return [];
  const { checkRewrite } = await import("../extension/rewrite_pattern.ts");
  const known = new Map<string, CheckedRewrite>();
  let instructions = 0;
  return written.flatMap(({ rewrite, node }) => {
    const key = writeJson([rewrite.pattern, rewrite.substitution]);
    const checked = known.get(key) ??
      (instructions > MOST_INSTRUCTIONS ? { reason: TOO_MANY, instructions: 0 } : checkRewrite(rewrite));
    if (!known.has(key)) instructions += checked.instructions;
    known.set(key, checked);
    if (checked.reason === undefined) return [];
    const message = `This rewrite can't be done: ${checked.reason}. Write its \`pattern\` as a regular expression ` +
      "of RE2, and the first group as `\\1` in its `substitution`.";
    return [error("bad-extension-value", message, child(node, "pattern"))];
  });
}

/** The rewrites in the `x-svc` of an object. A rewrite that lacks `pattern` or `substitution` is left out. */
function rewritesIn(object: Node): { rewrite: Rewrite; node: Node }[] {
  const extension = child(object, EXTENSION);
  return [child(extension, "upstream"), ...items(child(extension, "upstreams"))].flatMap((upstream) => {
    const node = child(upstream, "rewrite");
    const [pattern, substitution] = [stringOf(child(node, "pattern")), stringOf(child(node, "substitution"))];
    return pattern === undefined || substitution === undefined ? [] : [{ rewrite: { pattern, substitution }, node }];
  });
}

function distinct(nodes: readonly Node[]): Node[] {
  return [...new Map(nodes.map((node) => [keyOf(node), node])).values()];
}

function keyOf({ source, pointer }: Node): string {
  return `${source.uri}#${pointer}`;
}
