import { filterConditions, fulfils, type RequestFilter } from "../../mock/journal/filter.ts";
import type { JournalEntry } from "../../mock/journal/entry.ts";
import { createEntryRedactor, type EntryRedactor } from "../../mock/journal/redact_entry.ts";
import { splitTarget } from "../../http/url/url.ts";
import { exact, type Html, type HtmlValue, markup } from "../html.ts";
import {
  barChart,
  countText,
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
placeholder="a text of the path, a header or a body" autocomplete="off"></label>
${
    query.has("operation") &&
    markup`<label>Operation <input class="mono" name="operation" value="${
      exact(query.get("operation") ?? "")
    }"></label>`
  }
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
  const { latest, events } = selectEntries(view);
  const redactor = createEntryRedactor({ documents, operations: operations.map(({ operation }) => operation) });
  const shown = latest.toReversed();
  const wrong = events.filter(({ isWrong }) => isWrong).length;
  const hasSessions = view.context.server.sessions.list().length > 1;
  return markup`<section id="log" data-live data-known="${version}">
${events.length > 0 && barChart(`${countText(events.length, "request")} over time`, events)}
<p class="muted"><span data-count>${countText(events.length, "request")}, ${countText(wrong, "error")}</span>${
    shown.length < events.length && ` · the latest ${MOST_ROWS} are shown`
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
      violations.length > 0 && markup` <span class="tag warn">${countText(violations.length, "violation")}</span>`,
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
  /** The latest requests that fit the filter, the oldest first. */
  readonly latest: readonly JournalEntry[];
  /** All of them. */
  readonly events: readonly { readonly time: number; readonly isWrong: boolean }[];
}

function selectEntries(view: View): Selected {
  const { sessions } = view.context.server;
  const session = view.query.get("session") ?? "";
  const chosen = session === "" ? sessions.list() : [sessionOf(view)];
  const conditions = filterConditions(filterOf(view));
  const latest: JournalEntry[] = [];
  const events: { time: number; isWrong: boolean }[] = [];
  for (const { journal } of chosen) {
    // A ring of the latest ones, since a journal may have many.
    const found: JournalEntry[] = [];
    let number = 0;
    for (const entry of journal?.entries() ?? []) {
      if (!fulfils(entry, conditions)) continue;
      const { time, response: { status } } = entry;
      events.push({ time, isWrong: status >= 400 || status === 0 });
      found[number++ % MOST_ROWS] = entry;
    }
    latest.push(...found);
  }
  latest.sort((a, b) => a.id - b.id);
  if (chosen.length > 1) events.sort((a, b) => a.time - b.time);
  return { latest: latest.slice(-MOST_ROWS), events };
}

function filterOf({ query }: View): RequestFilter {
  const only = query.get("only");
  const texts = (["text", "status", "source", "operation"] as const).flatMap((name) => {
    const value = (query.get(name) ?? "").trim();
    return value === "" ? [] : [[name, value]];
  });
  return {
    ...Object.fromEntries(texts),
    ...only === "unmatched" ? { matched: false } : {},
    ...only === "violations" ? { violations: true } : {},
  };
}
