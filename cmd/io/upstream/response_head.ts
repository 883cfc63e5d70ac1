import { isNullBodyStatus } from "../../../lib/http/body.ts";

/** Header fields of a response, as undici gives them: an array where a field comes more than once. */
type Fields = Readonly<Record<string, string | string[] | undefined>>;

/** The most header fields of a response. */
const MOST_FIELDS = 1000;

/** Fields that concern the connection alone (RFC 9110, section 7.6.1). */
const OF_CONNECTION = new Set(["transfer-encoding", "keep-alive"]);

/** Finds an error in the head of a response that undici accepts; `undefined` if there is none. */
export function findError(status: number, fields: Fields): string | undefined {
  if (status < 200 || status > 599) return `Its status is ${status}.`;
  // Only `chunked` tells where a body ends (RFC 9112, section 6.1). Other transfer codings would need decoding here.
  const coding = fields["transfer-encoding"];
  if (coding !== undefined && String(coding).toLowerCase() !== "chunked") return `Its Transfer-Encoding is ${coding}.`;
  if (Object.keys(fields).length > MOST_FIELDS) return `It has more than ${MOST_FIELDS} header fields.`;
  return undefined;
}

/** Tells whether a response has no body (RFC 9112, section 6.3; Fetch Standard for 205). */
export function endsWithHead(method: string, status: number): boolean {
  return method === "HEAD" || isNullBodyStatus(status);
}

/** The fields of a response as `Headers` takes them, without those of the connection. */
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

/** Tells whether `Connection` has one of its two usual values, neither of which names a header field. */
function isUsual(value: string | string[]): boolean {
  return value === "keep-alive" || value === "close";
}
