import { formatsOfQuery } from "../../wire/value_format.ts";
import { child, entries, isObject, type JsonObject, type Node } from "../../schema/node.ts";
import { follow } from "../../schema/reference.ts";
import { readHints } from "../../schema/hints.ts";
import type { Binding } from "../infer/resource.ts";
import { type Negotiated, negotiateLoosely } from "../negotiate.ts";
import type { HandlerContext } from "../operation_handler.ts";
import { hintsAt } from "../record/secret_rules.ts";
import { selectResponse } from "../select_response.ts";
import { type BodyRulesReader, createBodyRulesReader } from "../validation/explain_refusal.ts";
import { type CacheUse, ItemAnswers, ListAnswers } from "./answer_cache.ts";
import { type EtagRules, etagRulesOf } from "./etag.ts";
import { initialValuesOf } from "./initial_values.ts";
import { type ListPlan, planList } from "./list_plan.ts";
import { type QueryFields, queryFieldsOf } from "./query_fields.ts";
import type { Reference, References } from "./references.ts";
import { planSchema, type SchemaPlan, type SchemaTools } from "./schema_plan.ts";

/** The parts of a server's handlers that answers from state need. */
export type StateHandlers = Pick<HandlerContext, "generatorOf" | "validatorOf" | "options">;

/** What the plans of a server share. */
export interface SharedPlans {
  readonly references: References;
  readonly cached: CacheUse;
}

/** A media type of a response, and the schema of its bodies. */
export interface MediaPlan {
  readonly negotiated: Negotiated;
  readonly node: Node<"MediaType">;
  readonly schema: SchemaPlan;
  /** Names of the fields that the body shows of an item; `undefined` if it shows all. */
  readonly shown: ReadonlySet<string> | undefined;
}

/** What an operation's answers from state need, prepared at its first request. */
export interface BindingPlan {
  readonly binding: Binding;
  /** The Response Object of the bound status; `undefined` where the definition's reference to it is broken. */
  readonly response: Node<"Response"> | undefined;
  /** The media types that the response offers, as written; empty where it has no body. */
  readonly offers: readonly string[];
  /** The media type for an `Accept` header; `undefined` if none fits. */
  readonly mediaFor: (accept: string | null) => MediaPlan | undefined;
  /** The items of the resource, as the store has them. */
  readonly item: SchemaPlan;
  /** Names of the properties that clients may send; `undefined` where the operation doesn't describe them. */
  readonly writable: ReadonlySet<string> | undefined;
  /** Names of the properties that the server alone sets: `readOnly`. */
  readonly readOnly: ReadonlySet<string>;
  /** Names of the properties that responses don't have: `writeOnly`. */
  readonly writeOnly: ReadonlySet<string>;
  /** Fields of new items that the client doesn't send. */
  readonly initialValues: JsonObject;
  readonly queryFields: QueryFields;
  readonly list: ListPlan | undefined;
  readonly etag: EtagRules | undefined;
  /** The fields of the items that refer to other items. */
  readonly references: readonly Reference[];
  /** Names of the resources that must be prepared for an answer. */
  readonly related: readonly string[];
  readonly bodyRulesOf: BodyRulesReader;
  /** The answers that show an item, by the item. */
  readonly answers: ItemAnswers;
  /** The answers of lists, by session. */
  readonly lists: ListAnswers;
}

/** Negotiations that are kept; `Accept` headers come from clients, in any number. */
const MOST_NEGOTIATED = 50;

