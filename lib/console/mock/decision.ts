/**
 * The steps of a decision, as a list.
 *
 * @module
 */
import type {
  DefinitionPlace,
  ExplainedCondition,
  Explanation,
  Step,
  StepDetails,
  StepName,
} from "../../mock/explain/explanation.ts";
import { writeJson } from "../../schema/json/json.ts";
import { type Html, type HtmlValue, markup } from "../html.ts";
import { methodTag, prose, table } from "../parts.ts";
import { urlOf, type View } from "./view.ts";

const TITLES: Readonly<Record<StepName, string>> = {
  request: "Read the request",
  session: "Session",
  route: "Operation",
  credentials: "Credentials",
  validation: "Validation",
  rules: "Rules",
  preferences: "Preferences",
  conditions: "Conditions of examples",
  response: "Status",
  accept: "Media type",
  content: "Body",
  headers: "Headers",
  delay: "Delay",
  fault: "Fault",
};

export function renderSteps(view: View, { outcome, steps }: Explanation): Html {
  return markup`<ol class="steps">${
    steps.map((step) => {
      const decides = step.step === outcome.decidedBy;
      return markup`<li${decides && markup` class="decides"`}><h3>${TITLES[step.step]}${
        decides && " – this decided"
      }</h3>
<p>${prose(step.summary)} ${placeLink(view, step.at)}</p>
${detailsOf(view, step)}</li>\n`;
    })
  }</ol>`;
}

/** A link to a line of the definition: `todo.yaml:51`. */
export function placeLink(view: View, at: DefinitionPlace | undefined): HtmlValue {
  if (at === undefined) return undefined;
  const { file, line, pointer } = at;
  const name = file.slice(file.lastIndexOf("/") + 1);
  if (line === undefined) return markup`<code class="muted">${name}#${pointer}</code>`;
  return markup`<a class="mono" href="${urlOf(view, "source", { file, line: String(line) })}">${name}:${line}</a>`;
}

function detailsOf(view: View, { step, details = {} }: Step): HtmlValue {
  const { near = [], violations = [], rules = [], examples = [], offers = [], remarks = [], headers } = details;
  switch (step) {
    case "route":
      return [
        parametersOf(details),
        near.length > 0 &&
        table(
          "Nearest operations",
          [{ label: "Near it" }, { label: "What keeps the request from it" }],
          near.map(({ method, path, reason, at }) => [
            markup`<a href="${urlOf(view, "operation", { of: `${method} ${path}` })}">${
              methodTag(method)
            } <code>${path}</code></a>`,
            [reason, " ", placeLink(view, at)],
          ]),
        ),
      ];
    case "credentials":
    case "validation":
      return violations.length > 0 &&
        markup`<ul>${
          violations.map(({ message, at }) => markup`<li>${prose(message)} ${placeLink(view, at)}</li>`)
        }</ul>`;
    case "rules":
      return rules.length > 0 &&
        table(
          "Rules",
          [{ label: "Rule" }, { label: "Applied before", kind: "number" }, { label: "Why" }],
          rules.map(({ id, rule, applied, applies, reason, conditions }) => [
            markup`<code>${rule.operation}</code> <span class="tag ${applies && "rule"}">${id}</span>`,
            applied,
            [reason, conditionList(conditions)],
          ]),
        );
    case "conditions":
      return examples.length > 0 &&
        table(
          "Examples",
          [{ label: "Example" }, { label: "Conditions" }],
          examples.map(({ name, isChosen, conditions }) => [
            [markup`<code>${name}</code>`, isChosen && markup` <span class="tag good">chosen</span>`],
            conditionList(conditions),
          ]),
        );
    case "accept":
      return offers.length > 1 &&
        table(
          "Media types",
          [{ label: "Offered" }, { label: "Weight", kind: "number" }],
          offers.map(({ mediaType, weight, isChosen }) => [
            [markup`<code>${mediaType}</code>`, isChosen && markup` <span class="tag good">chosen</span>`],
            weight,
          ]),
        );
    case "preferences":
      return remarks.length > 0 && markup`<ul>${remarks.map((remark) => markup`<li>${remark}</li>`)}</ul>`;
    case "headers":
      return headers !== undefined &&
        markup`<details><summary>${Object.keys(headers).length} headers</summary><dl>${
          Object.entries(headers).map(([name, value]) =>
            markup`<dt><code>${name}</code></dt><dd><code>${value}</code></dd>`
          )
        }</dl></details>`;
    default:
      return undefined;
  }
}

function parametersOf({ basePath = "", parameters = {} }: StepDetails): HtmlValue {
  const pairs = Object.entries(parameters);
  if (basePath === "" && pairs.length === 0) return undefined;
  return markup`<dl>${basePath !== "" && markup`<dt>base path</dt><dd><code>${basePath}</code></dd>`}${
    pairs.map(([name, value]) => markup`<dt><code>{${name}}</code></dt><dd><code>${value}</code></dd>`)
  }</dl>`;
}

function conditionList(conditions: readonly ExplainedCondition[]): HtmlValue {
  return conditions.length > 0 &&
    markup`<ul class="plain">${
      conditions.map(({ part, wanted, isMet }) =>
        markup`<li><span class="tag ${isMet ? "good" : "bad"}">${isMet ? "met" : "not met"}</span> <code>${part} = ${
          writeJson(wanted)
        }</code></li>`
      )
    }</ul>`;
}
