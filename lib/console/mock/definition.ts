import { errorResponse } from "../../api/error_response.ts";
import { atOrigin, locateDiagnostics, type UnlocatedDiagnostic } from "../../openapi/diagnostic.ts";
import { namesOf } from "../../openapi/operation.ts";
import { child, stringOf } from "../../schema/json/node.ts";
import type { Source } from "../../schema/json/source.ts";
import { type Html, type HtmlValue, markup } from "../html.ts";
import { countText, methodTag, prose, table, timeTag } from "../parts.ts";
import { keyOf, respond, urlOf, type View } from "./view.ts";

/** What the last loads of the definitions gave. */
export interface LoadStatus {
  /** The warnings about the definitions by which requests are answered. */
  readonly diagnostics: readonly UnlocatedDiagnostic[];
  /** The last reload; absent before the first one. */
  readonly last?: LastReload | undefined;
}

export interface LastReload {
  readonly time: number;
  /** What came of it, as sentences or lines. */
  readonly lines: readonly string[];
  /** The problems because of which the definitions before it still answer; empty if it was taken over. */
  readonly refusedFor: readonly UnlocatedDiagnostic[];
}

/** Limits of what the page shows. */
const MOST_PROBLEMS = 50;
const MOST_UNBOUND = 200;
const MOST_LINES = 100;

/** The definitions: their problems, the last reload, and the resources that were inferred. */
export function definitionPage(view: View, { diagnostics, last }: LoadStatus): Response {
  const { server: { documents, operations, resources } } = view.context;
  const body = markup`<h1>Definition</h1>
${
    table(
      "Definitions",
      [{ label: "Title" }, { label: "Version" }, { label: "Operations", kind: "number" }, { label: "File" }],
      documents.map((document) => {
        const info = child(document.root, "info");
        return [
          stringOf(child(info, "title")),
          stringOf(child(info, "version")),
          operations.filter(({ operation }) => operation.document === document).length,
          markup`<a class="mono" href="${
            urlOf(view, "source", { file: document.uri, line: "1" })
          }">${document.uri}</a>`,
        ];
      }),
    )
  }
${last !== undefined && reloadCard(view, last)}
<section class="card" aria-labelledby="problems"><h2 id="problems">Problems</h2>${
    diagnostics.length === 0 ? markup`<p class="muted">The last load found none.</p>` : problemList(view, diagnostics)
  }</section>
<section class="card" aria-labelledby="resources"><h2 id="resources">Resources</h2>
${
    (resources?.all.length ?? 0) === 0 &&
    markup`<p class="muted">None: no operation is stateful. <code>--stateful</code> infers resources.</p>`
  }
${
    resources?.all.map(({ name, id, bindings, evidence }) =>
      markup`<details><summary>${name}</summary>
<p>Its id is <code>${id.join(".") || "none: it is a single object"}</code>.</p>
<ul>${
        bindings.map(({ kind, operation }) =>
          markup`<li>${kind}: <a href="${urlOf(view, "operation", { of: keyOf(operation) })}">${
            methodTag(operation.method)
          } <code>${operation.path}</code></a></li>`
        )
      }</ul>
<h3>Why</h3><ul>${evidence.map((sentence) => markup`<li>${prose(sentence)}</li>`)}</ul></details>`
    )
  }
${
    resources !== undefined && resources.unbound.length > 0 &&
    markup`<details><summary>${countText(resources.unbound.length, "operation")} without a resource</summary>${
      table(
        "Operations without a resource",
        [{ label: "Operation" }, { label: "Why" }],
        resources.unbound.slice(0, MOST_UNBOUND).map(({ operation, reason }) => {
          const { method, path } = namesOf(operation);
          return [markup`${methodTag(method)} <code>${path}</code>`, prose(reason)];
        }),
      )
    }</details>`
  }
