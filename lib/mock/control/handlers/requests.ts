import { splitTarget } from "../../../http/url/url.ts";
import { parseJson } from "../../../schema/json/json.ts";
import { streamEvents } from "../../journal/event_stream.ts";
import type { JournalEntry } from "../../journal/entry.ts";
import { mistakeInFilter } from "../../journal/check_filter.ts";
import { filterConditions, fulfils, type RequestFilter } from "../../journal/filter.ts";
import { HAR_MEDIA_TYPE, writeHar } from "../../journal/har.ts";
import type { Journal } from "../../journal/journal.ts";
import { createEntryRedactor, type EntryRedactor } from "../../journal/redact_entry.ts";
import { representEntry } from "../../journal/represent.ts";
import { type Expectation, verify } from "../../journal/verify.ts";
import { negotiate } from "../../answer/negotiate.ts";
import { readJson } from "../content.ts";
import type { ControlCall, ControlContext } from "../context.ts";
import { errorResponse } from "../../../api/error_response.ts";
import { integerOf, type Query } from "../../../api/query.ts";
import { limitOf } from "../limit.ts";
import { emptyResponse, jsonResponse, piecesResponse, streamResponse } from "../responses.ts";

const OFFERS = ["application/json", HAR_MEDIA_TYPE, "text/event-stream"] as const;

/** Limit of the milliseconds to wait for request bodies that clients are still sending. */
const LONGEST_WAIT = 1000;

/** `GET /requests` */
export async function listRequests(call: ControlCall, context: ControlContext): Promise<Response> {
  const offer = negotiate(call.request.headers.get("accept"), OFFERS)?.index;
  if (offer === undefined) throw errorResponse(406, `There is ${OFFERS.join(", ")}.`);
  const filter = filterOfQuery(call.query);
  if (OFFERS[offer] === HAR_MEDIA_TYPE) return await exportRequests(call, context);
  if (OFFERS[offer] === "text/event-stream") return openStream(call, context, filter);
  return jsonPage(call, await entriesOf(call, context, filter), shownOf(call, context));
}

/** `GET /requests.har` */
export async function exportRequests(call: ControlCall, context: ControlContext): Promise<Response> {
  const entries = await entriesOf(call, context, filterOfQuery(call.query));
  return piecesResponse(writeHar(entries, shownOf(call, context)), HAR_MEDIA_TYPE);
}

/** `DELETE /requests` */
export function clearRequests(call: ControlCall): Response {
  journalOf(call).clear();
  return emptyResponse();
}

/** `POST /requests/verify` */
export async function verifyRequests(call: ControlCall, context: ControlContext): Promise<Response> {
  // The cast is safe: `readJson` has validated the body.
  const expectation = await readJson(call, context) as Expectation;
  const journal = journalOf(call);
  checkFilter(expectation, context);
  await waitForBodies(journal, context);
  const { isMet, count, ids, detail, nearest } = verify(journal.entries(), expectation, redactorOf(context));
  if (isMet) return jsonResponse({ count, ids });
  throw errorResponse(417, detail ?? "", [], { count, ids, nearest });
}

/** How entries are shown: without their secrets, unless the query asks for them. */
function shownOf(call: ControlCall, context: ControlContext): (entry: JournalEntry) => JournalEntry {
  return showsSecrets(call) ? (entry) => entry : redactorOf(context).entry;
}

/** Whether the query asks for secrets. */
export function showsSecrets({ query }: ControlCall): boolean {
  const secrets = query.get("secrets") ?? "redacted";
  if (secrets === "shown" || secrets === "redacted") return secrets === "shown";
  throw errorResponse(400, `secrets must be redacted or shown, not ${JSON.stringify(secrets.slice(0, 40))}.`);
}

export function redactorOf({ server: { documents, operations } }: ControlContext): EntryRedactor {
  return createEntryRedactor({ documents, operations: operations.map(({ operation }) => operation) });
}

function jsonPage(
  { query, request }: ControlCall,
  entries: readonly JournalEntry[],
  shown: (entry: JournalEntry) => JournalEntry,
): Response {
  const limit = limitOf(query);
  const after = integerOf(query, "after", 0, Number.MAX_SAFE_INTEGER);
  const before = integerOf(query, "before", 0, Number.MAX_SAFE_INTEGER) ?? Infinity;
  const meant = entries.filter(({ id }) => id > (after ?? 0) && id < before);
  const page = after === undefined ? meant.slice(-limit) : meant.slice(0, limit);
  const [first, last] = [page[0], page.at(-1)];
  const links: string[] = [];
  if (first !== undefined && entries[0] !== first) links.push(link(request.url, "before", first.id, "prev"));
  if (last !== undefined && entries.at(-1) !== last) links.push(link(request.url, "after", last.id, "next"));
  const headers: [string, string][] = links.length === 0 ? [] : [["link", links.join(", ")]];
  return jsonResponse(
    { total: entries.length, requests: page.map((entry) => representEntry(shown(entry))) },
    200,
    headers,
  );
}

