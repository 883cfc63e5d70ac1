import { errorResponse } from "../../api/error_response.ts";
import { listExamples } from "../../mock/answer/example.ts";
import type { Explanation } from "../../mock/explain/explanation.ts";
import { basePathsOfRoute, type OperationRoute } from "../../mock/operation/mock_route.ts";
import { reasonPhrase } from "../../http/reason_phrase.ts";
import type { Operation } from "../../openapi/operation.ts";
import { listParameters, type Parameter } from "../../openapi/parameter.ts";
import { securityRequirements } from "../../openapi/security_requirement.ts";
import { child, entries, type Node, stringOf } from "../../schema/json/node.ts";
import { follow } from "../../schema/json/reference.ts";
import { writeJson } from "../../schema/json/json.ts";
import { encodeBody } from "../../wire/encode.ts";
import { decodeStrictly } from "../../http/decode_strictly.ts";
import { exact, type Html, type HtmlValue, markup } from "../html.ts";
import { bodyBlock, methodTag, option, prose, statusTag } from "../parts.ts";
import { renderSteps } from "./decision.ts";
import { schemaTree } from "./schema_tree.ts";
import { sendForm } from "./send.ts";
import { keyOf, respond, sessionOf, urlOf, type View } from "./view.ts";

/** One operation: what it answers and why, a form to try it, its schemas and examples. */
export async function operationPage(view: View): Promise<Response> {
  const { query, context: { server: { operations } } } = view;
  const name = query.get("of") ?? "";
  const route = operations.find(({ operation }) => keyOf(operation) === name);
  if (route === undefined) throw errorResponse(404, "No definition has this operation: it may have been reloaded.");
  const { operation } = route;
  const { method, path, node } = operation;
  const attempt = await attemptOf(view, route);
  const body = markup`<div class="heading">
<h1>${methodTag(method)} <span class="mono">${path}</span></h1>
<div class="actions"><a class="button" href="${urlOf(view, "rules", { operation: name })}">Add a rule</a>
<a class="button" href="${urlOf(view, "", { operation: name })}">Its requests</a></div>
</div>
<p>${stringOf(child(node, "summary"))} <span class="muted mono">${stringOf(child(node, "operationId"))}</span></p>
${descriptionOf(node)}
<section class="card" aria-labelledby="try"><h2 id="try">Try it</h2>
${tryForm(view, route, attempt)}
</section>
<div class="columns">
<section class="card"><h2>What it answers to that, and why</h2>${await explanationOf(
    view,
    operation,
    attempt,
  )}</section>
<div>${requestCard(operation)}${responseCards(operation)}</div>
</div>`;
  return respond(view, { title: name, current: "operations", body });
}

function descriptionOf(node: Operation["node"]): HtmlValue {
  const description = stringOf(child(node, "description"));
  if (description === undefined) return undefined;
  return markup`<details><summary>Description</summary><pre>${description}</pre></details>`;
}

