import { readBody } from "../http/body.ts";
import { type BodyLimits, UnreadBodyError } from "../http/limits/body_limits.ts";

/** Limit of a form, in bytes. */
const MOST_BYTES = 1024 * 1024;

/** The fields of a form that a browser sent. A body that isn't a form, or is too large, has none. */
export async function readForm(request: Request, bodies?: BodyLimits): Promise<URLSearchParams> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers.get("content-type") ?? "")) {
    return new URLSearchParams();
  }
  const body = await readBody(request, MOST_BYTES, bodies).catch((error: unknown) => {
    if (error instanceof UnreadBodyError) return undefined;
    throw error;
  });
  return new URLSearchParams(body?.kind === "bytes" ? new TextDecoder().decode(body.bytes) : "");
}
