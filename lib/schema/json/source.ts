/** A text of a definition: the main document, or one that a `$ref` leads to. */
export interface Source {
  /** An absolute URI, or a name such as `definition.yaml` for a text that was passed as a string. */
  readonly uri: string;
  /** The parsed text, as JSON values; `undefined` where the text can't be parsed. */
  readonly value: unknown;
  /** Whether the text is JSON rather than YAML. */
  readonly isJson: boolean;
  /** Whether `value` may contain one object at several places, as YAML aliases cause. */
  readonly isShared: boolean;
  /** Whether the text may be confidential, so that messages must not show parts of it. */
  readonly isHidden?: true;
  /** Returns the whole text, from which `value` was parsed. */
  readonly text: () => string;
  /** Finds the offsets of places in the text, in UTF-16 code units. Each call takes a pass over the text. */
  readonly locate: (places: readonly Place[]) => number[];
  /**
   * Finds the text in which a value was written: the source's own text, or an overlay. Only a definition that overlays
   * have changed has this function.
   */
  readonly originOf?: (place: Place) => Place & { readonly source: Source };
}

/** A value in a text, or its key. */
export interface Place {
  /** JSON Pointer (RFC 6901) of the value. */
  pointer: string;
  /** Whether the key of the value is meant. Default: `false`. */
  atKey?: boolean;
}
