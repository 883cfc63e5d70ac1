/**
 * Resolves a URI reference against a base URI (RFC 3986, section 5). Returns the reference unchanged where the base
 * isn't absolute or the reference is invalid.
 */
export function resolveUri(reference: string, base: string): string {
  if (reference.startsWith("#")) return withoutFragment(base) + reference;
  // A `data:` URI may have megabytes, which a parser need not read.
  if (isDataUri(reference) || URL.canParse(reference)) return reference;
  if (URL.canParse(reference, base)) return new URL(reference, base).href;
  // The base isn't absolute, for example because the definition was passed as a string.
  return reference;
}

export function withoutFragment(uri: string): string {
  const hash = uri.indexOf("#");
  return hash === -1 ? uri : uri.slice(0, hash);
}

export function isDataUri(uri: string): boolean {
  return /^data:/i.test(uri);
}
