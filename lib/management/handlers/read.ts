/**
 * Parts that the handlers of reading operations share.
 *
 * @module
 */
import { sendAnswer, tagOf, textAnswer } from "../answer.ts";
import type { KubernetesObject } from "../../cluster/object.ts";
import { type CatalogEntry, type Entries, versionTag, type View } from "../catalog.ts";
import type { Context, ManagementCall, ManagementHandler } from "../context.ts";
import { errorResponse } from "../../api/error_response.ts";
import { type GatewayResourceKind, keyOf, type ObjectName } from "../../gateway/resource.ts";
import { showResource } from "../representation.ts";
import type { StoredResource } from "../store.ts";

/** Creates a handler that answers from the cached view of the store. It returns no promise if the view is current. */
export function readHandler(show: (view: View, call: ManagementCall, context: Context) => Response): ManagementHandler {
  return (call, context) => {
    const view = context.view();
    return view instanceof Promise ? view.then((view) => show(view, call, context)) : show(view, call, context);
  };
}

/** The names of the kinds of resources, for messages. */
export const KIND_NAMES: Readonly<Record<GatewayResourceKind, string>> = {
  api: "API",
  fleet: "fleet",
  staticroute: "static route",
};

/** Finds a resource; throws a 404 problem if it doesn't exist. */
export function find<K extends GatewayResourceKind>(view: Entries, kind: K, object: ObjectName): CatalogEntry<K> {
  const entry = view[kind].get(keyOf(object));
  if (entry === undefined) throw missing(KIND_NAMES[kind], object);
  return entry;
}

/** Makes the 404 problem for an object that doesn't exist. */
export function missing(kind: string, { namespace, name }: ObjectName): Error {
  return errorResponse(404, `There is no ${kind} ${namespace}/${name}.`);
}

/** Creates a handler that shows a resource of one kind as a custom resource of Kubernetes. */
export function resourceHandler(kind: GatewayResourceKind): ManagementHandler {
  return async ({ request, object }, context) => {
    const resource = resourceOf(await context.view(), kind, object);
    const { objectOf, gateway } = context.options;
    const refusal = gateway.refusalOf?.({ kind, ...object });
    const whole = withoutBookkeeping(objectOf?.(kind, object) ?? await showResource(resource, refusal));
    const json = JSON.stringify(whole);
    // The answer shows `status`. In a cluster, `resourceVersion` also changes with it.
    const { resourceVersion: version = "" } = whole.metadata;
    const etag = refusal === undefined ? versionTag({ version }) : tagOf(json);
    return sendAnswer(request, textAnswer(json, "application/json", etag));
  };
}

/** Removes `metadata.managedFields`, which Kubernetes needs for server-side apply and which is longer than the rest. */
function withoutBookkeeping({ metadata, ...object }: KubernetesObject): KubernetesObject {
  const { managedFields: _managedFields, ...shown } = metadata;
  return { ...object, metadata: shown };
}

function resourceOf(view: View, kind: GatewayResourceKind, object: ObjectName): StoredResource {
  switch (kind) {
    case "api":
      return find(view, kind, object).resource;
    case "fleet":
      return find(view, kind, object).resource;
    case "staticroute":
      return find(view, kind, object).resource;
  }
}
