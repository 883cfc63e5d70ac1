/**
 * Whether responses with a status have no body, and can't be constructed with one.
 *
 * @see {@link https://fetch.spec.whatwg.org/#null-body-status Fetch Standard, section 2.2.3}
 */
export function isNullBodyStatus(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}
