/** One text that a definition is made of: its main file, or a file that it refers to. */
export interface Source {
  /** Where the text came from: an absolute URI, or a name such as `definition.yaml`. */
  readonly uri: string;
  /** The parsed text, as JSON values; `undefined` when it can't be parsed at all. */
  readonly value: unknown;
  /** Whether the text is JSON; else it is YAML. */
  readonly isJson: boolean;
  /** Whether one object may occur at several places of the value, as YAML aliases cause. */
  readonly isShared: boolean;
  /** The text itself. */
  readonly text: () => string;
  /** Finds the offsets of places in the text, in UTF-16 code units. Costs a pass over the text. */
  readonly locate: (places: readonly Place[]) => number[];
  /**
   * Finds where a value was written. Only a definition that overlays have changed has this: `text` is its own text, and
   * some of its values are written in those of the overlays.
   */
  readonly originOf?: (place: Place) => Place & { readonly source: Source };
}

/** A value of a text, or the key that it stands under. */
export interface Place {
  /** JSON Pointer (RFC 6901). */
  pointer: string;
  /** Whether the place is the key, not the value. */
  atKey?: boolean;
}
