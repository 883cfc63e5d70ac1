import assert from "node:assert/strict";
import { openSqliteStore } from "../../../cmd/io/gateway/sqlite_store.ts";
import { testManagementApi } from "../../lib/management/api_contract.ts";

testManagementApi("the management API on SQLite", async (test) => {
  const opened = openSqliteStore({ path: ":memory:", now: () => Date.parse("2026-01-02T03:04:05.678Z") });
  assert.ok(opened.kind === "open");
  try {
    await test(opened.store);
  } finally {
    opened.close();
  }
});
