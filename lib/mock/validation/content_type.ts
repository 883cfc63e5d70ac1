import { type MediaType, parseMediaType } from "../../http/media_type.ts";

/**
 * Makes the function that finds the media type of an operation's request body that a `Content-Type` means: the most
 * specific one, as the specification says; of equally specific ones the first.
 *
 * @param offers Media types and ranges, as written in the definition.
 * @returns The index of the offer; -1 where there is none.
 * @see {@link https://spec.openapis.org/oas/v3.1.1.html#request-body-object OpenAPI 3.1, Request Body Object}
 */
export function createContentChooser(offers: readonly string[]): (contentType: string) => number {
  const parsed = offers.map((offer) => parseMediaType(offer));
  return (contentType) => {
    const written = offers.indexOf(contentType);
    if (written !== -1) return written;
    const mediaType = parseMediaType(contentType);
    const fits = parsed.map((offer) => howWell(mediaType, offer));
    const best = Math.max(0, ...fits);
    return best === 0 ? -1 : fits.indexOf(best);
  };
}

/** How well a media type fits what is offered: from 0, not at all. */
function howWell(mediaType: MediaType | undefined, offer: MediaType | undefined): number {
  if (offer === undefined) return 0;
  if (offer.type === "*") return 1;
  if (mediaType?.type !== offer.type) return 0;
  if (offer.subtype === "*") return 2;
  if (mediaType.subtype !== offer.subtype) return 0;
  const agrees = [...offer.parameters].every(([name, value]) => mediaType.parameters.get(name) === value);
  return agrees ? 4 + offer.parameters.size : 3;
}
