import assert from "node:assert/strict";
import type { NetworkEndpoint } from "../../../../cmd/io/files/location.ts";
import { createProber, type Prober } from "../../../../cmd/io/gateway/service_probe.ts";

Deno.test("a prober reports whether a service accepts connections, and changes of that", async () => {
  const prober = createProber(10);
  try {
    const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
    const place = { hostname: "127.0.0.1", port: listener.addr.port };
    assert.equal(prober.isAvailable(place), undefined);
    await until(prober, place, true);
    listener.close();
    await until(prober, place, false);
    using _again = Deno.listen(place);
    await until(prober, place, true);
  } finally {
    prober.close();
  }
});

Deno.test("a prober reports an unknown host name as unavailable", async () => {
  const prober = createProber(10);
  await until(prober, { hostname: "absent.invalid", port: 80 }, false);
  prober.close();
});

async function until(prober: Prober, place: NetworkEndpoint, isAvailable: boolean): Promise<void> {
  while (prober.isAvailable(place) !== isAvailable) await new Promise((resolve) => setTimeout(resolve, 5));
}