/** A request that the operation should accept. */
interface Attempt {
  /** The path's template below the base path. */
  readonly template: string;
  readonly fields: readonly Field[];
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

interface Field {
  readonly parameter: Parameter;
  readonly value: string;
}

async function attemptOf(view: View, route: OperationRoute): Promise<Attempt> {
  const { operation } = route;
  const { generatorOf } = view.context.server.handlers;
  const { generate } = await generatorOf(operation.document);
  const known = await valuesOfItem(view, route);
  const fields = listParameters(operation).map((parameter): Field => {
    const schema = parameter.schema ?? parameter.content?.schema;
    const ofItem = parameter.in === "path" ? known.get(parameter.name) : undefined;
    if (ofItem !== undefined) return { parameter, value: ofItem };
    if (!parameter.required || schema === undefined) return { parameter, value: "" };
    const [example] = listExamples(operation.document, parameter.node).values();
    const generated = generate(schema, { direction: "request" });
    const value = example?.value ?? (generated.kind === "body" ? generated.value : "");
    return { parameter, value: textOfValue(value) };
  });
  const [basePath = ""] = basePathsOfRoute(route);
  const template = basePath.replace(/\/$/, "") + operation.path.replace(/[?#].*$/, "");
  const body = await bodyFor(view, operation);
  return {
    template,
    fields,
    target: targetOf(template, fields),
    headers: [
      ...fields.flatMap(({ parameter, value }) =>
        parameter.in === "header" && value !== "" ? [[parameter.name, value] as const] : []
      ),
      ...credentialsFor(operation),
      ...body === undefined ? [] : [["content-type", body.mediaType] as const],
    ],
    body: body?.text ?? "",
  };
}

/** The path parameters of an item that there is, if the operation is bound to a resource. */
async function valuesOfItem(view: View, { operation, isStateful }: OperationRoute): Promise<Map<string, string>> {
  const { resources } = view.context.server;
  const binding = isStateful ? resources?.bindingOf(operation) : undefined;
  if (binding === undefined) return new Map();
  const { resource: { name, scope }, idParameter, scopeParameters } = binding;
  const { state } = sessionOf(view);
  await state.prepare(name);
  const [item] = state.list(name, scope.map(() => undefined));
  if (item === undefined) return new Map();
  const pairs = [[idParameter, item.key], ...scopeParameters.map((parameter, index) => [parameter, item.scope[index]])];
  return new Map(pairs.flatMap(([name, value]) => name === undefined || value === undefined ? [] : [[name, value]]));
}

function textOfValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOfValue).join(",");
  return typeof value === "string" ? value : writeJson(value);
}

/** Path and query with the values of the fields, as the page's script composes them too. */
function targetOf(template: string, fields: readonly Field[]): string {
  const path = template.replace(/\{([^{}]+)\}/g, (written, name) => {
    const field = fields.find(({ parameter }) => parameter.in === "path" && parameter.name === name);
    return field === undefined ? written : encodeURIComponent(field.value);
  });
  const query = fields.filter(({ parameter, value }) => parameter.in === "query" && value !== "")
    .map(({ parameter: { name }, value }) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return query.length === 0 ? path : `${path}?${query.join("&")}`;
}

/** A body that the operation accepts, in its first media type that is a text. */
async function bodyFor(
  view: View,
  { document, node }: Operation,
): Promise<{ mediaType: string; text: string } | undefined> {
  const contents = entries(child(follow(document, child(node, "requestBody")), "content"));
  const [first] = [...contents].sort(([a], [b]) => Number(/json/.test(b)) - Number(/json/.test(a)));
  if (first === undefined) return undefined;
  const [mediaType, written] = first;
  const mediaTypeObject = follow(document, written);
  const schema = child(mediaTypeObject, "schema");
  const [example] = listExamples(document, mediaTypeObject).values();
  const { generate } = await view.context.server.handlers.generatorOf(document);
  const generated = example ?? (schema.value === undefined ? undefined : generate(schema, { direction: "request" }));
  const value = generated !== undefined && "value" in generated ? generated.value : undefined;
  if (value === undefined) return { mediaType, text: "" };
  if (/[/+]json\b/i.test(mediaType)) return { mediaType, text: JSON.stringify(value, undefined, 2) ?? "" };
  const encoded = await encodeBody(value, mediaType, { document, schema, mediaTypeObject });
  const { body, contentType } = encoded;
  const text = body instanceof Uint8Array ? decodeStrictly(body) : undefined;
  return { mediaType: contentType, text: text ?? "" };
}

/** Credentials of the form that the operation requires. gw doesn't verify them. */
function credentialsFor(operation: Operation): [string, string][] {
  const { document } = operation;
  const schemes = child(child(document.root, "components"), "securitySchemes");
  const [required] = securityRequirements(operation);
  if (required === undefined) return [];
  return entries(required).flatMap(([name]): [string, string][] => {
    const scheme = follow(document, child(schemes, name));
    const text = (key: "type" | "scheme" | "in" | "name"): string => stringOf(child(scheme, key)) ?? "";
    if (text("type") === "apiKey") return text("in") === "header" ? [[text("name"), "key"]] : [];
    return [["authorization", /^basic$/i.test(text("scheme")) ? "Basic dXNlcjpwYXNzd29yZA==" : "Bearer token"]];
  });
}

function tryForm(view: View, route: OperationRoute, { template, fields, target, headers, body }: Attempt): Html {
  const { operation } = route;
  const { method, document, node } = operation;
  const responses = entries(child(node, "responses"));
  const mediaTypes = new Set(
    responses.flatMap(([, response]) => entries(child(follow(document, response), "content")).map(([name]) => name)),
  );
  const examples = new Set(
    responses.flatMap(([, response]) =>
      entries(child(follow(document, response), "content")).flatMap(([, media]) =>
        [...listExamples(document, follow(document, media)).keys()].filter(Boolean)
      )
    ),
  );
  const preferences = [
    ...responses.map(([code]) => code).filter((code) => /^\d{3}$/.test(code)).map((code) => `code=${code}`),
    ...[...examples].slice(0, MOST_EXAMPLES).map((name) => `example=${JSON.stringify(name)}`),
    "dynamic=true",
  ];
  const select = (label: string, header: string, values: readonly string[]): HtmlValue =>
    values.length > 0 &&
    markup`<label>${label} <select data-header="${header}">${option("", "as it is", true)}${
      values.map((value) => option(value, value, false))
    }</select></label>`;
  return markup`<div class="fields" data-template="${exact(template)}">
${
    fields.map(({ parameter: { name, in: location, required, schema }, value }) =>
      markup`<label>${name}${
        required && " *"
      } <span class="muted">in ${location}</span> <input data-in="${location}" data-name="${exact(name)}" value="${
        exact(value)
      }"${schema !== undefined && markup` placeholder="${placeholderOf(schema)}"`}></label>`
    )
  }
