import { errorResponse } from "../../api/error_response.ts";
import { isNullBodyStatus } from "../../http/body.ts";
import { decodeQueryText, splitQuery, splitTarget } from "../../http/url/url.ts";
import type { HeaderList } from "../../http/handler.ts";
import type { Explanation } from "../../mock/explain/explanation.ts";
import type { JournalEntry, JournalMessage } from "../../mock/journal/entry.ts";
import { createEntryRedactor } from "../../mock/journal/redact_entry.ts";
import { decodeStrictly } from "../../http/decode_strictly.ts";
import { headerOf, representEntry } from "../../mock/journal/represent.ts";
import { writeJson } from "../../schema/json/json.ts";
import { type Html, type HtmlValue, markup } from "../html.ts";
import {
  bodyBlock,
  copyBlock,
  durationText,
  methodTag,
  prose,
  sourceTag,
  statusTag,
  table,
  timeTag,
} from "../parts.ts";
import { renderSteps } from "./decision.ts";
import { overlayOf } from "./overlay.ts";
import { sendForm } from "./send.ts";
import { snippetsOf } from "./snippets.ts";
import { nameOfSession, respond, urlOf, type View } from "./view.ts";

/** One request: what was sent and answered, and why. */
export async function requestPage(view: View): Promise<Response> {
  const { query, context: { server: { documents, operations } } } = view;
  const recorded = entryOf(view, query.get("id") ?? "");
  const isShown = query.get("secrets") === "shown" && mayReveal(view);
  const redactor = createEntryRedactor({ documents, operations: operations.map(({ operation }) => operation) });
  const entry = isShown ? recorded : redactor.entry(recorded);
  const { request, response } = entry;
  const { path, query: search } = splitTarget(request.url);
  const title = `${request.method} ${path}`;
  const body = markup`<div class="heading">
<h1>${methodTag(request.method)} <span class="mono">${path}</span> ${statusTag(response.status)}</h1>
<p class="muted">${timeTag(entry.time)} · session ${nameOfSession(entry.session)}${
    entry.duration !== undefined && ` · ${durationText(entry.duration)}`
  }</p>
</div>
<div class="split">
<div>${await explanationCard(view, entry)}</div>
<div>
<section class="card"><h2>Sent</h2>
${queryTable(search)}
${headerList(request.headers, request.lacksDetails)}
${bodyOf(request, headerOf(request.headers, "content-type"))}
</section>
<section class="card"><h2>Answered</h2>
<p>${statusTag(response.status)} ${sourceTag(response.source)}</p>
${headerList(response.headers)}
${response.body === undefined && response.detail !== undefined && markup`<p>${prose(response.detail)}</p>`}
${isNullBodyStatus(response.status) ? undefined : bodyOf(response, response.mediaType)}
</section>
${
    !isShown && mayReveal(view) && isRedacted(entry, recorded) && markup`<p class="muted">Secrets are redacted.
<a href="${urlOf(view, "request", { id: String(entry.id), secrets: "shown" })}">Show them</a></p>`
  }
</div>
</div>
${await actionsOf(view, entry, recorded)}`;
  return respond(view, { title, current: "", body });
}

/** Whether an entry lacks something of the recorded one. */
function isRedacted(entry: JournalEntry, recorded: JournalEntry): boolean {
  return writeJson(representEntry(entry)) !== writeJson(representEntry(recorded));
}

/** The recorded request with a number, in any session. */
function entryOf({ context: { server: { sessions } } }: View, id: string): JournalEntry {
  for (const { journal } of sessions.list()) {
    for (const entry of journal?.entries() ?? []) if (String(entry.id) === id) return entry;
  }
  throw errorResponse(404, "The journal has no such request: it was cleared, or newer requests have displaced it.");
}

/** Whether secrets may be shown: to browsers on the server's machine, which need no login. */
function mayReveal({ isLoggedIn, request }: View): boolean {
  return !isLoggedIn && !request.headers.has("authorization");
}

