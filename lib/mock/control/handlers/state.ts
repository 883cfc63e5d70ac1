import { isObject, type JsonObject } from "../../../schema/json/node.ts";
import { escapeToken, formatPointer, valueAt } from "../../../schema/json/pointer.ts";
import { createItemCheck } from "../../session/item_check.ts";
import type { Resource } from "../../infer/resource.ts";
import type { Item, NewItem } from "../../state/item/item.ts";
import { applyMergePatch } from "../../state/item/merge_patch.ts";
import { textOf } from "../../../schema/json/parts.ts";
import type { State } from "../../state/store/store.ts";
import { readJson } from "../content.ts";
import type { ControlCall, ControlContext } from "../context.ts";
import { errorResponse } from "../../../api/error_response.ts";
import { type BodyError, invalidBody } from "../invalid_body.ts";
import { emptyResponse, piecesResponse } from "../responses.ts";
import { writeJson } from "../../../schema/json/json.ts";

const PATCH_TYPES = ["application/json", "application/merge-patch+json"];

/** Limit of the reported errors of a body. */
const MOST_ERRORS = 20;

/** `GET /state` */
export async function getState({ session: { state } }: ControlCall, context: ControlContext): Promise<Response> {
  const resources = allResources(context);
  for (const { name } of resources) await state.prepare(name);
  const listed = resources.map((resource) => ({ resource, items: listItems(state, resource) }));
  return piecesResponse(writeState(), "application/json");

  function* writeState(): Generator<string> {
    yield "{";
    for (const [index, { resource, items }] of listed.entries()) {
      yield `${index === 0 ? "" : ","}${writeJson(resource.name)}:`;
      yield* writeItems(items, resource);
    }
    yield "}";
  }
}

/** `PUT /state` */
export async function replaceState(call: ControlCall, context: ControlContext): Promise<Response> {
  const written = await readJson(call, context) as Readonly<Record<string, unknown>>;
  const { state } = call.session;
  const named = await readResources(written, state, context);
  const others = allResources(context).filter(({ name }) => !Object.hasOwn(written, name));
  atomically(state, () => {
    for (const { name } of others) state.clear(name);
    for (const { resource, items } of named) state.replace(resource.name, items);
  });
  return emptyResponse();
}

/** `PATCH /state` */
export async function patchState(call: ControlCall, context: ControlContext): Promise<Response> {
  const written = await readJson(call, context, PATCH_TYPES) as Readonly<Record<string, unknown>>;
  const { state } = call.session;
  const reset = Object.keys(written).filter((name) => written[name] === null).map((name) => resourceOf(name, context));
  const changed = Object.fromEntries(Object.entries(written).filter(([, items]) => items !== null));
  const named = await readResources(changed, state, context);
  atomically(state, () => {
    for (const { name } of reset) state.resetResource(name);
    for (const { resource, items } of named) state.replace(resource.name, items);
  });
  return emptyResponse();
}

/** `DELETE /state` */
export function resetState({ session }: ControlCall): Response {
  session.state.reset();
  return emptyResponse();
}

/** `GET /state/{resource}` */
export async function getItems(
  { session: { state }, parameters }: ControlCall,
  context: ControlContext,
): Promise<Response> {
  const resource = resourceOf(parameters["resource"] ?? "", context);
  await state.prepare(resource.name);
  return piecesResponse(writeItems(listItems(state, resource), resource), "application/json");
}

/** `PUT /state/{resource}` */
export async function replaceItems(call: ControlCall, context: ControlContext): Promise<Response> {
  const { session: { state }, parameters } = call;
  const resource = resourceOf(parameters["resource"] ?? "", context);
  const items = await readItems(await readJson(call, context), resource, "", context);
  await state.prepare(resource.name);
  state.replace(resource.name, items);
  return emptyResponse();
}

/** `PATCH /state/{resource}` */
export async function patchItems(call: ControlCall, context: ControlContext): Promise<Response> {
  const { session: { state }, parameters } = call;
  const resource = resourceOf(parameters["resource"] ?? "", context);
  const patch = await readJson(call, context, PATCH_TYPES) as Readonly<Record<string, unknown>>;
  await state.prepare(resource.name);
  const check = await itemCheckOf(resource, context);
  const anywhere = resource.scope.map(() => undefined);
  const deleted: NewItem[] = [];
  const written: NewItem[] = [];
  const errors: BodyError[] = [];
  for (const [key, change] of Object.entries(patch)) {
    const known = state.get(resource.name, anywhere, key);
    if (known === undefined && (change === null || resource.scope.length > 0)) {
      if (change !== null) errors.push({ pointer: `/${escapeToken(key)}`, detail: "No item has this id." });
      continue;
    }
    const scope = known?.scope ?? [];
    const value = applyMergePatch(known?.value, change);
    if (change === null || !isObject(value)) deleted.push({ key, scope, value: {} });
    else {
      errors.push(...check(value, `/${escapeToken(key)}`));
      const id = resource.isSingleton ? key : textOf(valueAt(value, resource.id));
      if (id !== key) errors.push({ pointer: `/${escapeToken(key)}`, detail: `The id of the item must be ${key}.` });
      written.push({ key, scope, value });
    }
  }
  if (errors.length > 0) throw invalidBody(errors.slice(0, MOST_ERRORS));
  atomically(state, () => {
    for (const { scope, key } of deleted) state.delete(resource.name, scope, key);
    for (const item of written) state.put(resource.name, item);
  });
  return emptyResponse();
}

