import type { AccessOptions } from "./access.ts";
import type { ControlledServer } from "./context.ts";
import type { ControlApi } from "./control_api.ts";

/** Makes the control API, which is imported at its first request: most runs of a mock server get none. */
export function loadControlApi(server: ControlledServer, options: AccessOptions): ControlApi {
  let loading: Promise<ControlApi> | undefined;
  return async (request, session, path) => {
    loading ??= import("../all_server_parts.ts").then(({ ALL_SERVER_PARTS }) =>
      ALL_SERVER_PARTS.createControlApi(server, options)
    );
    return await (await loading)(request, session, path);
  };
}
