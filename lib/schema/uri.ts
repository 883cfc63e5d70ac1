/** Resolves a URI reference (RFC 3986, section 5); a reference that is no URI stands for itself. */
export function resolveUri(reference: string, base: string): string {
  if (reference.startsWith("#")) return withoutFragment(base) + reference;
  if (URL.canParse(reference)) return reference;
  if (URL.canParse(reference, base)) return new URL(reference, base).href;
  // A definition without an address, such as a string in a test: names stay as they are.
  return reference;
}

/** A URI without its fragment. */
export function withoutFragment(uri: string): string {
  const hash = uri.indexOf("#");
  return hash === -1 ? uri : uri.slice(0, hash);
}
