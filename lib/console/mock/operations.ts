import { child, stringOf } from "../../schema/json/node.ts";
import type { OperationRoute } from "../../mock/operation/mock_route.ts";
import { exact, type Html, type HtmlValue, markup } from "../html.ts";
import { countText, methodTag, sourceTag, table } from "../parts.ts";
import { keyOf, respond, urlOf, type View } from "./view.ts";

/** Limit of the operations on the page. A search finds the others. */
const MOST_SHOWN = 2_000;

/** All operations, with a search. */
export function operationsPage(view: View): Response {
  const { query, context: { server: { operations } } } = view;
  const written = query.get("text") ?? "";
  const words = written.toLowerCase().split(/\s+/).filter(Boolean);
  const found = operations.filter((route) => {
    const text = words.length === 0 ? "" : searchText(route);
    return words.every((word) => text.includes(word));
  });
  const body = markup`<h1>Operations</h1>
<form class="bar" role="search" action="${urlOf(view, "operations")}" data-filter="operations">
<label class="grow">Search <input type="search" name="text" value="${exact(written)}"
placeholder="method, path, operationId, summary, tag" autocomplete="off"></label>
<noscript><button>Search</button></noscript>
</form>
<section id="operations">
<p class="muted"><span data-count>${countText(found.length, "operation")}</span>${
    found.length > MOST_SHOWN && `, the first ${MOST_SHOWN} are shown`
  }</p>
${
    found.length === 0
      ? markup`<div class="card empty"><p>No operation has these words.</p></div>`
      : table("Operations", COLUMNS, found.slice(0, MOST_SHOWN).map((route) => rowOf(view, route)))
  }
</section>`;
  return respond(view, { title: "Operations", current: "operations", body });
}

const COLUMNS = [
  { label: "Method", kind: "tight" },
  { label: "Path" },
  { label: "Summary", kind: "wide" },
  { label: "Answered by", kind: "tight" },
];

function searchText({ operation }: OperationRoute): string {
  const { node } = operation;
  const { value: tags } = child(node, "tags");
  const texts = [stringOf(child(node, "operationId")), stringOf(child(node, "summary"))];
  return [keyOf(operation), ...texts, ...Array.isArray(tags) ? tags : []].join(" ").toLowerCase();
}

function rowOf(view: View, route: OperationRoute): HtmlValue[] {
  const { operation } = route;
  const { method, path, node } = operation;
  return [
    methodTag(method),
    markup`<a class="row-link mono" href="${urlOf(view, "operation", { of: keyOf(operation) })}">${path}</a>${
      child(node, "deprecated").value === true && markup` <span class="tag">deprecated</span>`
    }`,
    stringOf(child(node, "summary")) ?? stringOf(child(node, "operationId")),
    sourceOfRoute(view, route),
  ];
}

/** What answers the operation, as far as it shows without an answer being made. */
export function sourceOfRoute({ context: { server: { resources } } }: View, route: OperationRoute): Html {
  const { action, operation, isStateful } = route;
  if (action.kind !== "mock") return sourceTag(action.kind);
  const binding = isStateful ? resources?.bindingOf(operation) : undefined;
  return binding === undefined ? sourceTag("definition") : sourceTag("state");
}
