import { loadOnce } from "../http/load_once.ts";
import type { ControlledServer } from "./control/context.ts";
import type { ControlApi, ControlOptions, createControlApi } from "./control/control_api.ts";

/** The module that exports the control API, as far as it is used. */
interface Parts {
  readonly ALL_SERVER_PARTS: { readonly createControlApi: typeof createControlApi };
}

/**
 * Makes the control API, which is imported at its first request: most runs of a mock server get none. If the import
 * fails, the next request tries again.
 *
 * @param load Imports the module; a parameter for tests.
 */
export function loadControlApi(
  server: ControlledServer,
  options: ControlOptions,
  load: () => Promise<Parts> = () => import("./all_server_parts.ts"),
): ControlApi {
  const loadApi = loadOnce(async () => (await load()).ALL_SERVER_PARTS.createControlApi(server, options));
  return async (...call) => await (await loadApi())(...call);
}
