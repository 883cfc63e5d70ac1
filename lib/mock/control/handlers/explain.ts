import { errorResponse } from "../../../api/error_response.ts";
import { messageOf } from "../../../http/message.ts";
import type { Explanation, RecordedOutcome, RequestDescription } from "../../explain/explanation.ts";
import type { JournalEntry } from "../../journal/entry.ts";
import { isObject } from "../../../schema/json/node.ts";
import { writeJson } from "../../../schema/json/json.ts";
import { readJson } from "../content.ts";
import type { ControlCall, ControlContext } from "../context.ts";
import { jsonResponse } from "../responses.ts";
import { journalOf, redactorOf, showsSecrets, waitForBodies } from "./requests.ts";

/** `POST /explain` */
export async function explainRequest(call: ControlCall, context: ControlContext): Promise<Response> {
  const { request, note } = describedRequest(readDescription(await readJson(call, context)), call.request.url);
  return jsonResponse(withNotes(await context.explain(request, call.session), note === undefined ? [] : [note]));
}

/** `GET /requests/{id}/explain` */
export async function explainRecorded(call: ControlCall, context: ControlContext): Promise<Response> {
  const journal = journalOf(call);
  const isShown = showsSecrets(call);
  await waitForBodies(journal, context);
  const { id = "" } = call.parameters;
  const entry = [...journal.entries()].find((entry) => String(entry.id) === id);
  if (entry === undefined) throw errorResponse(404, `The journal has no request ${writeJson(id.slice(0, 40))}.`);
  const explained = await context.explain(recordedRequest(entry), call.session);
  const explanation = withNotes({ ...explained, recorded: recordedOutcome(entry, explained) }, notesOn(entry));
  if (isShown) return jsonResponse(explanation);
  return jsonResponse(mapTexts(explanation, redactorOf(context).sentences(entry)));
}

/** The description has been validated against the schema in the API's description. */
function readDescription(value: unknown): RequestDescription {
  const { method, path, headers, body } = isObject(value) ? value : {};
  const texts = isObject(headers) ? Object.entries(headers).map(([name, text]) => [name, String(text)]) : [];
  return {
    ...typeof method === "string" ? { method } : {},
    path: String(path),
    headers: Object.fromEntries(texts),
    body,
  };
}

/**
 * Makes the request of a description.
 *
 * @param url A URL of this server, whose origin the request has unless its path is a whole URL.
 * @throws {ErrorResponse} With 422, if no HTTP request can be so.
 */
function describedRequest(
  { method = "GET", path, headers = {}, body }: RequestDescription,
  url: string,
): { request: Request; note: string | undefined } {
  try {
    const sent = new Headers(Object.entries(headers));
    const verb = method.toUpperCase();
    const target = path.startsWith("/") ? new URL(url).origin + path : path;
    if (body === undefined) return { request: new Request(target, { method: verb, headers: sent }), note: undefined };
    if (verb === "GET" || verb === "HEAD") {
      return { request: new Request(target, { method: verb, headers: sent }), note: withoutBody(verb) };
    }
    if (typeof body !== "string" && !sent.has("content-type")) sent.set("content-type", "application/json");
    const text = typeof body === "string" ? body : writeJson(body);
    if (!sent.has("content-type")) sent.set("content-type", "text/plain;charset=UTF-8");
    return { request: new Request(target, { method: verb, headers: sent, body: text }), note: undefined };
  } catch (error) {
    throw errorResponse(422, `No request can be so: ${messageOf(error)}.`);
  }
}

function withoutBody(method: string): string {
  return `The body is left out: a ${method} request has none.`;
}

function recordedRequest({ request: { method, url, headers, body } }: JournalEntry): Request {
  const hasNone = body === undefined || method === "GET" || method === "HEAD";
  const sent = new Headers(headers.map(([name, value]): [string, string] => [name, value]));
  // The journal has the body after content decoding.
  sent.delete("content-encoding");
  sent.delete("content-length");
  return new Request(url, { method, headers: sent, ...hasNone ? {} : { body: body.slice() } });
}

function recordedOutcome(
  { id, response: { status, source } }: JournalEntry,
  { outcome }: Explanation,
): RecordedOutcome {
  const isUnsent = outcome.status === undefined;
  const differs = isUnsent ? source !== outcome.source : status !== outcome.status || source !== outcome.source;
  return { id, status, source, differs };
}

function notesOn({ request: { method, lacksDetails, body, bodyLength } }: JournalEntry): string[] {
  return [
    ...lacksDetails === true
      ? [
        "Headers and body weren't recorded, as too many requests came in that second: the answer may have another reason.",
      ]
      : [],
    ...body !== undefined && bodyLength !== undefined
      ? [`Only the first ${body.length} of ${bodyLength} bytes of the body were recorded.`]
      : [],
    ...body !== undefined && (method === "GET" || method === "HEAD") ? [withoutBody(method)] : [],
  ];
}

function withNotes(explanation: Explanation, notes: readonly string[]): Explanation {
  return notes.length === 0 ? explanation : { ...explanation, notes };
}

/** Changes all texts in a JSON value, but not the names of properties. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, mapTexts(part, change)]));
}