${select("Accept", "accept", [...mediaTypes].slice(0, MOST_EXAMPLES))}
${select("Prefer", "prefer", preferences)}
<label>Session <input data-header="x-gw-session" value="${exact(sessionOf(view).name)}"></label>
</div>
${sendForm(view, { method, target, headers, body, session: sessionOf(view).name })}`;
}

/** Limit of the media types and of the examples in a choice. */
const MOST_EXAMPLES = 50;

function placeholderOf(schema: Node<"Schema">): string {
  const { value: type } = child(schema, "type");
  const { value: values } = child(schema, "enum");
  if (Array.isArray(values)) return values.slice(0, 5).join(", ");
  return typeof type === "string" ? type : "";
}

async function explanationOf(view: View, { method }: Operation, { target, headers, body }: Attempt): Promise<Html> {
  const { context: { api, server: { controlPath } }, request } = view;
  const url = new URL(`${controlPath}explain`, request.url);
  const session = sessionOf(view).name;
  if (session !== "") url.searchParams.set("session", session);
  const described = { method, path: target, headers: Object.fromEntries(headers), ...body === "" ? {} : { body } };
  const answer = await api(
    new Request(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: writeJson(described),
    }),
  );
  if (!answer.ok) {
    const { detail } = await answer.json();
    return markup`<p>${detail}</p>`;
  }
  const explanation: Explanation = await answer.json();
  const { status, source, reason } = explanation.outcome;
  return markup`<p>${status !== undefined && statusTag(status)} <span class="tag">${source}</span> ${prose(reason)}</p>
${renderSteps(view, explanation)}`;
}

function requestCard({ document, node }: Operation): HtmlValue {
  const requestBody = follow(document, child(node, "requestBody"));
  const contents = entries(child(requestBody, "content"));
  if (contents.length === 0) return undefined;
  return markup`<section class="card"><h2>Request body</h2>${contentsOf(document, contents)}</section>`;
}

function responseCards({ document, node }: Operation): HtmlValue {
  return entries(child(node, "responses")).map(([code, written], index) => {
    const response = follow(document, written);
    const status = Number(code);
    const title = status >= 100 ? markup`${statusTag(status)} ${reasonPhrase(status)}` : markup`${code}`;
    return markup`<section class="card"><details${
      index === 0 && markup` open`
    }><summary><strong>${title}</strong></summary>
<p>${stringOf(child(response, "description"))}</p>
${contentsOf(document, entries(child(response, "content")))}</details></section>`;
  });
}

function contentsOf(document: Operation["document"], contents: readonly [string, Node<"MediaType">][]): HtmlValue {
  return contents.slice(0, MOST_EXAMPLES).map(([mediaType, written]) => {
    const media = follow(document, written);
    const schema = child(media, "schema");
    const examples = [...listExamples(document, media)].slice(0, MOST_EXAMPLES);
    return [
      markup`<h3><code>${mediaType}</code></h3>`,
      schema.value !== undefined && schemaTree(document, schema),
      examples.map(([name, { value }]) =>
        markup`<details><summary>Example ${name}</summary>${
          typeof value === "string" ? bodyBlock(value, mediaType) : bodyBlock(writeJson(value), "application/json")
        }</details>`
      ),
    ];
  });
}
