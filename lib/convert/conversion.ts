import type { Place } from "../schema/source.ts";

/** A part of a file that gw can't express, or that has another meaning in gw. */
export interface Leftover extends Place {
  /** What is missing or different, and what to do instead, in sentences. */
  message: string;
}

/** A file of another program, converted for gw. */
export interface Conversion {
  /** The text of a definition. */
  text: string;
  /** The parts that weren't converted, in the order of the file. */
  leftovers: readonly Leftover[];
  flags?: readonly string[];
}