/** Prepares the answers of a bound operation. */
export async function planBinding(
  binding: Binding,
  handlers: StateHandlers,
  shared: SharedPlans,
): Promise<BindingPlan> {
  const { operation, resource, status, kind } = binding;
  const { document } = operation;
  const { generatorOf, validatorOf, options: { seed = 0, queryFormats } } = handlers;
  const toolsOf = async (of: typeof document): Promise<SchemaTools> => {
    const [generator, validator] = await Promise.all([generatorOf(of), validatorOf(of)]);
    return { document: of, generator, validator };
  };
  const [tools, itemTools] = await Promise.all([toolsOf(document), toolsOf(resource.document)]);
  const selected = selectResponse(operation, { code: status });
  const response = selected.kind === "response" ? selected.node : undefined;
  const references = shared.references.of(resource);
  const medias = response === undefined ? [] : entries(follow(document, child(response, "content")));
  return {
    binding,
    response,
    offers: medias.map(([mediaType]) => mediaType),
    mediaFor: createMediaChooser(medias, tools, seed, binding),
    item: planSchema(itemTools, resource.schema, seed),
    writable: writableNames(binding),
    readOnly: namesWith("readOnly", binding),
    writeOnly: namesWith("writeOnly", binding),
    initialValues: initialValuesOf(binding),
    queryFields: queryFieldsOf(binding, formatsOfQuery(queryFormats)),
    list: kind === "list" ? planList(binding, formatsOfQuery(queryFormats)) : undefined,
    etag: etagRulesOf(operation, status),
    references,
    related: [...new Set([resource.name, ...references.map(({ target }) => target.name)])],
    bodyRulesOf: createBodyRulesReader(document, validatorOf),
    answers: new ItemAnswers(shared.cached),
    lists: new ListAnswers(shared.cached),
  };
}

function createMediaChooser(
  medias: readonly [string, Node<"MediaType">][],
  tools: SchemaTools,
  seed: number,
  binding: Binding,
): BindingPlan["mediaFor"] {
  const offers = medias.map(([mediaType]) => mediaType);
  const negotiations = new Map<string, MediaPlan | undefined>();
  const schemas = new Map<number, SchemaPlan>();
  return (accept) => {
    const key = accept ?? "";
    if (!negotiations.has(key)) {
      if (negotiations.size >= MOST_NEGOTIATED) negotiations.clear();
      negotiations.set(key, choose(accept));
    }
    return negotiations.get(key);
  };

  function choose(accept: string | null): MediaPlan | undefined {
    const negotiated = negotiateLoosely(accept, offers);
    const written = negotiated && medias[negotiated.index]?.[1];
    if (negotiated === undefined || written === undefined) return undefined;
    const node = follow(tools.document, written);
    let schema = schemas.get(negotiated.index);
    if (schema === undefined) {
      schema = planSchema(tools, child(node, "schema"), seed, node);
      schemas.set(negotiated.index, schema);
    }
    return { negotiated, node, schema, shown: shownFields(binding, schema) };
  }
}

/** The fields that a response's schema has for an item, if it is another than that of the resource. */
function shownFields({ kind, resource, envelope, element }: Binding, { hints }: SchemaPlan): MediaPlan["shown"] {
  if (envelope === undefined) return undefined;
  const inside = hintsAt(hints, envelope);
  const item = kind === "list" ? hintsAt(inside.item(0), element) : inside;
  const own = readHints(resource.document, resource.schema, "response");
  const isOpen = item.describesOthers || item.propertyNames.size === 0;
  return isOpen || own.propertyNames.isSubsetOf(item.propertyNames) ? undefined : item.propertyNames;
}

/** The properties that the body of the operation's request has, except `readOnly` ones. */
function writableNames({ operation, requestEnvelope }: Binding): ReadonlySet<string> | undefined {
  if (requestEnvelope === undefined) return undefined;
  const { document, node } = operation;
  const contents = entries(child(follow(document, child(node, "requestBody")), "content"));
  const names = new Set<string>();
  for (const [, written] of contents) {
    const schema = child(follow(document, written), "schema");
    if (schema.value === undefined) continue;
    const hints = requestEnvelope.reduce((at, key) => at.property(key), readHints(document, schema, "request"));
    for (const name of hints.propertyNames) if (!hasKeyword("readOnly", hints.property(name).schemas)) names.add(name);
  }
  return names.size === 0 ? undefined : names;
}

/** The properties that have a keyword in the schema of the item. */
function namesWith(keyword: "readOnly" | "writeOnly", { resource }: Binding): ReadonlySet<string> {
  const hints = readHints(resource.document, resource.schema, "response");
  return new Set([...hints.propertyNames].filter((name) => hasKeyword(keyword, hints.property(name).schemas)));
}

function hasKeyword(keyword: string, schemas: readonly { readonly node: Node }[]): boolean {
  return schemas.some(({ node }) => isObject(node.value) && node.value[keyword] === true);
}
