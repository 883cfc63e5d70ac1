import { forwardedHeaders } from "../../http/forward.ts";
import type { Exchange } from "./request_context.ts";

/** The headers with which a request goes on to its upstream. */
export function upstreamHeaders(
  { request, client, replaced }: Pick<Exchange, "request" | "client" | "replaced">,
): [name: string, value: string][] {
  const headers = forwardedHeaders(request, client.remoteAddr.hostname);
  if (replaced === undefined) return headers;
  const kept = headers.filter(([name]) => !replaced.has(comparable(name)));
  return [...kept, ...[...replaced.values()].flatMap((field): [string, string][] => field ? [[...field]] : [])];
}

/** A name for {@linkcode Exchange.replaced}. */
export function comparable(name: string): string {
  return name.toLowerCase().replaceAll("_", "-");
}
