import { hashWith } from "./random.ts";
import type { Place } from "./value_path.ts";

/** 2025-01-01T00:00:00Z, in seconds since 1970. */
const START = 1_735_689_600;
const DAY = 86_400;

/** What the name of a point in time says of its order within an object: created before updated before ended. */
const ORDER: readonly [RegExp, number][] = [
  [/birth|\bdob\b/, -12_000],
  [/creat|start|begin|\bfrom\b|since|open|regist|join|issued|first|placed|submitted|after|valid from/, 0],
  [/publish|accept|paid|confirm|approved|sent|activat/, 2],
  [/updat|modif|chang|last|edit|seen|synced|refresh/, 10],
  [/complet|finish|clos|end|stop|\bto\b|until|deliver|shipped|resolved|before/, 40],
  [/delet|cancel|archiv|expir|due|valid to|next|renew/, 200],
];

/**
 * A point in time, in seconds since 1970, that fits the others of its object: what was updated was created before.
 *
 * @param place Where the value stands.
 * @param words The name of the value, as words in lower case.
 */
export function momentOf(place: Place, words: string): number {
  const order = ORDER.find(([pattern]) => pattern.test(words))?.[1] ?? 5;
  const day = place.group % 150 + Math.min(place.index, 150);
  const second = hashWith(place.group, order) % DAY;
  return START + (day + order) * DAY + second;
}

/** A point in time as RFC 3339 writes it: `2025-03-14T09:26:53Z`. */
export function formatMoment(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
}
