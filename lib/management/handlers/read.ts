/**
 * What the handlers of reading operations share.
 *
 * @module
 */
import { send, textAnswer } from "../answer.ts";
import type { KubernetesObject } from "../../cluster/object.ts";
import { type Entries, type Entry, versionTag, type View } from "../catalog.ts";
import type { Call, Context, OperationHandler } from "../context.ts";
import { refusal } from "../refusal.ts";
import { keyOf, type Kind, type ObjectName } from "../../gateway/resource.ts";
import { showResource } from "../representation.ts";
import type { StoredResource } from "../store.ts";

/** Answers from what the store holds; at once, when that is known. */
export function reading(show: (view: View, call: Call, context: Context) => Response): OperationHandler {
  return (call, context) => {
    const view = context.view();
    return view instanceof Promise ? view.then((view) => show(view, call, context)) : show(view, call, context);
  };
}

/** Names of the kinds in messages. */
export const KIND_NAMES: Readonly<Record<Kind, string>> = { api: "API", fleet: "fleet", staticroute: "static route" };

/** Finds a resource, or refuses with 404. */
export function find<K extends Kind>(view: Entries, kind: K, object: ObjectName): Entry<K> {
  const entry = view[kind].get(keyOf(object));
  if (entry === undefined) throw missing(KIND_NAMES[kind], object);
  return entry;
}

/** Refuses what isn't there. */
export function missing(kind: string, { namespace, name }: ObjectName): Error {
  return refusal(404, `There is no ${kind} ${namespace}/${name}.`);
}

/** Makes the handler that shows the whole resource. */
export function resourceHandler(kind: Kind): OperationHandler {
  return async ({ request, object }, context) => {
    const resource = resourceOf(await context.view(), kind, object);
    const whole = withoutBookkeeping(context.options.objectOf?.(kind, object) ?? await showResource(resource));
    // Its status changes too, which is no other version of the resource.
    const { resourceVersion: version = "" } = whole.metadata;
    return send(request, textAnswer(JSON.stringify(whole), "application/json", versionTag({ version })));
  };
}

/** Who wrote which field fills screens, and is nothing that a person asks for. */
function withoutBookkeeping({ metadata, ...object }: KubernetesObject): KubernetesObject {
  const { managedFields: _managedFields, ...shown } = metadata;
  return { ...object, metadata: shown };
}

function resourceOf(view: View, kind: Kind, object: ObjectName): StoredResource {
  switch (kind) {
    case "api":
      return find(view, kind, object).resource;
    case "fleet":
      return find(view, kind, object).resource;
    case "staticroute":
      return find(view, kind, object).resource;
  }
}
