import assert from "node:assert/strict";
import { readMocha } from "../../../scripts/clients/mocha.ts";

Deno.test("readMocha() reads passes, failures and pending tests", () => {
  const report = {
    stats: { tests: 3 },
    passes: [{ fullTitle: "orders get" }],
    failures: [{ fullTitle: "orders list", err: { message: "Not Found", stack: "Error: Not Found\n    at a.js:1" } }],
    pending: [{ fullTitle: "orders delete" }],
  };
  assert.deepEqual(readMocha(JSON.stringify(report)), [
    { name: "orders get", outcome: "passed", message: "" },
    { name: "orders list", outcome: "failed", message: "Error: Not Found\n    at a.js:1" },
    { name: "orders delete", outcome: "skipped", message: "" },
  ]);
});
