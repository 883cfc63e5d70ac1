import { isNullBodyStatus } from "../../../lib/http/body.ts";

/** The header fields of a response in undici's form: an array if a field occurs more than once. */
type Fields = Readonly<Record<string, string | string[] | undefined>>;

/** The number of header fields that a response may have. */
const MOST_FIELDS = 1000;

/** Header fields about the connection, which aren't forwarded (RFC 9110, section 7.6.1). */
const OF_CONNECTION = new Set(["transfer-encoding", "keep-alive"]);

/** Finds an error in the head of a response that undici accepts; returns `undefined` if there is none. */
export function findError(status: number, fields: Fields): string | undefined {
  if (status < 200 || status > 599) return `Its status is ${status}.`;
  // `chunked` is the only transfer coding that marks the end of a body (RFC 9112, section 6.1). gw doesn't decode
  // others.
  const coding = fields["transfer-encoding"];
  if (coding !== undefined && String(coding).toLowerCase() !== "chunked") return `Its Transfer-Encoding is ${coding}.`;
  if (Object.keys(fields).length > MOST_FIELDS) return `It has more than ${MOST_FIELDS} header fields.`;
  return undefined;
}

/** Tells whether a response has no body (RFC 9112, section 6.3; Fetch Standard for 205). */
export function endsWithHead(method: string, status: number): boolean {
  return method === "HEAD" || isNullBodyStatus(status);
}

/** The header fields to forward, as `Headers` takes them. */
export function headersOf(status: number, fields: Fields): [name: string, value: string][] {
  const list: [string, string][] = [];
  for (const name in fields) {
    const value = fields[name];
    if (value === undefined || OF_CONNECTION.has(name)) continue;
    if (status === 205 && name === "content-length") continue;
    if (name === "connection" && isUsual(value)) continue;
    if (typeof value === "string") list.push([name, value]);
    else for (const one of value) list.push([name, one]);
  }
  return list;
}

/**
 * Tells whether `Connection` has one of its two usual values, `close` and `keep-alive`. Other values name header
 * fields.
 */
function isUsual(value: string | string[]): boolean {
  return value === "keep-alive" || value === "close";
}
