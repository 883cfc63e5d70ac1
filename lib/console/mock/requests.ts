import { conditionsOf, fulfils } from "../../mock/journal/filter.ts";
import type { JournalEntry } from "../../mock/journal/entry.ts";
import { createEntryRedactor, type EntryRedactor } from "../../mock/journal/redact_entry.ts";
import { splitTarget } from "../../http/url.ts";
import { exact, type Html, type HtmlValue, markup } from "../html.ts";
import {
  barChart,
  count,
  durationText,
  methodTag,
  option,
  prose,
  sourceTag,
  statusTag,
  table,
  timeTag,
} from "../parts.ts";
import { pageResponse } from "../site.ts";
import { apiButton } from "./act.ts";
import { nameOfSession, respond, sessionOf, SHARED, urlOf, type View } from "./view.ts";

/** The number of requests on the page, the latest first. */
const MOST_ROWS = 100;

/** The header by which the page's script asks for the log alone. Its value is the version that is shown. */
const KNOWN = "x-gw-known";

/** The requests that the server got, as they come. */
export function requestsPage(view: View): Response {
  const known = view.request.headers.get(KNOWN);
  const version = versionOf(view);
  if (known === version) return new Response(null, { status: 204 });
  const log = renderLog(view, version);
  if (known !== null) return pageResponse(log);
  const body = markup`
    <div class="heading">
      <h1>Requests</h1>
      <div class="actions">
    <button type="button" data-pause="log" aria-pressed="false">Pause</button>
    ${apiButton(view, "DELETE /requests", urlOf(view, ""), "Clear", "danger")}
      </div>
    </div>
    ${filterForm(view)}
    ${log}
  `;
  return respond(view, { title: "Requests", current: "", body });
}

const STATUSES = ["2XX", "3XX", "4XX", "5XX"];
const SOURCES = ["example", "examples", "generated", "state", "rule", "status", "problem", "redirect", "upstream"];
const KINDS = [["unmatched", "that fit no operation"], ["violations", "with violations"]] as const;

function filterForm(view: View): Html {
  const { query, context: { server: { sessions } } } = view;
  const names = sessions.list().map(({ name }) => name);
  const select = (name: string, label: string, choices: readonly (readonly [value: string, label: string])[]): Html => {
    const chosen = query.get(name) ?? "";
    const options = choices.map(([value, label]) => option(value, label, value === chosen));
    return markup`<label>${label} <select name="${name}">${options}</select></label>`;
  };
  return markup`<form class="bar" role="search" action="${urlOf(view, "")}" data-filter="log">
<label class="grow">Filter <input type="search" name="text" value="${exact(query.get("text") ?? "")}"
placeholder="path, header, body, operation" autocomplete="off"></label>
${select("status", "Status", [["", "any"], ...STATUSES.map((status) => [status, status.toLowerCase()] as const)])}
${select("source", "Answered by", [["", "anything"], ...SOURCES.map((source) => [source, source] as const)])}
${select("only", "Show", [["", "all"], ...KINDS])}
${
    names.length > 1 && select("session", "Session", [
      ["", "all"],
      ...names.map((name) => [name === "" ? SHARED : name, nameOfSession(name)] as const),
    ])
  }
<noscript><button>Filter</button></noscript>
</form>`;
}

/** Changes with each request, and when requests are cleared. */
function versionOf(view: View): string {
  const journals = view.context.server.sessions.list().flatMap(({ journal }) => journal ?? []);
  return journals.map((journal) => `${journal.lastId}.${journal.size}`).join("-");
}

function renderLog(view: View, version: string): Html {
  const { server: { documents, operations } } = view.context;
  const { entries, events } = selectEntries(view);
  const redactor = createEntryRedactor({ documents, operations: operations.map(({ operation }) => operation) });
  const shown = entries.slice(-MOST_ROWS).reverse();
  const wrong = events.filter(({ isWrong }) => isWrong).length;
  const hasSessions = view.context.server.sessions.list().length > 1;
  return markup`<section id="log" data-live data-known="${version}">
${events.length > 0 && barChart(`${count(events.length, "request")} over time`, events)}
<p class="muted"><span data-count>${count(events.length, "request")}, ${count(wrong, "error")}</span>${
    shown.length < entries.length && ` · the latest ${MOST_ROWS} are shown`
  }</p>
${
    shown.length === 0
      ? emptyLog(view)
      : table("Requests", columnsOf(hasSessions), shown.map((entry) => rowOf(view, entry, redactor, hasSessions)))
  }
</section>`;
}

