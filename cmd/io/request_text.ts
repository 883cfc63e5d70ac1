/** Path and query of a URL, as the client wrote them. */
export function targetOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  return start === -1 ? "/" : url.slice(start);
}
