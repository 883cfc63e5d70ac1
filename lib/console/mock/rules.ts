import type { ListedRule } from "../../mock/rules/rule_list.ts";
import { writeJson } from "../../schema/json/json.ts";
import { exact, type Html, type HtmlValue, markup } from "../html.ts";
import { option, table } from "../parts.ts";
import { apiButton, apiForm } from "./act.ts";
import { keyOf, respond, sessionChoice, sessionOf, urlOf, type View } from "./view.ts";

/** What people most often add to an operation. */
const EXAMPLES: readonly (readonly [words: string, effect: string])[] = [
  ["503", "answers 503"],
  ["503 x2", "twice, then as before"],
  ["500 10%", "each tenth time"],
  ["delay 200-800", "delays the answer, in milliseconds"],
  ["429,429,ok", "answers in turn"],
  ["reset", "breaks the connection"],
  ["404 if query.status=open", "only if the request has this"],
];

const FAULTS = ["reset", "empty", "truncated", "slow", "time-out"];

/** The rules of a session, in the order in which they are tried. */
export function rulesPage(view: View): Response {
  const { query } = view;
  const back = urlOf(view, "rules", { session: sessionOf(view).name });
  const rules = sessionOf(view).rules.list();
  const [first] = view.context.server.operations;
  const example = first === undefined ? "* *" : keyOf(first.operation);
  const body = markup`<div class="heading"><h1>Rules</h1><div class="actions">${
    rules.length > 0 && apiButton(view, "DELETE /rules", back, "Remove all", "danger")
  }</div></div>
<p class="muted">A rule changes, delays or breaks the answers of operations. The first one that fits a request applies.</p>
${
    rules.length === 0
      ? markup`<div class="card empty"><p>No rule: every request gets its own answer.</p></div>`
      : rulesTable(view, rules, back)
  }
<div class="columns">
<section class="card"><h2>Add in words</h2>
${
    apiForm(view, {
      call: "POST /rules",
      back,
      body: markup`<label>Rule <input class="mono" name="text" required value="${
        exact(query.get("text") ?? "")
      }" placeholder="${example}: 503 x1"></label><button class="main">Add the rule</button>`,
    })
  }
<details><summary>Examples</summary><dl>${
    EXAMPLES.map(([words, effect]) => markup`<dt><code>${example}: ${words}</code></dt><dd>${effect}</dd>`)
  }</dl></details>
</section>
<section class="card"><h2>Add by a form</h2>
${apiForm(view, { call: "POST /rules", back, body: ruleFields(view) })}
</section>
</div>`;
  return respond(view, { title: "Rules", current: "rules", body, aside: sessionChoice(view, "rules") });
}

function rulesTable(view: View, rules: readonly ListedRule[], back: string): Html {
  const columns = [
    { label: "Order", kind: "number" },
    { label: "For" },
    { label: "Does" },
    { label: "Applied", kind: "number" },
    { label: "From", kind: "tight wide" },
    { label: markup`<span class="unseen">Remove</span>`, kind: "tight" },
  ];
  return table(
    "Rules",
    columns,
    rules.map(({ id, rule, source, applied }, index): HtmlValue[] => {
      const { operation, match, ...does } = rule;
      return [
        index + 1,
        [
          markup`<code>${operation}</code>`,
          match !== undefined && markup`<span class="detail">if ${writeJson(match)}</span>`,
        ],
        markup`<code>${wordsOf(does)}</code>`,
        applied,
        source,
        source === "session" && apiButton(view, `DELETE /rules/${id}`, back, "Remove", "quiet danger"),
      ];
    }),
  );
}

/** What a rule does: its parts, each as `name value`. */
function wordsOf(outcome: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(outcome).map(([name, value]) =>
    `${name} ${typeof value === "string" ? value : writeJson(value)}`
  );
  return parts.length === 0 ? "nothing" : parts.join(", ");
}

function ruleFields(view: View): Html {
  const { operations } = view.context.server;
  const chosen = view.query.get("operation") ?? "* *";
  const names = operations.slice(0, MOST_OPERATIONS).map(({ operation }) => keyOf(operation));
  return markup`<label>Operation <input class="mono" name="operation" list="operations" required value="${
    exact(chosen)
  }"></label>
<datalist id="operations"><option value="* *">${names.map((name) => markup`<option value="${name}">`)}</datalist>
<div class="fields">
<label>Status <input name="status:number" type="number" min="200" max="599"></label>
<label>How often at most <input name="times:number" type="number" min="1"></label>
<label>Share, from 0 to 1 <input name="share:number" type="number" min="0" max="1" step="any"></label>
<label>Delay in ms <input name="delay:number" type="number" min="0"></label>
<label>Fault <select name="fault">${option("", "none", true)}${
    FAULTS.map((fault) => option(fault, fault, false))
  }</select></label>
<label>Example <input name="example"></label>
</div>
<label>Body, as JSON <textarea name="body:json" rows="3" spellcheck="false"></textarea></label>
<label>If, as JSON <input class="mono" name="match:json" placeholder="{&quot;query.status&quot;: &quot;open&quot;}"></label>
<button>Add the rule</button>`;
}

/** The operations that the form offers. */
const MOST_OPERATIONS = 2_000;
