/**
 * Rate limits by fixed windows of a second, a minute or an hour. The first request after a window starts the next one.
 *
 * @see {@link https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/ RateLimit header fields for HTTP}
 *
 * @module
 */
import type { HeaderList } from "../../http/handler.ts";
import type { RateLimit } from "../../openapi/extension/settings.ts";
import { type Guard, problemReply } from "./request_context.ts";

const SECONDS = { second: 1, minute: 60, hour: 3600 } as const satisfies Record<RateLimit["unit"], number>;

/** The problem type for an exceeded limit, as the draft registers it. */
const QUOTA_EXCEEDED = "https://iana.org/assignments/http-problem-types#quota-exceeded";

/**
 * Creates a guard that answers requests beyond a rate limit with 429 and `Retry-After`. Every reply tells the remaining
 * quota in its headers.
 *
 * @param now Gives the time in milliseconds.
 */
export function createRateLimit({ requests_per_unit: quota, unit }: RateLimit, now: () => number): Guard {
  const seconds = SECONDS[unit];
  const policy: HeaderList[number] = ["ratelimit-policy", `"${unit}";q=${quota};w=${seconds}`];
  let end = -Infinity;
  let used = 0;

  return ({ headers }) => {
    const time = now();
    if (time >= end) {
      end = time + seconds * 1000;
      used = 0;
    }
    used++;
    const wait = Math.ceil((end - time) / 1000);
    headers.push([...policy], ["ratelimit", `"${unit}";r=${Math.max(0, quota - used)};t=${wait}`]);
    if (used <= quota) return undefined;
    const detail = `More than ${quota} ${quota === 1 ? "request" : "requests"} in ${
      unit === "hour" ? "an" : "a"
    } ${unit}; try again in ${wait} s.`;
    const problem = { type: QUOTA_EXCEEDED, title: "Too Many Requests", status: 429, detail };
    return problemReply({ ...problem, "violated-policies": [unit] }, [["retry-after", String(wait)]]);
  };
}
