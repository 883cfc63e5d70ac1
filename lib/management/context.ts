import type { View } from "./catalog.ts";
import type { Changer } from "./change.ts";
import type { Call as ApiCall } from "../api/api.ts";
import type { Description } from "../api/description.ts";
import type { ManagementOptions } from "./options.ts";
import type { ObjectName } from "../gateway/resource.ts";
import type { Store } from "./store.ts";

/** The state that the handlers of the management API share. */
export interface Context {
  readonly store: Store;
  readonly options:
    & ManagementOptions
    & Required<Pick<ManagementOptions, "analysisUrl" | "maxBody" | "bodyTimeout" | "bodies" | "defaultFleet">>;
  readonly changer: Changer;
  /** Returns the current snapshot of the store's resources. */
  readonly view: () => View | Promise<View>;
  readonly description: () => Promise<Description>;
}

/** A request to an operation of the management API. */
export interface ManagementCall extends ApiCall {
  /** Namespace and name in the path of the request; both empty if the path has none. */
  readonly object: ObjectName;
}

/** Handles the requests to one operation. */
export type ManagementHandler = (call: ManagementCall, context: Context) => Response | Promise<Response>;