/** `DELETE /state/{resource}` */
export function resetItems({ session: { state }, parameters }: ControlCall, context: ControlContext): Response {
  state.resetResource(resourceOf(parameters["resource"] ?? "", context).name);
  return emptyResponse();
}

function allResources({ server: { resources } }: ControlContext): readonly Resource[] {
  return resources?.all ?? [];
}

function resourceOf(name: string, context: ControlContext): Resource {
  const all = allResources(context);
  const resource = all.find((resource) => resource.name === name);
  if (resource !== undefined) return resource;
  const shown = writeJson(name.slice(0, 100));
  const there = all.length === 0
    ? "No operation is stateful: start gw mock with --stateful."
    : `There is ${all.slice(0, 20).map(({ name }) => name).join(", ")}${all.length > 20 ? ", …" : ""}.`;
  throw errorResponse(404, `The definition has no resource ${shown}. ${there}`);
}

/** A copy of a resource's items, so that later writes don't change the response while it is being sent. */
function listItems(state: State, { name, scope }: Resource): readonly Item[] {
  return [...state.list(name, scope.map(() => undefined))];
}

/**
 * Writes the items of a resource as JSON: a list of items or, for a resource with a scope, a list of groups `{"scope":
 * […], "items": […]}`.
 */
function* writeItems(items: readonly Item[], { scope }: Resource): Generator<string> {
  yield "[";
  let separator = "";
  if (scope.length === 0) {
    for (const { value } of items) {
      yield separator + writeJson(value);
      separator = ",";
    }
  } else {
    let last: string | undefined;
    for (const { scope: own, value } of items) {
      const key = writeJson(own);
      if (key === last) yield `,${writeJson(value)}`;
      else yield `${last === undefined ? "" : "]},"}{"scope":${key},"items":[${writeJson(value)}`;
      last = key;
    }
    if (last !== undefined) yield "]}";
  }
  yield "]";
}

interface ItemsOf {
  readonly resource: Resource;
  readonly items: readonly NewItem[];
}

/** Reads the items of several resources. Reports the errors of the first invalid resource. */
async function readResources(
  written: Readonly<Record<string, unknown>>,
  state: State,
  context: ControlContext,
): Promise<ItemsOf[]> {
  const read: ItemsOf[] = [];
  for (const [name, items] of Object.entries(written)) {
    const resource = resourceOf(name, context);
    await state.prepare(name);
    read.push({ resource, items: await readItems(items, resource, `/${escapeToken(name)}`, context) });
  }
  return read;
}

/** Reads the items of a resource, in the form that {@linkcode writeItems} writes. */
async function readItems(
  written: unknown,
  resource: Resource,
  pointer: string,
  context: ControlContext,
): Promise<NewItem[]> {
  const check = await itemCheckOf(resource, context);
  const errors: BodyError[] = [];
  const items: NewItem[] = [];
  const groups = resource.scope.length === 0 ? [{ scope: [], items: written, pointer }] : groupsOf(written, pointer);
  for (const group of groups) {
    if (!isScope(group.scope, resource)) {
      const parameters = resource.scope.map(({ parameter }) => parameter).join(", ");
      const detail = `A list of {"scope": [${parameters}], "items": […]} is meant here.`;
      errors.push({ pointer: group.pointer, detail });
      continue;
    }
    const taken = new Set<string>();
    for (const [index, value] of listOf(group.items).entries()) {
      const place = group.pointer + formatPointer([index]);
      const key = resource.isSingleton ? "" : textOf(valueAt(value, resource.id));
      if (!isObject(value) || key === undefined) {
        errors.push({ pointer: place, detail: `An item is an object with an id at ${formatPointer(resource.id)}.` });
      } else if (taken.has(key)) {
        errors.push({ pointer: place, detail: `An earlier item has the id ${writeJson(key)} too.` });
      } else {
        errors.push(...check(value, place));
        items.push({ key, scope: group.scope, value });
        taken.add(key);
      }
      if (errors.length >= MOST_ERRORS) throw invalidBody(errors);
    }
  }
  if (errors.length > 0) throw invalidBody(errors);
  return items;
}

interface Group {
  readonly scope: unknown;
  readonly items: unknown;
  readonly pointer: string;
}

function groupsOf(written: unknown, pointer: string): Group[] {
  return listOf(written).map((group, index) => ({
    scope: isObject(group) ? group["scope"] : undefined,
    items: isObject(group) ? group["items"] : undefined,
    pointer: pointer + formatPointer([index, "items"]),
  }));
}

function isScope(scope: unknown, resource: Resource): scope is string[] {
  return Array.isArray(scope) && scope.length === resource.scope.length &&
    scope.every((value) => typeof value === "string");
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

async function itemCheckOf(
  resource: Resource,
  { server: { handlers } }: ControlContext,
): Promise<(value: JsonObject, pointer: string) => BodyError[]> {
  const check = await createItemCheck(resource, handlers.validatorOf);
  return (value, pointer) =>
    check(value).slice(0, MOST_ERRORS).map(({ path, message }) => ({
      pointer: pointer + formatPointer(path),
      detail: message,
    }));
}

/** Executes several writes as a transaction: if one throws, the state is restored. */
function atomically(state: State, write: () => void): void {
  const before = state.snapshot();
  try {
    write();
  } catch (error) {
    state.restore(before);
    throw error;
  } finally {
    state.drop(before);
  }
}
