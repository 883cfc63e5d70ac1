import type { Negotiated } from "./negotiate.ts";
import type { SelectedResponse } from "./select_response.ts";

/** What was decided while an answer was made, for an explanation. The functions that decide fill it in. */
export interface AnswerTrace {
  selected?: SelectedResponse;
  /** The media types of the response; absent if it has none. */
  offers?: readonly string[];
  /** The chosen media type; absent if none is acceptable. */
  negotiated?: Negotiated | undefined;
  /** The seed of generated values. */
  seed?: number;
}
