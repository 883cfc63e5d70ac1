import { problemResponse } from "../../lib/http/problem.ts";
import type { Log } from "./log.ts";
import { messageOf } from "../../lib/http/message.ts";
import { targetOf } from "../../lib/http/url.ts";

/** Answers a request that something in gw itself fails at, and logs why: 500. */
export function faultResponse({ method, url }: Request, error: unknown, log: Pick<Log, "complain">): Response {
  const detail = `gw failed to answer ${method} ${targetOf(url)}: ${messageOf(error)}. ` +
    "This is a fault of gw, not of the request; its log has the details.";
  log.complain(error instanceof Error && error.stack !== undefined ? error.stack : detail, { error: detail });
  return problemResponse({ title: "Internal Server Error", status: 500, detail });
}
