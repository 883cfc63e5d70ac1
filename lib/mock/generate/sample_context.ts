import type { ValuePath } from "./generator_context.ts";
import { createRandom, hashWith, pick, type Random } from "./random.ts";
import * as vocabulary from "./vocabulary.ts";

/**
 * The context of a sample value: the name of its property, and a person, a location and a company that all values of
 * one object share.
 */
export interface SampleContext {
  readonly path: ValuePath;
  /** The name of the value, as words in lower case: `created at` for `createdAt` and `created_at`. */
  readonly words: string;
  /** The name of the object around the value, as words in lower case. */
  readonly owner: string;
  readonly random: Random;
  readonly person: { readonly first: string; readonly last: string };
  readonly location: vocabulary.Location;
  readonly company: string;
}

/** The context of a sample value at a path. */
export function sampleContextOf(path: ValuePath): SampleContext {
  const shared = (subject: string): Random => createRandom(hashWith(path.group, subject));
  return {
    path,
    words: wordsOf(path.name),
    random: createRandom(path.hash),
    get owner() {
      return wordsOf(path.owner);
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

/** A name as words in lower case. */
export function wordsOf(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .toLowerCase();
}

/** 2025-01-01T00:00:00Z, in seconds since 1970. */
const START = 1_735_689_600;
const DAY = 86_400;

/** Days after the first time of an object, by the words of a name: created before updated before ended. */
const ORDER: readonly [RegExp, number][] = [
  [/birth|\bdob\b/, -12_000],
  [/creat|start|begin|\bfrom\b|since|open|regist|join|issued|first|placed|submitted|after|valid from/, 0],
  [/publish|accept|paid|confirm|approved|sent|activat/, 2],
  [/updat|modif|chang|last|edit|seen|synced|refresh/, 10],
  [/complet|finish|clos|end|stop|\bto\b|until|deliver|shipped|resolved|before/, 40],
  [/delet|cancel|archiv|expir|due|valid to|next|renew/, 200],
];

/**
 * A point in time that is in order with the others of its object: created before updated.
 *
 * @param path The path of the value.
 * @param words The name of the value, as words in lower case.
 * @returns Seconds since 1970.
 */
export function timeOf(path: ValuePath, words: string): number {
  const order = ORDER.find(([pattern]) => pattern.test(words))?.[1] ?? 5;
  const day = path.group % 150 + Math.min(path.index, 150);
  const second = hashWith(path.group, order) % DAY;
  return START + (day + order) * DAY + second;
}

/** A point in time, given in seconds since 1970, as RFC 3339 writes it: `2025-03-14T09:26:53Z`. */
export function formatTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
}
