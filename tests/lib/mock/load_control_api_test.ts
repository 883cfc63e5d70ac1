import assert from "node:assert/strict";
import { loadControlApi } from "../../../lib/mock/load_control_api.ts";
import { createControlApi } from "../../../lib/mock/control/control_api.ts";
import { createHandlerContext } from "../../../lib/mock/operation/operation_handler.ts";
import { createSessions } from "../../../lib/mock/create_sessions.ts";

Deno.test("loadControlApi() imports the control API again after an import that failed, and not after one that didn't", async () => {
  const sessions = createSessions({});
  let imports = 0;
  const api = loadControlApi(
    {
      documents: [],
      operations: [],
      resources: undefined,
      sessions,
      controlPath: "/_gw/",
      handlers: createHandlerContext(),
      handlerOf: () => assert.fail("Nothing is mocked."),
    },
    { token: undefined, clientOf: () => "127.0.0.1" },
    () => {
      imports++;
      return imports === 1
        ? Promise.reject(new TypeError("Failed to fetch the module."))
        : Promise.resolve({ ALL_SERVER_PARTS: { createControlApi } });
    },
  );
  const explain = () => assert.fail("Nothing is explained.");
  const ask = async (): Promise<number> =>
    (await api(new Request("http://localhost/_gw/sessions"), sessions.shared, "/_gw/sessions", explain)).status;
  await assert.rejects(ask, /Failed to fetch/);
  assert.deepEqual([await ask(), await ask()], [200, 200]);
  assert.equal(imports, 2);
});