</section>`;
  return respond(view, { title: "Definition", current: "definition", body });
}

function reloadCard(view: View, { time, lines, refusedFor }: LastReload): Html {
  const isRefused = refusedFor.length > 0;
  return markup`<section class="card" aria-labelledby="reload"><h2 id="reload">Last reload, ${timeTag(time)}</h2>
${isRefused && markup`<p class="notice bad">It was refused. Requests are answered by the definition before it.</p>`}
${lines.slice(0, MOST_LINES).map((line) => markup`<p class="mono">${line}</p>`)}
${isRefused && problemList(view, refusedFor)}</section>`;
}

function problemList(view: View, diagnostics: readonly UnlocatedDiagnostic[]): Html {
  const shown = diagnostics.slice(0, MOST_PROBLEMS);
  const sources = new Map(shown.map((diagnostic) => {
    const { source } = atOrigin(diagnostic);
    return [source.uri, source] as const;
  }));
  const texts = new Map<string, readonly string[]>();
  const linesOf = (uri: string): readonly string[] => {
    let lines = texts.get(uri);
    if (lines === undefined) texts.set(uri, lines = linesOfSource(sources.get(uri)));
    return lines;
  };
  return markup`<ul class="plain">${
    locateDiagnostics(shown).map(({ severity, code, message, uri, line, column }) =>
      markup`<li><p><span class="tag ${severity === "error" ? "bad" : "warn"}">${severity}</span> ${prose(message)}
<span class="muted">${code}</span> <a class="mono" href="${urlOf(view, "source", { file: uri, line: String(line) })}">${
        uri.slice(uri.lastIndexOf("/") + 1)
      }:${line}:${column}</a></p>${codeFrame(linesOf(uri), line, 2, 2)}</li>`
    )
  }</ul>${
    diagnostics.length > shown.length &&
    markup`<p class="muted">And ${diagnostics.length - shown.length} more; <code>gw validate</code> shows all.</p>`
  }`;
}

/** The lines of a text; none of one that may be confidential. */
function linesOfSource(source: Source | undefined): readonly string[] {
  return source === undefined || source.isHidden === true ? [] : source.text().split(/\r?\n/);
}

/** Limit of the characters of a line. */
const LONGEST_LINE = 400;

function codeFrame(lines: readonly string[], line: number, before: number, after: number): HtmlValue {
  if (lines.length === 0) return undefined;
  const first = Math.max(1, line - before);
  const shown = lines.slice(first - 1, line + after);
  const width = String(first + shown.length).length;
  return markup`<pre class="frame" tabindex="0">${
    shown.map((text, index) => {
      const number = first + index;
      const row = `${String(number).padStart(width)}  ${text.slice(0, LONGEST_LINE)}`;
      return markup`${number === line ? markup`<mark>${row}</mark>` : row}\n`;
    })
  }</pre>`;
}

/** The lines around a place of a definition. */
export function sourcePage(view: View): Response {
  const { query, context: { server: { documents } } } = view;
  const file = query.get("file") ?? "";
  const line = Math.max(1, Number(query.get("line")) || 1);
  const source = documents.flatMap(({ sources, overlays }) => [...sources.values(), ...overlays])
    .find(({ uri }) => uri === file);
  if (source === undefined) throw errorResponse(404, "No definition has such a file.");
  const lines = linesOfSource(source);
  const to = (number: number, label: string): HtmlValue =>
    number >= 1 && number <= lines.length &&
    markup`<a class="button" href="${urlOf(view, "source", { file, line: String(number) })}">${label}</a>`;
  const body = markup`<h1 class="mono">${file.slice(file.lastIndexOf("/") + 1)}:${line}</h1>
<p class="muted mono">${file}</p>
<section class="card">${
    codeFrame(lines, line, 15, 30) ?? markup`<p>The text may be confidential, so that it isn't shown.</p>`
  }
<div class="actions">${to(line - 45, "Before")}${to(line + 45, "After")}</div></section>`;
  return respond(view, { title: "Definition", current: "definition", body });
}
