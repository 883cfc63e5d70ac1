/**
 * Reads Overlay documents.
 *
 * @module
 * @see {@link https://spec.openapis.org/overlay/v1.1.0.html Overlay Specification 1.1}
 */
import { suggest } from "../../http/message.ts";
import { child, entries, isObject, items, type Node, rootOf } from "../../schema/json/node.ts";
import type { Source } from "../../schema/json/source.ts";
import { quote } from "../../schema/wording.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";
import type { RuleCode } from "../rules.ts";
import { readObject, readSource } from "../text/source.ts";
import { joinDocuments } from "./recorded_text.ts";
import { type JsonPathLibrary, type JsonPathQuery, loadJsonPath, readJsonPath } from "./json_path.ts";

/** An Overlay document, parsed. */
export interface Overlay {
  /** The URI of the overlay's text. */
  readonly uri: string;
  /** The text of the overlay, parsed. */
  readonly source: Source;
  /** The definition that the overlay names under `extends`: a URI reference, relative to the overlay. */
  readonly extends?: string;
  /** The version of the Overlay Specification. Overlay 1.1 forbids some updates that 1.0 allows. */
  readonly version: "1.0" | "1.1";
  /** The actions in their order, without those that are malformed. */
  readonly actions: readonly Action[];
  /**
   * The problems of the overlay, apart from those that depend on the definition. If one of them is an `error`, the
   * overlay isn't applied.
   */
  readonly diagnostics: readonly UnlocatedDiagnostic[];
}

/** An Action Object. */
export interface Action {
  /** The Action Object in the overlay. */
  readonly node: Node;
  /** The query for the values that the action changes. */
  readonly target: JsonPathQuery;
  /** The change to the values that `target` finds. */
  readonly change: { kind: "remove" } | { kind: "update"; value: Node } | { kind: "copy"; from: JsonPathQuery };
}

/** The fields of each object of an Overlay document, apart from extensions. */
const FIELDS = {
  Overlay: ["overlay", "info", "extends", "actions"],
  Info: ["title", "version", "description"],
  Action: ["target", "description", "update", "copy", "remove"],
} as const;

/** Reads an Overlay document, as `parseOverlay()` does. */
export async function readOverlay(
  uri: string,
  overlay: string | Uint8Array | Record<string, unknown>,
): Promise<Overlay> {
  const isText = typeof overlay === "string" || overlay instanceof Uint8Array;
  const { source, diagnostics } = await (isText ? readSource(uri, joinDocuments(overlay)) : readObject(uri, overlay));
  const reader = new OverlayReader(rootOf(source), await loadJsonPath(), [...diagnostics]);
  return reader.read();
}

class OverlayReader {
  readonly #root: Node;
  readonly #library: JsonPathLibrary;
  readonly #diagnostics: UnlocatedDiagnostic[];
  #version: Overlay["version"] = "1.1";

  constructor(root: Node, library: JsonPathLibrary, diagnostics: UnlocatedDiagnostic[]) {
    this.#root = root;
    this.#library = library;
    this.#diagnostics = diagnostics;
  }

  read(): Overlay {
    const isBroken = this.#diagnostics.some(({ severity }) => severity === "error");
    const isOverlay = !isBroken && this.#readVersion();
    const actions = isOverlay ? this.#readActions() : [];
    if (isOverlay) this.#checkInfo();
    const extended = child(this.#root, "extends");
    return {
      uri: this.#root.source.uri,
      source: this.#root.source,
      ...(typeof extended.value === "string" ? { extends: extended.value } : {}),
      version: this.#version,
      actions,
      diagnostics: this.#diagnostics,
    };
  }

  /** Reads the version. Returns `false` for a text that isn't an overlay, or has an unsupported version. */
  #readVersion(): boolean {
    const root = this.#root;
    const { value } = child(root, "overlay");
    if (!isObject(root.value) || value === undefined) {
      const is = isObject(root.value) && ("openapi" in root.value || "swagger" in root.value)
        ? "This is an OpenAPI definition, not an overlay"
        : "This is not an overlay";
      this.#report("error", `${is}: the field \`overlay\`, such as \`overlay: 1.1.0\`, is missing.`, root);
      return false;
    }
    const text = typeof value === "number" ? value.toFixed(1) : String(value);
    const known = /^(1\.[01])(?![0-9])/.exec(text)?.[1];
    if (known !== "1.0" && known !== "1.1") {
      this.#report("error", `Overlay ${text} is not supported; 1.0 and 1.1 are.`, child(root, "overlay"));
      return false;
    }
    this.#version = known;
    return true;
  }