function columnsOf(hasSessions: boolean) {
  return [
    { label: "Time", kind: "time wide" },
    { label: "Method", kind: "tight" },
    { label: "Path" },
    { label: "Status", kind: "tight" },
    { label: "Answered by", kind: "tight wide" },
    { label: "Duration", kind: "number wide" },
    ...hasSessions ? [{ label: "Session", kind: "tight wide" }] : [],
  ];
}

function rowOf(view: View, recorded: JournalEntry, redactor: EntryRedactor, hasSessions: boolean): HtmlValue[] {
  const { id, time, duration, session, request, response, violations, operation } = redactor.entry(recorded);
  const { path, query } = splitTarget(request.url);
  const url = urlOf(view, "request", { id: String(id) });
  const detail = operation === undefined || response.source === "problem" ? response.detail : violations[0]?.message;
  return [
    timeTag(time),
    methodTag(request.method),
    markup`<a class="row-link mono" href="${url}">${path}${
      query !== "" && markup`<span class="muted">?${query}</span>`
    }</a>
${detail !== undefined && markup`<span class="detail">${prose(detail.slice(0, 300))}</span>`}`,
    statusTag(response.status),
    [
      sourceTag(response.source),
      violations.length > 0 && markup` <span class="tag warn">${count(violations.length, "violation")}</span>`,
    ],
    durationText(duration),
    ...hasSessions ? [nameOfSession(session)] : [],
  ];
}

function emptyLog({ request, query, context }: View): Html {
  if (context.server.sessions.shared.journal === undefined) {
    return markup`
      <div class="card empty">
        <p>This server remembers no requests: <code>--journal</code> is 0.</p>
      </div>
    `;
  }
  if ([...query.values()].some((value) => value !== "")) {
    return markup`
      <div class="card empty">
        <p>No request fits the filter.</p>
      </div>
    `;
  }
  return markup`
    <div class="card empty">
      <p>No request yet. Send one to <code>${new URL(request.url).origin}</code>,
    and it appears here.</p>
    </div>
  `;
}

interface Selected {
  /** The requests that fit the filter, the oldest first. */
  readonly entries: readonly JournalEntry[];
  readonly events: readonly { readonly time: number; readonly isWrong: boolean }[];
}

function selectEntries(view: View): Selected {
  const { sessions } = view.context.server;
  const session = view.query.get("session") ?? "";
  const chosen = session === "" ? sessions.list() : [sessionOf(view)];
  const fits = filterOf(view);
  const entries = chosen.flatMap(({ journal }) => [...journal?.entries() ?? []].filter(fits));
  if (chosen.length > 1) entries.sort((a, b) => a.id - b.id);
  const events = entries.map(({ time, response: { status } }) => ({ time, isWrong: status >= 400 || status === 0 }));
  return { entries, events };
}

function filterOf({ query }: View): (entry: JournalEntry) => boolean {
  const status = query.get("status") ?? "";
  const source = query.get("source") ?? "";
  const only = query.get("only") ?? "";
  const conditions = conditionsOf(status === "" ? {} : { status });
  const hasText = textTest(query.get("text") ?? "");
  return (entry) => {
    if (source !== "" && entry.response.source.split(".")[0] !== source) return false;
    if (only === "unmatched" && entry.operation !== undefined) return false;
    if (only === "violations" && entry.violations.length === 0) return false;
    return fulfils(entry, conditions) && hasText(entry);
  };
}

/** Tells whether a text is in a request's path, operation, headers or bodies, in any case. */
function textTest(written: string): (entry: JournalEntry) => boolean {
  const wanted = written.trim().toLowerCase();
  if (wanted === "") return () => true;
  const decoder = new TextDecoder();
  const has = (text: string | undefined): boolean => text !== undefined && text.toLowerCase().includes(wanted);
  return ({ operation, request, response }) =>
    has(request.url) || has(`${request.method} ${operation?.path}`) || has(operation?.operationId) ||
    has(response.detail) ||
    [request, response].some(({ headers, body }) =>
      headers.some(([name, value]) => has(`${name}: ${value}`)) || body !== undefined && has(decoder.decode(body))
    );
}