/** The value of a `Link` header for another page, as a reference relative to the request's path. */
function link(url: string, name: string, id: number, relation: string): string {
  const { query } = splitTarget(url);
  const others = query.split("&").filter((pair) => pair !== "" && !/^(?:after|before)=/.test(pair));
  // `<`, `>`, `"` and spaces would end the URL in a `Link` header.
  const safe = [...others, `${name}=${id}`].join("&").replace(/[<>"\s]/g, encodeURIComponent);
  return `<?${safe}>; rel="${relation}"`;
}

function openStream(call: ControlCall, context: ControlContext, filter: RequestFilter): Response {
  checkFilter(filter, context);
  if (call.request.method === "HEAD") return new Response(null, { headers: { "content-type": "text/event-stream" } });
  try {
    return streamResponse(streamEvents(journalOf(call), filter, shownOf(call, context)), "text/event-stream");
  } catch (error) {
    if (error instanceof RangeError) throw errorResponse(503, error.message, [["retry-after", "5"]]);
    throw error;
  }
}

async function entriesOf(
  call: ControlCall,
  context: ControlContext,
  filter: RequestFilter,
): Promise<readonly JournalEntry[]> {
  const journal = journalOf(call);
  checkFilter(filter, context);
  await waitForBodies(journal, context);
  const conditions = filterConditions(filter);
  const entries: JournalEntry[] = [];
  for (const entry of journal.entries()) if (fulfils(entry, conditions)) entries.push(entry);
  return entries;
}

/** Refuses a filter with an operation that no definition has. */
function checkFilter(filter: Expectation, { server: { operations } }: ControlContext): void {
  const mistake = mistakeInFilter(filter, operations.map(({ operation }) => operation));
  if (mistake !== undefined) throw errorResponse(400, mistake);
}

/**
 * Waits for request bodies that are still being read, but at most {@linkcode LONGEST_WAIT} milliseconds: a client may
 * never send the rest.
 */
export async function waitForBodies(
  journal: Journal,
  { server: { wait = () => Promise.resolve() } }: ControlContext,
): Promise<void> {
  if (journal.isReading) await Promise.race([journal.settled(), wait(LONGEST_WAIT)]);
}

export function journalOf({ session: { journal } }: ControlCall): Journal {
  if (journal === undefined) throw errorResponse(404, "This server remembers no requests: --journal is 0.");
  return journal;
}

function filterOfQuery(query: Query): RequestFilter {
  const conditions: Record<string, string> = {};
  const headers: Record<string, string> = {};
  const body: Record<string, unknown> = {};
  for (const [name, value] of query) {
    if (name.startsWith("query.")) conditions[name.slice("query.".length)] = value;
    if (name.startsWith("header.")) headers[name.slice("header.".length)] = value;
    if (name.startsWith("body.")) body[pointerOf(name.slice("body.".length))] = bodyValue(value);
  }
  const status = query.get("status");
  if (status !== undefined && !/^[1-5](?:\d\d|XX)$/i.test(status)) {
    throw errorResponse(400, "status must be a status code such as 201, or a range such as 4XX.");
  }
  const texts = ["operation", "method", "path", "source", "rule", "text"].flatMap((name) => {
    const value = query.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  const flags = ["matched", "violations"].flatMap((name) => {
    const value = query.get(name);
    if (value === undefined) return [];
    if (value !== "true" && value !== "false") throw errorResponse(400, `${name} must be true or false.`);
    return [[name, value === "true"]];
  });
  return {
    ...Object.fromEntries([...texts, ...flags]),
    ...status === undefined ? {} : { status },
    query: conditions,
    headers,
    body,
  };
}

function pointerOf(written: string): string {
  if (written === "" || written.startsWith("/")) return written;
  throw errorResponse(400, `After body. a JSON Pointer is meant, such as body./${written.slice(0, 40)}.`);
}

/** A value in a query: parsed as JSON, such as `7` or `"7"`, else the text itself. */
function bodyValue(written: string): unknown {
  const parsed = parseJson(written);
  return parsed.kind === "value" ? parsed.value : written;
}
