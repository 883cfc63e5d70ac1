import type { Document } from "../document.ts";
import { EXTENSION, type ExtensionSettings, type Level, levelsOf } from "./settings.ts";
import { child, entries, isObject, items, type Node } from "../../schema/json/node.ts";
import type { Operation } from "../operation.ts";
import type { RuleCode, Severity } from "../rules.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";

export { EXTENSION, type ExtensionSettings } from "./settings.ts";

/** The `x-svc` of an operation, merged from root, path and operation level. */
export interface Extension {
  /** The settings that are valid. */
  readonly settings: Readonly<ExtensionSettings>;
  /**
   * The place of each setting in the definition, for diagnostics. If several levels were merged, this is the innermost.
   */
  readonly origins: Readonly<Partial<Record<keyof ExtensionSettings, Node>>>;
  /** The problems in the `x-svc` of the operation, of its path and of the root. */
  readonly diagnostics: readonly UnlocatedDiagnostic[];
}

/** The extension of an operation without settings. One object is shared, since most operations have none. */
const NONE: Extension = { settings: {}, origins: {}, diagnostics: [] };

/** Settings that exclude each other: one of them at an inner level overrides all of them at outer levels. */
const ACTIONS = ["redirect", "upstream", "upstreams"] as const;

/**
 * Creates a function that reads the settings of a definition's operations. A setting of the operation overrides the
 * setting of its path, which overrides the setting of the root. `path`, `qos`, `cors` and `mocking` are merged field by
 * field. One of `redirect`, `upstream` and `upstreams` overrides all three of the outer levels.
 *
 * The `x-svc` of the root and of each path is read once, so its diagnostics are the same objects for all operations.
 * For an operation without `node`, the function returns the settings of the path.
 *
 * @param severity The severity of unknown keys and bad values. Default: `error`.
 */
export function createExtensionReader(
  document: Document,
  severity: Severity = "error",
): (operation: Pick<Operation, "pathItems"> & Partial<Pick<Operation, "node">>) => Extension {
  const root = readLevel(document, document.root, "root", severity);
  const paths = new Map<Node, Extension>();
  return ({ node, pathItems }) => {
    let extension = root;
    for (const pathItem of pathItems.toReversed()) {
      if (!hasExtension(pathItem)) continue;
      const known = paths.get(pathItem) ?? readLevel(document, pathItem, "path", severity);
      paths.set(pathItem, known);
      extension = merge(extension, known);
    }
    return node !== undefined && hasExtension(node)
      ? merge(extension, readLevel(document, node, "operation", severity))
      : extension;
  };
}

/**
 * Reads the `x-svc` settings of one operation, merged with those of its path and of the root. For many operations,
 * {@linkcode createExtensionReader} is faster, since it reads the outer levels once.
 */
export function readExtension(operation: Operation, severity: Severity = "error"): Extension {
  return createExtensionReader(operation.document, severity)(operation);
}

/** Reads the `x-svc` of one object (root, path or operation), without merging the outer levels. */
export function readLevel(
  document: Document,
  node: Node,
  level: Level,
  severity: Severity = "error",
): Extension {
  const { validateSettings } = document;
  if (validateSettings === undefined || !hasExtension(node)) return NONE;
  const extension = child(node, EXTENSION);
  if (!isObject(extension.value)) {
    const message = `\`${EXTENSION}\` must be an object with fields, such as \`mocking: {enabled: true}\`.`;
    return {
      settings: {},
      origins: {},
      diagnostics: [diagnosticAt(extension, "bad-extension-value", message, severity)],
    };
  }
  const placed: [string, unknown][] = [];
  const diagnostics: UnlocatedDiagnostic[] = [];
  for (const [key, node] of entries(extension)) {
    if (levelsOf(key).includes(level)) placed.push([key, node.value]);
    else diagnostics.push(diagnosticAt(node, "misplaced-extension-key", misplacedKey(key, level), severity));
  }
  const { settings, violations } = validateSettings(Object.fromEntries(placed.map(expandShortForm)), EXTENSION);
  for (const { kind, message, path } of violations) {
    const code = kind === "unknown-key" ? "unknown-extension-key" : "bad-extension-value";
    diagnostics.push(diagnosticAt(path.reduce(child, extension), code, message, severity));
  }
  for (const { node, message } of contradictionsIn(extension, settings)) {
    diagnostics.push(diagnosticAt(node, "bad-extension-value", message, severity));
  }
  const origins = Object.fromEntries(Object.keys(settings).map((key) => [key, child(extension, key)]));
  return { settings, origins, diagnostics };
}

