import type { Place } from "../schema/json/source.ts";

/** A part of a file that gw can't convert, or that means something else in gw. */
export interface Leftover extends Place {
  /** What is missing or different in gw, and what to do instead, as sentences. */
  message: string;
}

/** The result of converting a file of another program (Kusk, Mockoon) into a definition. */
export interface Conversion {
  /** The text of the definition, or of the custom resource with the definition in it. */
  text: string;
  /** The parts that can't be converted, in the order of the file. */
  leftovers: readonly Leftover[];
  flags?: readonly string[];
}
