/**
 * Small parts of pages: methods, statuses, times, bodies, tables, charts.
 *
 * @module
 */
import { Html, type HtmlValue, markup } from "./html.ts";

export function methodTag(method: string): Html {
  return markup`<span class="method ${/^[A-Z]+$/.test(method) ? method.toLowerCase() : ""}">${method}</span>`;
}

/** A status code; 0 for an answer that wasn't sent. */
export function statusTag(status: number): Html {
  return markup`<span class="status s${Math.floor(status / 100)}">${status === 0 ? "–" : status}</span>`;
}

/** Where an answer comes from: `example`, `rule`, `state` … */
export function sourceTag(source: string): Html {
  return markup`<span class="tag ${/^[a-z]+/.exec(source)?.[0] ?? ""}">${source === "" ? "–" : source}</span>`;
}

/** A time of the day in UTC, which the script shows in the reader's zone. */
export function timeTag(milliseconds: number): Html {
  const written = new Date(milliseconds).toISOString();
  return markup`<time datetime="${written}" title="${written}">${written.slice(11, 19)}</time>`;
}

/** `0.4 ms`, `12 ms`, `1.5 s` */
export function durationText(milliseconds: number | undefined): string {
  if (milliseconds === undefined) return "";
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;
}

/** `1 request`, `2 requests`, `1,000 requests` */
export function countText(number: number, noun: string): string {
  return `${String(number).replace(/\B(?=(?:\d{3})+$)/g, ",")} ${noun}${number === 1 ? "" : "s"}`;
}

/** The columns of a table; `number` aligns to the right, `wide` is left out on narrow screens. */
export interface Column {
  readonly label: HtmlValue;
  readonly kind?: string;
}

/** A table. Each row has its cells in the order of the columns. */
export function table(label: string, columns: readonly Column[], rows: readonly (readonly HtmlValue[])[]): Html {
  const kindOf = (index: number): string => columns[index]?.kind ?? "";
  const headings = columns.map(({ label, kind = "" }) => markup`<th scope="col" class="${kind}">${label}</th>`);
  const cell = (value: HtmlValue, index: number): Html => markup`<td class="${kindOf(index)}">${value}</td>`;
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table>
<thead><tr>${headings}</tr></thead>
<tbody>${rows.map((cells) => markup`<tr>${cells.map(cell)}</tr>\n`)}</tbody>
</table></div>`;
}

/** A choice of a `select`. */
export function option(value: string, label: string, isChosen: boolean): Html {
  return markup`<option value="${value}"${isChosen && markup` selected`}>${label}</option>`;
}

/** Limit of the characters of a text that a page shows. */
const MOST_SHOWN = 100_000;

/** A text in a block of its own, set out by its media type. */
export function bodyBlock(text: string, mediaType: string, id?: string): Html {
  const shown = text.length > MOST_SHOWN ? text.slice(0, MOST_SHOWN) : text;
  const content = /[/+]json\b/i.test(mediaType) ? paintJson(setOutJson(shown)) : markup`${shown}`;
  return markup`<pre tabindex="0"${id !== undefined && markup` id="${id}"`}>${content}</pre>
${shown.length < text.length && markup`<p class="muted">The first ${MOST_SHOWN} of ${text.length} characters.</p>`}`;
}

/** JSON with a line for each member. A text that isn't JSON stays as it is, and so do numbers of any size. */
function setOutJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let depth = 0;
  const line = (): string => `\n${"  ".repeat(Math.min(depth, 100))}`;
  return text.replace(TOKEN, (token, string: string | undefined) => {
    if (string !== undefined) return token;
    if (/\s/.test(token)) return "";
    if (token === ",") return `,${line()}`;
    if (token === ":") return ": ";
    if (/^[[{]\s*[\]}]$/.test(token)) return token[0] + (token.at(-1) ?? "");
    depth += /[[{]/.test(token) ? 1 : -1;
    return /[[{]/.test(token) ? token + line() : line() + token;
  });
}

/** The strings of JSON, empty and other brackets, and what is between them. */
const TOKEN = /("(?:[^"\\]|\\.)*")|\{\s*\}|\[\s*\]|[[\]{},:]|\s+/g;

/** Marks keys, strings and other values of JSON for the stylesheet. */
function paintJson(text: string): Html {
  let marked = "";
  let end = 0;
  for (const found of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g)) {
    const [token, colon] = found;
    const name = colon !== undefined ? "k" : token.startsWith('"') ? "s" : "n";
    const written = colon === undefined ? token : token.slice(0, -colon.length);
    marked += markup`${text.slice(end, found.index)}<span class="${name}">${written}</span>${colon}`;
    end = found.index + token.length;
  }
  return new Html(marked + markup`${text.slice(end)}`);
}

/** The times of events, of which some are wrong, as bars. */
export function barChart(label: string, events: readonly { readonly time: number; readonly isWrong: boolean }[]): Html {
  const [first, last] = [events[0]?.time ?? 0, events.at(-1)?.time ?? 0];
  const width = SPANS.find((width) => width * BARS > last - first) ?? Math.ceil((last - first + 1) / BARS);
  const start = Math.floor(last / width) - BARS + 1;
  const bars = Array.from({ length: BARS }, () => ({ all: 0, wrong: 0 }));
  for (const { time, isWrong } of events) {
    const bar = bars[Math.floor(time / width) - start];
    if (bar === undefined) continue;
    bar.all++;
    if (isWrong) bar.wrong++;
  }
  const most = Math.max(1, ...bars.map(({ all }) => all));
  const rect = (name: string, index: number, number: number): HtmlValue => {
    if (number === 0) return undefined;
    const height = (number / most * 30).toFixed(2);
    return markup`<rect class="${name}" x="${index * 10 + 1}" y="${
      30 - Number(height)
    }" width="8" height="${height}"/>`;
  };
  const unit = width >= 60_000 ? `${width / 60_000} min` : `${width / 1000} s`;
  const title = `${label}: bars of ${unit}, of at most ${most}`;
  return markup`<svg class="chart" viewBox="0 0 ${
    BARS * 10
  } 30" preserveAspectRatio="none" role="img" aria-label="${title}">
<title>${title}</title>
${bars.map(({ all, wrong }, index) => [rect("fine", index, all), rect("wrong", index, wrong)])}
</svg>`;
}

/** The number of bars of a chart. */
const BARS = 60;
/** The milliseconds of a bar, the least that shows all events. */
const SPANS = [1, 5, 15, 60, 300, 900, 3600, 86_400].map((seconds) => seconds * 1000);

/** A text with a button that copies it. */
export function copyBlock(id: string, text: string): Html {
  return markup`<pre class="frame" id="${id}" tabindex="0">${text}</pre>
<p class="copy"><button type="button" data-copy="${id}">Copy</button></p>`;
}

/** A sentence whose parts in backticks are code. */
export function prose(text: string): HtmlValue {
  return text.split("`").map((part, index) => index % 2 === 1 ? markup`<code>${part}</code>` : part);
}
