import { BoundedCache } from "../../http/limits/bounded_cache.ts";
import { readHints } from "../../schema/hints.ts";
import { child, entries, type Node } from "../../schema/json/node.ts";
import { follow } from "../../schema/json/reference.ts";
import type { Binding } from "../infer/resource.ts";
import { type Negotiated, negotiateLoosely } from "../answer/negotiate.ts";
import { hintsAt } from "../../observe/record/secret_rules.ts";
import { listResponses, selectResponse } from "../answer/select_response.ts";
import { planSchema, type SchemaPlan, type SchemaTools } from "./schema_plan.ts";

/** A media type of a response, with its Schema Object prepared. */
export interface MediaPlan {
  readonly negotiated: Negotiated;
  readonly node: Node<"MediaType">;
  readonly schema: SchemaPlan;
  /** The fields of an item that the body shows; `undefined` if it shows all. */
  readonly shown: ReadonlySet<string> | undefined;
  /** The fields that every shown item must have. */
  readonly required: ReadonlySet<string>;
}

/** A response of an operation, prepared for answers from state. */
export interface ResponsePlan {
  readonly status: number;
  /** The Response Object. */
  readonly node: Node<"Response">;
  /** The media types of the response, as written in the definition; empty if it has no body. */
  readonly offers: readonly string[];
  /** Chooses the media type by an `Accept` header; `undefined` if none is acceptable. */
  readonly mediaFor: (accept: string | null) => MediaPlan | undefined;
}

/** Limit of the cached negotiations, since clients can send any number of different `Accept` headers. */
const MOST_NEGOTIATED = 50;

/**
 * Prepares a response; `undefined` if its `$ref` can't be resolved.
 *
 * @param otherFields The fields that items may have beside those of their schema.
 */
export function planResponse(
  binding: Binding,
  status: number,
  tools: SchemaTools,
  seed: number,
  otherFields: ReadonlyMap<string, unknown>,
): ResponsePlan | undefined {
  const selected = selectResponse(binding.operation, { code: status });
  if (selected.kind !== "response") return undefined;
  const { node } = selected;
  const medias = entries(follow(tools.document, child(node, "content")));
  const offers = medias.map(([mediaType]) => mediaType);
  return { status, node, offers, mediaFor: createMediaChooser(medias, tools, seed, binding, otherFields) };
}

/**
 * Whether an operation answers 201 after it created an item, although the binding has another status. True if the
 * operation declares 201 (for a POST with a body, if the response of the binding's status has one), or declares only
 * the range `2XX`.
 */
export function declaresCreated({ operation, kind, status, createsMissing }: Binding): boolean {
  if (kind !== "create" && !createsMissing) return false;
  const responses = new Map(listResponses(operation).map(([key, node]) => [key.toUpperCase(), node]));
  if (!responses.has("201")) return status === 200 && !responses.has("200") && responses.has("2XX");
  const hasContent = (code: string): boolean => {
    const node = responses.get(code);
    return node !== undefined && entries(child(follow(operation.document, node), "content")).length > 0;
  };
  return kind !== "create" || hasContent("201") || !hasContent(String(status));
}

/** The status after an operation changed an item: not 201, if the operation declares another success. */
export function changedStatus({ operation, kind, status }: Binding): number {
  if (status !== 201 || (kind !== "replace" && kind !== "update")) return status;
  const codes = new Set(listResponses(operation).map(([code]) => code));
  return CHANGED.find((code) => codes.has(String(code))) ?? status;
}

const CHANGED = [200, 204, 202] as const;

function createMediaChooser(
  medias: readonly [string, Node<"MediaType">][],
  tools: SchemaTools,
  seed: number,
  binding: Binding,
  otherFields: ReadonlyMap<string, unknown>,
): ResponsePlan["mediaFor"] {
  const offers = medias.map(([mediaType]) => mediaType);
  const negotiations = new BoundedCache<string, { readonly media: MediaPlan | undefined }>(MOST_NEGOTIATED);
  const schemas = new Map<number, SchemaPlan>();
  return (accept) => negotiations.of(accept ?? "", () => ({ media: choose(accept) })).media;

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
    return { negotiated, node, schema, ...shownFields(binding, schema, otherFields) };
  }
}

const NO_FIELDS: ReadonlySet<string> = new Set();

/** The fields of an item in a response's schema. */
function shownFields(
  { kind, resource, envelope, element }: Binding,
  { hints }: SchemaPlan,
  otherFields: ReadonlyMap<string, unknown>,
): Pick<MediaPlan, "shown" | "required"> {
  if (envelope === undefined || kind === "count") return { shown: undefined, required: NO_FIELDS };
  const inside = hintsAt(hints, envelope);
  const item = kind === "list" ? hintsAt(inside.item(0), element) : inside;
  const { propertyNames, required } = item;
  const own = readHints(resource.document, resource.schema, "response");
  const isOpen = item.describesOthers || propertyNames.size === 0;
  const isWhole = isOpen || [...own.propertyNames, ...otherFields.keys()].every((name) => propertyNames.has(name));
  return { shown: isWhole ? undefined : propertyNames, required };
}
