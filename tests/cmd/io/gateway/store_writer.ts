/**
 * Creates fleets one after the other in the store that the first argument names, and prints the name of each when the
 * store has acknowledged it.
 *
 * @module
 */
import { openSqliteStore } from "../../../../cmd/io/gateway/sqlite_store.ts";

const [path = "", prefix = ""] = Deno.args;
const opened = openSqliteStore({ path, now: () => 0 });
if (opened.kind === "refused") throw new Error(opened.message);
for (let index = 0;; index++) {
  const name = `${prefix}-${index}`;
  const spec = {
    serviceType: "ClusterIP" as const,
    ports: [{ name: "x".repeat(20_000), nodePort: 0, port: 80, protocol: "TCP", targetPort: 0 }],
  };
  await opened.store.apply([{ kind: "create", resource: { kind: "fleet", namespace: "default", name, spec } }]);
  Deno.stdout.writeSync(new TextEncoder().encode(`${name}\n`));
}
