/** A delimiter as it stands in a text, and percent-encoded. */
export interface Delimiter {
  readonly plain: string | RegExp;
  readonly encoded?: RegExp;
}

/** The delimiters of formats. A space can't stand in a URL, so that it is always encoded. */
export const DELIMITERS = {
  comma: { plain: ",", encoded: /%2C/i },
  space: { plain: /%20|\+| / },
  pipe: { plain: "|", encoded: /%7C/i },
  tab: { plain: /%09|\t/ },
} as const satisfies Record<string, Delimiter>;
