import assert from "node:assert/strict";
import { Unavailable } from "../../cmd/serve/backend.ts";
import { DEFAULT_FLEET, provideDefaultFleet } from "../../cmd/serve/default_fleet.ts";
import { fleetAt, remarkOn } from "../../cmd/serve/messages.ts";
import { createMemoryStore } from "../../lib/management/memory_store.ts";
import type { Store } from "../../lib/management/store.ts";

const EDGE = { namespace: "default", name: "edge" };

Deno.test("provideDefaultFleet() takes the port that is wanted, or says which one it takes instead", async (t) => {
  const cases: {
    given: string;
    /** The ports of stored fleets; the first fleet is the default one. Default: an empty store. */
    stored?: readonly (readonly number[])[];
    taken?: readonly number[];
    wanted?: number;
    want: RegExp;
    /** The ports of the default fleet afterwards. */
    ports: readonly number[];
  }[] = [
    { given: "an empty store", want: /^$/, ports: [8080] },
    {
      given: "an empty store, two ports taken",
      taken: [8080, 8081],
      want: /^another program has port 8080; later starts take 8082 too, unless --fleet-port names another$/,
      ports: [8082],
    },
    { given: "an empty store, a port wanted", wanted: 9000, want: /^$/, ports: [9000] },
    { given: "an empty store, any port wanted", wanted: 0, want: /^$/, ports: [7777] },
    {
      given: "an empty store, the wanted port taken",
      wanted: 9000,
      taken: [9000],
      want: /^The fleet default\/default finds no free port: Port 9000 /,
      ports: [],
    },
    { given: "a stored fleet", stored: [[8081]], want: /^as before; --fleet-port 8080 moves it$/, ports: [8081] },
    { given: "a stored fleet with the usual port", stored: [[8080]], want: /^$/, ports: [8080] },
    { given: "a stored fleet with two ports", stored: [[8081, 8082]], want: /^$/, ports: [8081, 8082] },
    { given: "a stored fleet, its own port wanted", stored: [[8081]], wanted: 8081, want: /^$/, ports: [8081] },
    { given: "a stored fleet, any port wanted", stored: [[8081]], wanted: 0, want: /^$/, ports: [8081] },
    {
      given: "a stored fleet, another port wanted",
      stored: [[8081]],
      wanted: 9000,
      want: /^before: port 8081$/,
      ports: [9000],
    },
    {
      given: "a stored fleet, a port wanted that another program has",
      stored: [[8081]],
      wanted: 9000,
      taken: [9000],
      want: /^The fleet default\/default stays on port 8081\. Port 9000 /,
      ports: [8081],
    },
    {
      given: "a stored fleet, a port wanted that another fleet has",
      stored: [[8081], [9000]],
      wanted: 9000,
      want: /^The fleet default\/default stays on port 8081\. The fleet default\/edge has port 9000\.$/,
      ports: [8081],
    },
    {
      given: "a stored fleet with two ports, one of them wanted",
      stored: [[8081, 8082]],
      wanted: 8082,
      want: /^$/,
      ports: [8081, 8082],
    },
    {
      given: "a stored fleet with two ports, another one wanted",
      stored: [[8081, 8082]],
      wanted: 9000,
      want: /^--fleet-port 9000: the fleet default\/default has 2 ports, 8081, 8082\. Start without --fleet-port, /,
      ports: [8081, 8082],
    },
  ];
  for (const { given, stored = [], taken = [], wanted, want, ports } of cases) {
    await t.step(given, async () => {
      const store = createMemoryStore(() => 0);
      for (const [index, numbers] of stored.entries()) await storeFleet(store, [DEFAULT_FLEET, EDGE][index], numbers);
      assert.match(await provide(store, taken, wanted), want);
      const fleet = await store.get("fleet", "default", "default");
      assert.deepEqual(fleet?.spec.ports.map(({ port }) => port) ?? [], ports);
    });
  }
});

Deno.test("provideDefaultFleet() doesn't bring back a default fleet that was deleted", async () => {
  const store = createMemoryStore(() => 0);
  await storeFleet(store, EDGE, [8081]);
  const provided = await provideDefaultFleet({
    store,
    dataPlane: planeWithout([]),
    wanted: 9000,
    freePort: () => 7777,
  });
  assert.deepEqual(provided, { kind: "no-fleet", wanted: 9000 });
  assert.deepEqual((await store.list("fleet")).items.map(({ name }) => name), ["edge"]);
});

Deno.test("fleetAt() puts the remark after the address", () => {
  const remark = remarkOn({ kind: "moved", port: 9000, before: 8081 });
  assert.equal(
    fleetAt(DEFAULT_FLEET, "http://127.0.0.1:9000", remark),
    "fleet default/default on http://127.0.0.1:9000 (before: port 8081)",
  );
});

/** @returns The remark, or the message of the error. */
async function provide(store: Store, taken: readonly number[], wanted: number | undefined): Promise<string> {
  try {
    return remarkOn(
      await provideDefaultFleet({ store, dataPlane: planeWithout(taken), wanted, freePort: () => 7777 }),
    );
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    return error.message;
  }
}

/** A data plane without these ports. */
function planeWithout(taken: readonly number[]): Parameters<typeof provideDefaultFleet>[0]["dataPlane"] {
  return {
    reserve: (_fleet, ports) => {
      const port = ports.find((port) => taken.includes(port));
      return port === undefined ? undefined : `Port ${port} can't be had.`;
    },
  };
}

async function storeFleet(store: Store, fleet = DEFAULT_FLEET, numbers: readonly number[]): Promise<void> {
  const ports = numbers.map((port) => ({ name: `http-${port}`, nodePort: 0, port, protocol: "TCP", targetPort: 0 }));
  const resource = { kind: "fleet" as const, ...fleet, spec: { serviceType: "ClusterIP" as const, ports } };
  await store.apply([{ kind: "create", resource }]);
}
