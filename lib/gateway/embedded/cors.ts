/**
 * CORS (Fetch Standard, section 3.3), as `x-svc.cors` configures it.
 *
 * @module
 */
import type { HeaderList } from "../../http/handler.ts";
import { PREFLIGHT_VARY } from "../../mock/answer/cors.ts";
import { sharesCredentialsWithAll } from "../../openapi/lint/extensions.ts";
import type { CorsSettings } from "../../openapi/extension/settings.ts";
import type { Reply } from "../../mock/operation/reply.ts";

export interface CorsRules {
  /** Returns the CORS headers of the response to a request with this `Origin`. */
  headersFor(origin: string | null): HeaderList;
  preflight(request: Request): Reply;
}

/** Creates the CORS rules of a route from its settings. */
export function createCorsRules(settings: CorsSettings): CorsRules {
  const { origins = [], methods, headers = [], expose_headers: exposed = [], max_age } = settings;
  const isAllowed = createOriginTest(origins);
  // `origins: ["*"]` allows the pages of every origin, but never with credentials. Earlier versions of gw accepted
  // definitions with `*` and `credentials: true`, and such a definition may still be stored. Its `credentials` are
  // ignored.
  const isForAll = origins.includes("*");
  const credentials = settings.credentials === true && !sharesCredentialsWithAll(settings);
  const expose: HeaderList = exposed.length === 0 ? [] : [["access-control-expose-headers", exposed.join(", ")]];
  return { headersFor, preflight };

  function headersFor(origin: string | null): HeaderList {
    if (isForAll) return [["access-control-allow-origin", "*"], ...expose];
    if (origin === null || !isAllowed(origin)) return [["vary", "origin"]];
    return [...sharedWith(origin), ...expose, ["vary", "origin"]];
  }

  function preflight(request: Request): Reply {
    const origin = request.headers.get("origin") ?? "";
    const asked = request.headers.get("access-control-request-headers");
    const allowed = methods?.join(", ") ?? request.headers.get("access-control-request-method") ?? "";
    const fields = headers.includes("*") ? asked : headers.join(", ");
    const list: HeaderList = !isAllowed(origin) ? [] : [
      ...(isForAll ? [["access-control-allow-origin", "*"] as const] : sharedWith(origin)),
      ["access-control-allow-methods", allowed],
      ...(fields === null || fields === "" ? [] : [["access-control-allow-headers", fields] as const]),
      ...(max_age === undefined ? [] : [["access-control-max-age", String(max_age)] as const]),
    ];
    const response = new Response(null, {
      status: 204,
      headers: [...list, PREFLIGHT_VARY].map(([name, value]) => [name, value]),
    });
    return { response, mediaType: "", source: "cors" };
  }

  function sharedWith(origin: string): HeaderList {
    return [
      ["access-control-allow-origin", origin],
      ...(credentials ? [["access-control-allow-credentials", "true"] as const] : []),
    ];
  }
}

/**
 * Creates a function that tells whether `x-svc.cors.origins` allows an origin. `https://*.example.com` allows all
 * subdomains of `example.com`.
 */
function createOriginTest(origins: readonly string[]): (origin: string) => boolean {
  const exact = new Set(origins.map((origin) => origin.toLowerCase()));
  const wildcards = [...exact].flatMap((origin) => {
    const [scheme, suffix] = origin.split("://*");
    return scheme !== undefined && suffix?.startsWith(".") === true ? [{ start: `${scheme}://`, end: suffix }] : [];
  });
  if (exact.has("*")) return () => true;
  return (origin) => {
    const written = origin.toLowerCase();
    return exact.has(written) ||
      wildcards.some(({ start, end }) =>
        written.startsWith(start) && written.endsWith(end) && written.length > start.length + end.length
      );
  };
}
