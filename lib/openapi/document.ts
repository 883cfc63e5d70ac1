import type { Diagnostic } from "./diagnostic.ts";
import type { Node } from "./node.ts";
import type { Finding, Source } from "./source.ts";

/** The version of the OpenAPI Specification that a definition follows, without its patch number. */
export type Version = "2.0" | "3.0" | "3.1" | "3.2";

/** A definition that was read: every text that it is made of, and what is wrong with them. */
export interface Document {
  /** URI of the main text. */
  readonly uri: string;
  readonly version: Version;
  /** The OpenAPI Object. */
  readonly root: Node;
  /** The main text and every text that it refers to, by URI. */
  readonly sources: ReadonlyMap<string, Source>;
  /** Problems that reading showed, without positions. */
  readonly findings: readonly Finding[];
  /** The same with line and column, which are looked up when first asked for. */
  readonly diagnostics: readonly Diagnostic[];
}