/** Why the request got its answer, as the control API explains it. */
async function explanationCard(view: View, { id, session, operation, response }: JournalEntry): Promise<Html> {
  const { context: { api, server: { controlPath } }, request } = view;
  const url = new URL(`${controlPath}requests/${id}/explain`, request.url);
  if (session !== "") url.searchParams.set("session", session);
  const answer = await api(new Request(url));
  if (!answer.ok) {
    await answer.body?.cancel();
    return markup`<section class="card"><h2>Why this answer</h2><p>${
      response.detail ?? "It isn't known any more."
    }</p></section>`;
  }
  const explanation: Explanation = await answer.json();
  const { outcome, recorded, notes = [] } = explanation;
  const name = operation && `${operation.method} ${operation.path}`;
  return markup`<section class="card" aria-labelledby="why"><h2 id="why">Why this answer</h2>
${name !== undefined && markup`<p><a href="${urlOf(view, "operation", { of: name })}">${name}</a></p>`}
${
    recorded?.differs === true &&
    markup`<p class="notice warn">The same request would now get ${
      outcome.status === undefined ? "another answer" : statusTag(outcome.status)
    } ${sourceTag(outcome.source)}: rules, state or definition have changed since. This is why it would:</p>`
  }
${notes.map((note) => markup`<p class="notice warn">${note}</p>`)}
${renderSteps(view, explanation)}
</section>`;
}

function queryTable(query: string): HtmlValue {
  if (query === "") return undefined;
  const parameters = [...splitQuery(query, MOST_PARAMETERS)];
  return [
    markup`<h3>Query</h3>`,
    table(
      "Query",
      [{ label: "Name" }, { label: "Value" }],
      parameters.flatMap(([name, values]) =>
        values.map((value) => [markup`<code>${name}</code>`, markup`<code>${decodeQueryText(value)}</code>`])
      ),
    ),
  ];
}

/** Limit of the query parameters that are listed. */
const MOST_PARAMETERS = 200;

function headerList(headers: HeaderList, lacksDetails = false): Html {
  if (lacksDetails) {
    return markup`<p class="muted">Headers and body weren't recorded: too many requests in that second.</p>`;
  }
  return markup`<details${headers.length < 8 && markup` open`}><summary>${headers.length} headers</summary>
<dl>${
    headers.map(([name, value]) => markup`<dt><code>${name}</code></dt><dd><code>${value}</code></dd>`)
  }</dl></details>`;
}

function bodyOf({ body, bodyLength }: JournalMessage, mediaType: string): HtmlValue {
  if (body === undefined) return undefined;
  const text = decodeStrictly(body, { isStart: bodyLength !== undefined });
  if (text === undefined) {
    return markup`<p class="muted">${bodyLength ?? body.length} bytes of ${mediaType || "an unknown type"}.</p>`;
  }
  const rest = bodyLength !== undefined &&
    markup`<p class="muted">The first ${body.length} of ${bodyLength} bytes.</p>`;
  if (/^application\/x-www-form-urlencoded\b/i.test(mediaType)) return [queryTable(text), rest];
  return [bodyBlock(text, mediaType === "" && /^\s*[{[]/.test(text) ? "application/json" : mediaType), rest];
}

async function actionsOf(view: View, entry: JournalEntry, recorded: JournalEntry): Promise<Html> {
  const { request, response, operation } = entry;
  const { path, query } = splitTarget(request.url);
  const rule = `${request.method} ${path}: ${response.status >= 400 ? 200 : 503}`;
  const overlay = operation === undefined ? undefined : await overlayOf(view, recorded);
  const text = request.body && decodeStrictly(request.body, { isStart: request.bodyLength !== undefined });
  const headers = request.headers.filter(([name]) => !UNSENT.has(name.toLowerCase()));
  return markup`<section class="card" aria-labelledby="again"><h2 id="again">Send again</h2>
${
    sendForm(view, {
      method: request.method,
      target: query === "" ? path : `${path}?${query}`,
      headers,
      body: text ?? "",
      session: entry.session,
    })
  }
</section>
<div class="columns">
<section class="card"><h2>Copy as</h2>
${
    snippetsOf(entry, fileOf(view)).map(({ name, text }, index) =>
      markup`<details${index === 0 && markup` open`}><summary>${name}</summary>${
        copyBlock(`copy${index}`, text)
      }</details>`
    )
  }
</section>
<section class="card"><h2>Change the next answer</h2>
<p><a class="button" href="${urlOf(view, "rules", { text: rule, session: entry.session })}">Make a rule of it</a></p>
${
    overlay !== undefined && markup`<h3>Its answer as an example</h3>
<p class="muted">An overlay: save it, and start with <code>--overlay FILE</code>.</p>
${copyBlock("overlay", overlay)}`
  }
</section>
</div>`;
}

/** The name of the definition's file, as a test would name it. */
function fileOf({ context: { server: { documents: [first] } } }: View): string {
  return first === undefined ? "openapi.yaml" : first.uri.slice(first.uri.lastIndexOf("/") + 1);
}

/** Headers that a browser sets itself. */
const UNSENT: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "host",
  "origin",
  "referer",
  "user-agent",
]);
