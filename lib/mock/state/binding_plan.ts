import type { Document } from "../../openapi/document.ts";
import type { DocumentValidator } from "../../schema/document_validator.ts";
import type { BodyGenerator } from "../generate/generate.ts";
import type { Hints } from "../../schema/hints.ts";
import { formatsOfQuery, type QueryFormats } from "../../wire/value_format.ts";
import type { Binding } from "../infer/resource.ts";
import { type BodyRulesReader, createBodyRulesReader } from "../validation/explain_refusal.ts";
import { type CacheUse, ItemAnswers, PageAnswers } from "./answer_cache.ts";
import { type EtagRules, etagRulesOf } from "./etag.ts";
import type { JsonObject } from "../../schema/json/node.ts";
import { type FieldNames, fieldNamesOf } from "./item/field_names.ts";
import { initialValuesOf } from "./store/initial_values.ts";
import { type ListPlan, planList } from "./list/list_plan.ts";
import { type QueryFields, queryFieldsOf } from "./list/query_fields.ts";
import { otherFieldsOf } from "./item/other_fields.ts";
import type { ItemReference, References } from "./item/references.ts";
import { changedStatus, declaresCreated, planResponse, type ResponsePlan } from "./response_plan.ts";
import { Selections } from "./list/selections.ts";
import { type ExistingRule, existingRuleOf, uniqueFieldsOf, upsertFieldsOf } from "./item/unique_fields.ts";
import { planSchema, type SchemaPlan, type SchemaTools } from "./schema_plan.ts";

/** What the handlers of all operations share, as far as answers from state need it. */
export interface StateHandlers {
  readonly options: {
    /** The seed of generated bodies. Default: 0. */
    readonly seed?: number | undefined;
    /** The formats of query parameters that deviate from the definition. */
    readonly queryFormats?: QueryFormats | undefined;
  };
  readonly generatorOf: (document: Document) => Promise<BodyGenerator>;
  readonly validatorOf: (document: Document) => Promise<DocumentValidator>;
}

/** The objects that all binding plans of a server share. */
export interface SharedPlans {
  readonly references: References;
  readonly cached: CacheUse;
}

/** A binding, prepared for its answers. Made at the operation's first request. */
export interface BindingPlan extends FieldNames {
  readonly binding: Binding;
  /** The response of the binding's status; `undefined` if its `$ref` can't be resolved. */
  readonly response: ResponsePlan | undefined;
  /** The response after an item was created: 201 if the operation declares it, else the same as `response`. */
  readonly created: ResponsePlan | undefined;
  readonly item: SchemaPlan;
  /** The fields that only other responses show of an item: see `otherFieldsOf()`. */
  readonly otherFields: ReadonlyMap<string, Hints>;
  /** The initial values of fields that a client may omit when it creates an item. */
  readonly initialValues: JsonObject;
  readonly queryFields: QueryFields;
  /** The fields whose values no two items share. */
  readonly uniqueFields: readonly string[];
  /** What a create does if an item has the same values already; `undefined` if it makes another one. */
  readonly existing: ExistingRule | undefined;
  /** The fields by which a request finds an item whose id neither its path nor its body has. */
  readonly upsertFields: readonly string[];
  readonly list: ListPlan | undefined;
  readonly etag: EtagRules | undefined;
  /** The fields of an item that refer to other items, such as `customerId`. */
  readonly references: readonly ItemReference[];
  /** The names of the resources whose initial items an answer needs. */
  readonly related: readonly string[];
  /** Those among `related` that have no parents, but the binding's own. */
  readonly filled: readonly string[];
  readonly bodyRulesOf: BodyRulesReader;
  readonly answers: ItemAnswers;
  readonly pages: PageAnswers;
  readonly selections: Selections;
}

/** A binding plan whose response has no unresolved `$ref`. */
export type AnsweredPlan = BindingPlan & { readonly response: ResponsePlan };

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
  const otherFields = otherFieldsOf(resource);
  const response = planResponse(binding, changedStatus(binding), tools, seed, otherFields);
  const references = shared.references.of(resource);
  const related = [...resource.scope.flatMap(({ parent }) => parent ?? []), ...references.map(({ target }) => target)];
  const uniqueFields = uniqueFieldsOf(binding);
  return {
    binding,
    response,
    created: declaresCreated(binding) ? planResponse(binding, 201, tools, seed, otherFields) : response,
    otherFields,
    item: planSchema(itemTools, resource.schema, seed),
    ...fieldNamesOf(binding, otherFields.keys()),
    initialValues: initialValuesOf(binding),
    queryFields: queryFieldsOf(binding, formatsOfQuery(queryFormats)),
    uniqueFields,
    existing: existingRuleOf(binding),
    upsertFields: upsertFieldsOf(binding, uniqueFields),
    list: kind === "list" || kind === "count" ? planList(binding, formatsOfQuery(queryFormats)) : undefined,
    etag: etagRulesOf(operation, status),
    references,
    related: [...new Set([resource, ...related].map(({ name }) => name))],
    filled: [
      ...new Set(related.flatMap(({ name, scope }) => scope.length > 0 || name === resource.name ? [] : [name])),
    ],
    bodyRulesOf: createBodyRulesReader(document, validatorOf),
    answers: new ItemAnswers(shared.cached),
    pages: new PageAnswers(shared.cached),
    selections: new Selections(),
  };
}
