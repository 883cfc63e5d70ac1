import { phraseOf } from "../../../names/words.ts";
import type { ValuePath } from "../generator_context.ts";
import { createRandom, hashWith, pick, type Random } from "../random.ts";
import * as vocabulary from "./vocabulary.ts";

/**
 * What a sample value is chosen from: the name of its property, the name of its object, and a person, a location and a
 * company that all values of one object share.
 */
export interface SampleContext {
  readonly path: ValuePath;
  /** The name of the property, as words in lower case: `created at` for `createdAt` and `created_at`. */
  readonly words: string;
  /** The name of the object that contains the property, as words in lower case. */
  readonly owner: string;
  readonly random: Random;
  readonly person: { readonly first: string; readonly last: string };
  readonly location: vocabulary.Location;
  readonly company: string;
}

export function sampleContextOf(path: ValuePath): SampleContext {
  const shared = (subject: string): Random => createRandom(hashWith(path.group, subject));
  return {
    path,
    words: phraseOf(path.name),
    random: createRandom(path.hash),
    get owner() {
      return phraseOf(path.owner);
    },
    get person() {
      return {
        first: pick(vocabulary.FIRST_NAMES, shared("first")),
        last: pick(vocabulary.LAST_NAMES, shared("last")),
      };
    },
    get location() {
      return vocabulary.locationAt(shared("location")());
    },
    get company() {
      return pick(vocabulary.COMPANIES, shared("company"));
    },
  };
}

/** 2025-01-01T00:00:00Z, in seconds since 1970. */
const START = 1_735_689_600;
const DAY = 86_400;

/**
 * Patterns for names of times, each with a distance in days from the object's creation. The distances put the times of
 * one object in a plausible order: created, updated, ended.
 */
const ORDER: readonly [RegExp, number][] = [
  [/birth|\bdob\b/, -12_000],
  [/creat|start|begin|\bfrom\b|since|open|regist|join|issued|first|placed|submitted|after|valid from/, 0],
  [/publish|accept|paid|confirm|approved|sent|activat/, 2],
  [/updat|modif|chang|last|edit|seen|synced|refresh/, 10],
  [/complet|finish|clos|end|stop|\bto\b|until|deliver|shipped|resolved|before/, 40],
  [/delet|cancel|archiv|expir|due|valid to|next|renew/, 200],
];

/**
 * A sample time. The times of one object are in a plausible order: created before updated.
 *
 * @param path The path of the value.
 * @param words The name of the property, as words in lower case.
 * @returns Seconds since 1970.
 */
export function sampleTime(path: ValuePath, words: string): number {
  const order = ORDER.find(([pattern]) => pattern.test(words))?.[1] ?? 5;
  const day = path.group % 150 + Math.min(path.index, 150);
  const second = hashWith(path.group, order) % DAY;
  return START + (day + order) * DAY + second;
}

/** Formats a time by RFC 3339: `2025-03-14T09:26:53Z`. */
export function formatTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
}