/** Expands the short form `mocking: {resource: false}`. */
function expandShortForm([key, value]: [string, unknown]): [string, unknown] {
  const isShort = key === "mocking" && isObject(value) && value["resource"] === false;
  return isShort ? [key, { ...value, resource: { bound: false } }] : [key, value];
}

function diagnosticAt(
  { source, pointer }: Node,
  code: RuleCode,
  message: string,
  severity: Severity,
): UnlocatedDiagnostic {
  return { severity, code, message, source, pointer, atKey: code !== "bad-extension-value" };
}

function misplacedKey(key: string, level: Level): string {
  const places = levelsOf(key).map((place) => place === "root" ? "the definition" : `a ${place}`).join(" or ");
  return `\`${EXTENSION}.${key}\` can't stand at ${
    level === "path" ? "a path" : "an operation"
  }; it belongs to ${places}.`;
}

/** Reports settings of one `x-svc` that are valid by themselves but contradict each other. */
function contradictionsIn(
  extension: Node,
  { upstreams }: ExtensionSettings,
): { readonly node: Node; readonly message: string }[] {
  const contradictions: { node: Node; message: string }[] = [];
  const written = child(extension, "upstreams");
  const total = upstreams?.reduce((sum, { weight }) => sum + weight, 0);
  if (total !== undefined && total !== 100 && upstreams?.length === items(written).length) {
    const message = `The weights of \`${EXTENSION}.upstreams\` total ${total}; they must total 100.`;
    contradictions.push({ node: written, message });
  }
  const [first, ...others] = ACTIONS.filter((key) => child(extension, key).value !== undefined);
  for (const key of others) {
    const message = `\`${EXTENSION}.${key}\` can't stand beside \`${EXTENSION}.${first}\`; remove one of them.`;
    contradictions.push({ node: child(extension, key), message });
  }
  return contradictions;
}

function hasExtension({ value }: Node): boolean {
  return isObject(value) && Object.hasOwn(value, EXTENSION);
}

function merge(outer: Extension, inner: Extension): Extension {
  if (outer === NONE) return inner;
  const settings = { ...outer.settings };
  const origins = { ...outer.origins };
  if (ACTIONS.some((key) => inner.settings[key] !== undefined)) {
    for (const key of ACTIONS) {
      delete settings[key];
      delete origins[key];
    }
  }
  return {
    settings: { ...settings, ...inner.settings, ...mergeFields(settings, inner.settings) },
    origins: { ...origins, ...inner.origins },
    diagnostics: [...outer.diagnostics, ...inner.diagnostics],
  };
}

function mergeFields(outer: ExtensionSettings, inner: ExtensionSettings): ExtensionSettings {
  const merged: ExtensionSettings = {};
  if (inner.path !== undefined) merged.path = { ...outer.path, ...inner.path };
  if (inner.qos !== undefined) merged.qos = { ...outer.qos, ...inner.qos };
  if (inner.cors !== undefined) merged.cors = { ...outer.cors, ...inner.cors };
  if (inner.mocking !== undefined) merged.mocking = mergeMocking(outer.mocking, inner.mocking);
  return merged;
}

type MockingSettings = NonNullable<ExtensionSettings["mocking"]>;

/**
 * Merges the settings of mocking. `enabled` and `generate` are overridden together: by an inner level that has one of
 * them, or that is empty. The other fields are merged one by one.
 */
function mergeMocking(outer: MockingSettings = {}, inner: MockingSettings): MockingSettings {
  const { enabled: _enabled, generate: _generate, ...others } = outer;
  const decides = inner.enabled !== undefined || inner.generate !== undefined || Object.keys(inner).length === 0;
  return { ...decides ? others : outer, ...inner };
}
