/**
 * Resolves a URI reference (RFC 3986, section 5). Returns the reference unchanged where it can't be resolved, because
 * it is invalid or the base isn't absolute.
 */
export function resolveUri(reference: string, base: string): string {
  if (reference.startsWith("#")) return withoutFragment(base) + reference;
  if (URL.canParse(reference)) return reference;
  if (URL.canParse(reference, base)) return new URL(reference, base).href;
  // The base isn't absolute, as for a definition that was given as text: names are left unchanged.
  return reference;
}

/** A URI without its fragment. */
export function withoutFragment(uri: string): string {
  const hash = uri.indexOf("#");
  return hash === -1 ? uri : uri.slice(0, hash);
}
