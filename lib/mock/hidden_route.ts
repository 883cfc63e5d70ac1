import type { Document } from "../openapi/document.ts";
import { createExtensionReader } from "../openapi/extension/extension.ts";
import { listOperations, listPaths, type Operation } from "../openapi/operation.ts";
import { basePathsOf } from "./base_path.ts";
import { hiddenRoutes, type Hideable } from "./hidden.ts";
import type { Route } from "./router.ts";

/** Requests of no operation that `x-svc.disabled` hides. */
export interface HiddenRoute extends Route {
  readonly operation: undefined;
  readonly basePaths: readonly string[];
}

/** An operation, or a path, which has no `node`. */
type Place = Pick<Operation, "document" | "path" | "pathItems"> & Partial<Pick<Operation, "method" | "node">>;

/** Lists what a gateway hides of a definition beside disabled operations. */
export function hiddenIn(document: Document): HiddenRoute[] {
  const readSettings = createExtensionReader(document, "warning");
  const toHideable = (place: Place): Place & Hideable => {
    return { ...place, method: place.method ?? "*", isDisabled: readSettings(place).settings.disabled === true };
  };
  const paths = listPaths(document).map((path) => toHideable({ ...path, document }));
  return hiddenRoutes(paths, listOperations(document).map(toHideable))
    .map(({ method, path, by }) => ({ method, path, operation: undefined, basePaths: basePathsOf(by) }));
}
