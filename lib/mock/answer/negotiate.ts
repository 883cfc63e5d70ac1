/**
 * Chooses the media type of an answer (RFC 9110, section 12.5.1).
 *
 * @module
 */
import {
  concreteMediaType,
  essence,
  type MediaRange,
  type MediaType,
  parseAccept,
  parseMediaType,
} from "../../http/media_type.ts";

/** The media type of an answer. */
export interface Negotiated {
  /** Index of the chosen offer. */
  index: number;
  /** The media type of the answer: as offered, or a concrete type if the offer is a range such as `image/*`. */
  mediaType: string;
}

/** How specifically a media range of `Accept` matches an offer: the higher, the more specific. */
const FIT = { all: 1, type: 2, suffix: 3, exact: 4 } as const;

/** Media types that also match types with their structured syntax suffix (RFC 6838, section 4.2.8). */
const SUFFIX_OF: Readonly<Record<string, string>> = {
  "application/json": "json",
  "application/xml": "xml",
  "text/xml": "xml",
};

/**
 * Chooses among the media types of a response.
 *
 * The highest weight wins; on equal weights the more specific range; then `application/json`, then a `+json` type, then
 * the first offered. `application/json` also means `+json` types when it isn't offered itself, `application/xml` and
 * `text/xml` likewise `+xml` types. A parameter that both the range and the offer have
 * must agree.
 *
 * @param accept The `Accept` header; `null` or an empty or unreadable one accepts everything.
 * @param offers Media types or ranges, as a Response Object's `content` has them.
 * @param isFavoured Whether an offer, by its index, comes before others that the client accepts as much. Default: none.
 * @returns `undefined` when nothing fits.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const offers = ["application/xml", "application/json"];
 * assert.equal(negotiate("text/*, application/xml;q=0.9", offers)?.mediaType, "application/xml");
 * assert.equal(negotiate(null, offers)?.mediaType, "application/json");
 * assert.equal(negotiate("image/png", offers), undefined);
 * ```
 */
export function negotiate(
  accept: string | null,
  offers: readonly string[],
  isFavoured: (index: number) => boolean = () => false,
): Negotiated | undefined {
  const [chosen] = rankOffers(accept, offers, isFavoured);
  return chosen && { index: chosen.index, mediaType: chosen.mediaType };
}

/** An offer that an `Accept` header accepts. */
export interface RankedOffer extends Negotiated {
  /** The weight (`q`) of the media range that matches it, and what decides between equal weights. */
  readonly rank: readonly [weight: number, ...number[]];
}

/** The offers that an `Accept` header accepts, the best first: see {@linkcode negotiate}. */
export function rankOffers(
  accept: string | null,
  offers: readonly string[],
  isFavoured: (index: number) => boolean = () => false,
): RankedOffer[] {
  const parsed = offers.map((offer, index) => ({ index, offer, mediaType: parseMediaType(offer) }));
  const ranges = parseAccept(accept ?? "");
  if (ranges.length === 0) ranges.push({ type: "*", subtype: "*", parameters: new Map(), q: 1 });
  const offered = new Set(parsed.flatMap(({ mediaType }) => mediaType === undefined ? [] : [essence(mediaType)]));

  const candidates = parsed.flatMap(({ index, offer, mediaType }): RankedOffer[] => {
    // A key of `content` that isn't a valid media type can still be chosen for a client that accepts everything.
    const best = mediaType === undefined
      ? ranges.filter((range) => range.type === "*").map((range) => ({ range, fit: FIT.all }))[0]
      : bestRange(ranges, mediaType, offered);
    if (best === undefined || best.range.q === 0) return [];
    return [{
      index,
      mediaType: mediaType === undefined ? offer : concrete(offer, mediaType, best.range),
      rank: [best.range.q, best.fit, Number(isFavoured(index)), -preference(mediaType), -index],
    }];
  });
  return candidates.sort((a, b) => compareRanks(b.rank, a.rank));
}

/**
 * Negotiates like {@linkcode negotiate}. If nothing is acceptable, a range with a suffix such as `+json` also accepts
 * the suffix's own type. Octokit, for example, accepts only `application/vnd.github.v3+json`, and GitHub's definition
 * offers `application/json`.
 */
export function negotiateLoosely(
  accept: string | null,
  offers: readonly string[],
  isFavoured?: (index: number) => boolean,
): Negotiated | undefined {
  const chosen = negotiate(accept, offers, isFavoured);
  if (chosen !== undefined || accept === null) return chosen;
  const ranges = parseAccept(accept);
  // If `Accept` names the suffix's own type, even with `q=0`, that range applies instead.
  const named = new Set(ranges.map(essence));
  const general = ranges.flatMap(({ suffix, q }) =>
    (suffix === "json" || suffix === "xml") && !named.has(`application/${suffix}`)
      ? [`application/${suffix};q=${q}`]
      : []
  );
  return general.length === 0 ? undefined : negotiate(general.join(","), offers, isFavoured);
}

/** The most specific range that matches an offer; of equally specific ranges, the one with the highest weight. */
function bestRange(
  ranges: readonly MediaRange[],
  offer: MediaType,
  offered: ReadonlySet<string>,
): { range: MediaRange; fit: number } | undefined {
  let best: { range: MediaRange; fit: number } | undefined;
  for (const range of ranges) {
    const fit = fitOf(range, offer, offered);
    if (fit === 0) continue;
    if (best === undefined || fit > best.fit || (fit === best.fit && range.q > best.range.q)) best = { range, fit };
  }
  return best;
}

/** How specifically a range matches an offer; 0 if it doesn't. Each agreeing parameter makes it more specific. */
function fitOf(range: MediaRange, offer: MediaType, offered: ReadonlySet<string>): number {
  let agreeing = 0;
  for (const [name, value] of offer.parameters) {
    const wanted = range.parameters.get(name);
    if (wanted === undefined) continue;
    if (wanted.toLowerCase() !== value.toLowerCase()) return 0;
    agreeing++;
  }
  const fit = essenceFit(range, offer, offered);
  return fit === 0 ? 0 : fit + agreeing / 100;
}

function essenceFit(range: MediaRange, offer: MediaType, offered: ReadonlySet<string>): number {
  if (range.type === "*") return FIT.all;
  if (offer.type === "*") return FIT.type;
  if (range.type === offer.type) {
    if (range.subtype === "*") return FIT.type;
    if (range.subtype === offer.subtype) return FIT.exact;
    if (offer.subtype === "*") return FIT.type;
  }
  const suffix = SUFFIX_OF[essence(range)];
  return suffix !== undefined && offer.suffix === suffix && !offered.has(essence(range)) ? FIT.suffix : 0;
}

/**
 * A concrete type within an offered range (`image/*`): the type that the client accepts, else a usual type of that
 * range.
 */
function concrete(offer: string, offered: MediaType, range: MediaRange): string {
  if (offered.subtype !== "*") return offer;
  if (range.subtype !== "*") return essence(range);
  return concreteMediaType(offered.type === "*" ? range : offered, "application/json") ?? offer;
}

/** The order of media types for a client without preference: lower comes first. */
function preference(mediaType: MediaType | undefined): number {
  if (mediaType === undefined) return 3;
  if (essence(mediaType) === "application/json") return 0;
  return mediaType.suffix === "json" ? 1 : 2;
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (let index = 0; index < a.length; index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
