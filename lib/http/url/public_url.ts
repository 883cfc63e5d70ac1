import { parseHost } from "./host.ts";

/**
 * The URL by which a client has asked for a request, as a trusted proxy tells by `X-Forwarded-Proto` and
 * `X-Forwarded-Host`. Each proxy may append to these headers, so that the last value is that of the trusted one. A value
 * that isn't well-formed is ignored.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const headers = new Headers({ "x-forwarded-proto": "https", "x-forwarded-host": "api.example.com" });
 * assert.equal(publicUrl({ url: "http://10.0.0.7:8080/pets?limit=3", headers }), "https://api.example.com/pets?limit=3");
 * ```
 */
export function publicUrl(
  { url, headers }: { readonly url: string; readonly headers: Pick<Headers, "get"> },
): string {
  const [, scheme = "", authority = "", rest = ""] = /^([a-z]+):\/\/([^/?#]*)(.*)$/is.exec(url) ?? [];
  const proto = lastOf(headers.get("x-forwarded-proto")).toLowerCase();
  const host = lastOf(headers.get("x-forwarded-host"));
  const isScheme = proto === "http" || proto === "https";
  const isHost = parseHost(host) !== undefined;
  return `${isScheme ? proto : scheme}://${isHost ? host : authority}${rest}`;
}

function lastOf(list: string | null): string {
  return list?.split(",").at(-1)?.trim() ?? "";
}
