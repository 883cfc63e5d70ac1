import assert from "node:assert/strict";
import { parseDocument } from "../../../../../lib/openapi/document.ts";
import { firstState } from "../../../../../lib/mock/state/store/first_state.ts";
import { readHints } from "../../../../../lib/schema/hints.ts";
import { child } from "../../../../../lib/schema/json/node.ts";

const CASES: readonly { readonly schema: Record<string, unknown>; readonly want: unknown }[] = [
  { schema: { enum: ["canceled", "processing", "requires_action", "succeeded"] }, want: "requires_action" },
  { schema: { enum: ["CLOSED", "OPEN"] }, want: "OPEN" },
  { schema: { enum: ["archived", "active"] }, want: "active" },
  { schema: { enum: ["failed", "running", "done"] }, want: "running" },
  { schema: { enum: ["available", "pending", "sold"] }, want: "available" },
  { schema: { enum: ["pendingDeletion", "created"] }, want: "created" },
  { schema: { enum: ["payment_failed", "incomplete_expired", "trialing"] }, want: "trialing" },
  { schema: { enum: ["closed", "done"] }, want: "closed" },
  { schema: { enum: [null, "cancelled", "draft"] }, want: "draft" },
  { schema: { enum: [3, 1] }, want: 3 },
  { schema: { enum: ["new", "done"], default: "done" }, want: "done" },
  { schema: { type: "string" }, want: undefined },
];

for (const { schema, want } of CASES) {
  Deno.test(`a new item with the status ${JSON.stringify(schema)} begins as ${String(want)}`, async () => {
    const document = await parseDocument({
      openapi: "3.1.0",
      info: {},
      paths: {},
      components: { schemas: { S: schema } },
    });
    const node = child(child(child(document.root, "components"), "schemas"), "S");
    assert.equal(firstState(readHints(document, node, "response")), want);
  });
}
