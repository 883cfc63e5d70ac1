/**
 * Shared parts of the handlers that read.
 *
 * @module
 */
import { send, textAnswer } from "../answer.ts";
import type { KubernetesObject } from "../../cluster/object.ts";
import { type Entries, type Entry, versionTag, type View } from "../catalog.ts";
import type { Call, Context, OperationHandler } from "../context.ts";
import { errorResponse } from "../error_response.ts";
import { keyOf, type Kind, type ObjectName } from "../../gateway/resource.ts";
import { showResource } from "../representation.ts";
import type { StoredResource } from "../store.ts";

/** Creates a handler that answers from the view of the store, without a promise if the view is current. */
export function reading(show: (view: View, call: Call, context: Context) => Response): OperationHandler {
  return (call, context) => {
    const view = context.view();
    return view instanceof Promise ? view.then((view) => show(view, call, context)) : show(view, call, context);
  };
}

/** Names of the kinds in messages. */
export const KIND_NAMES: Readonly<Record<Kind, string>> = { api: "API", fleet: "fleet", staticroute: "static route" };

/** Finds a resource, or throws 404. */
export function find<K extends Kind>(view: Entries, kind: K, object: ObjectName): Entry<K> {
  const entry = view[kind].get(keyOf(object));
  if (entry === undefined) throw missing(KIND_NAMES[kind], object);
  return entry;
}

/** The error response for an object that doesn't exist. */
export function missing(kind: string, { namespace, name }: ObjectName): Error {
  return errorResponse(404, `There is no ${kind} ${namespace}/${name}.`);
}

/** Creates the handler that shows a resource as a custom resource of Kubernetes. */
export function resourceHandler(kind: Kind): OperationHandler {
  return async ({ request, object }, context) => {
    const resource = resourceOf(await context.view(), kind, object);
    const whole = withoutBookkeeping(context.options.objectOf?.(kind, object) ?? await showResource(resource));
    // The entity tag is the object's `resourceVersion`, which changes with `status` too, because the answer shows
    // `status`.
    const { resourceVersion: version = "" } = whole.metadata;
    return send(request, textAnswer(JSON.stringify(whole), "application/json", versionTag({ version })));
  };
}

/** Removes `managedFields`, which are long and of no use to a reader. */
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
