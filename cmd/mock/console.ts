import type { LoadStatus } from "../../lib/console/mock/definition.ts";
import { loadOnce } from "../../lib/http/load_once.ts";
import { createLogins } from "../../lib/http/logins.ts";
import { PAGES_PATH } from "../../lib/mock/own_endpoints.ts";
import type { LocalMockOptions } from "../../lib/mock/local_mock.ts";
import type { ServerSettings } from "./settings.ts";

/** The console of a server with endpoints of its own. Its pages are loaded when somebody opens one. */
export function consoleOf(
  settings: ServerSettings,
  statusOf: () => LoadStatus,
): NonNullable<LocalMockOptions["console"]> | undefined {
  if (!hasConsole(settings)) return undefined;
  const { control: path, "control-token": token } = settings;
  const command = settings.proxyAll === true ? "gw proxy" : "gw mock";
  const logins = createLogins({ path, now: () => Date.now(), newId: () => crypto.randomUUID() });
  const load = loadOnce(async () => {
    const { createMockConsole } = await import("../../lib/console/mock/mock_console.ts");
    return createMockConsole({ command, logins, token, statusOf });
  });
  return { logins, pages: { path: PAGES_PATH, load } };
}

export function hasConsole(settings: Pick<ServerSettings, "no-control" | "as-gateway">): boolean {
  return !settings["no-control"] && !settings["as-gateway"];
}