  #checkInfo(): void {
    this.#checkFields(this.#root, "Overlay");
    const info = child(this.#root, "info");
    if (!isObject(info.value)) {
      this.#report("warning", "The overlay has no `info` with a title and a version.", this.#root);
      return;
    }
    this.#checkFields(info, "Info");
    for (const field of ["title", "version"]) {
      if (!Object.hasOwn(info.value, field)) this.#report("warning", `The \`info\` has no ${quote(field)}.`, info);
    }
    const { value } = child(this.#root, "extends");
    if (value !== undefined && typeof value !== "string") {
      this.#report("warning", "`extends` is ignored: it is not a URI reference.", child(this.#root, "extends"));
    }
  }

  #readActions(): Action[] {
    const actions = child(this.#root, "actions");
    if (!Array.isArray(actions.value)) {
      const message = "The overlay has no list of `actions`.";
      this.#report("error", message, actions.value === undefined ? this.#root : actions);
      return [];
    }
    if (actions.value.length === 0) this.#report("warning", "The list of actions is empty.", actions);
    return items(actions).flatMap((action) => this.#readAction(action) ?? []);
  }

  #readAction(node: Node): Action | undefined {
    if (!isObject(node.value)) return this.#report("error", "This action is not an object.", node);
    this.#checkFields(node, "Action");
    const target = this.#readQuery(node, "target");
    if (target === undefined) return undefined;
    const change = this.#readChange(node);
    return change === undefined ? undefined : { node, target, change };
  }

  #readChange(node: Node): Action["change"] | undefined {
    const [update, copy, remove] = ["update", "copy", "remove"].map((field) => child(node, field));
    if (update === undefined || copy === undefined || remove === undefined) return undefined;
    if (remove.value === true) return { kind: "remove" };
    if (remove.value !== undefined && remove.value !== false) {
      return this.#report("error", "`remove` is either true or false.", remove);
    }
    if (copy.value === undefined) {
      if (update.value !== undefined) return { kind: "update", value: update };
      return this.#report("warning", "This action changes nothing: it has no `update`, `copy` or `remove`.", node);
    }
    if (update.value !== undefined) {
      return this.#report("error", "An action has `update` or `copy`, not both.", copy);
    }
    if (this.#version === "1.0") {
      this.#report("warning", "`copy` is of Overlay 1.1: write `overlay: 1.1.0`.", copy);
    }
    const from = this.#readQuery(node, "copy");
    return from === undefined ? undefined : { kind: "copy", from };
  }

  #readQuery(action: Node, field: "target" | "copy"): JsonPathQuery | undefined {
    const node = child(action, field);
    if (typeof node.value !== "string") {
      const message = `This action needs a ${quote(field)}: a JSONPath query such as \`$.paths['/pets'].get\`.`;
      return this.#report("error", message, node.value === undefined ? action : node);
    }
    const read = readJsonPath(node.value, this.#library);
    if (read.kind === "broken") {
      const message = `${quote(node.value)} is not a JSONPath query (RFC 9535): ${read.reason}.`;
      return this.#report("error", message, node);
    }
    if (read.remark !== undefined) this.#report("warning", read.remark, node);
    return read.query;
  }

  #checkFields(node: Node, kind: keyof typeof FIELDS): void {
    const known: readonly string[] = FIELDS[kind];
    for (const [field, value] of entries(node)) {
      if (known.includes(field) || field.startsWith("x-")) continue;
      const [nearest] = suggest(field, known);
      const hint = nearest === undefined ? "" : ` Did you mean ${quote(nearest)}?`;
      const message = `The ${kind} Object of an overlay has no field ${quote(field)}, which is ignored.${hint}`;
      this.#report("warning", message, value, "unknown-field", true);
    }
  }

  #report(
    severity: UnlocatedDiagnostic["severity"],
    message: string,
    { source, pointer }: Node,
    code: RuleCode = "bad-overlay",
    atKey = false,
  ): undefined {
    this.#diagnostics.push({ severity, code, message, source, pointer, ...(atKey ? { atKey } : {}) });
  }
}
