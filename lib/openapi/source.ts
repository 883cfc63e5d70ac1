import { CORE_SCHEMA, load, mergeTag, YAMLException } from "js-yaml";
import { LineCounter, parseDocument as parseYaml } from "yaml";

/** How bad a problem is: an `error` is refused by a deployment, a `warning` is not. */
export type Severity = "error" | "warning";

/** One text that a definition is made of: its main file, or a file that it refers to. */
export interface Source {
  /** Where the text came from: an absolute URI, or a name such as `definition.yaml`. */
  readonly uri: string;
  /** What the text says, as JSON values; `undefined` when it can't be read at all. */
  readonly value: unknown;
  /** What is wrong with the text as YAML or JSON. */
  readonly findings: readonly Finding[];
  /** The text itself. */
  readonly text: () => string;
}

/** A problem as it was found: a diagnostic before somebody asked for its line and column. */
export interface Finding {
  severity: Severity;
  /** Kind of problem, in kebab-case: `duplicate-operation`, `unknown-extension-key`, … */
  code: string;
  /** A sentence for a person: what is wrong and what to do. */
  message: string;
  source: Source;
  /** JSON Pointer (RFC 6901) of the value that the problem is in. */
  pointer: string;
  /** The problem is the key at `pointer`, not the value under it. */
  atKey?: boolean;
  /** Where the problem is, in UTF-16 code units from the start of the text, where no pointer leads to it. */
  offset?: number;
}

/** Bounds on a text, so that a hostile one costs what its size costs. */
export const LIMITS = {
  /** Nesting of objects and arrays. */
  depth: 500,
  /** Values after the expansion of YAML aliases, for each character of the text. */
  expansion: 10,
  /** Size of a text in bytes. */
  bytes: 64 * 1024 * 1024,
  /** Above this many characters a broken text is reported by its first syntax error alone. */
  manyErrors: 1024 * 1024,
} as const;
