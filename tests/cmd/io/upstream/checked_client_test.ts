import assert from "node:assert/strict";
import { createCheckedClient } from "../../../../cmd/io/upstream/checked_client.ts";
import { ReferencePolicy } from "../../../../lib/openapi/reference_policy.ts";

/** A name of this machine that isn't written as one, like a name that an attacker lets mean 127.0.0.1. */
const HERE = Deno.hostname();

const noProxy = (): undefined => undefined;

Deno.test("a checked client connects to no address that its check refuses", async () => {
  using listener = Deno.listen({ port: 0 });
  const { port } = listener.addr;
  const asked: string[] = [];
  await using client = createCheckedClient((hostname, addresses) => {
    asked.push(hostname);
    assert.ok(addresses.length > 0);
    throw new Error("not there");
  }, noProxy);
  const failed = await client.fetch(`http://${HERE}:${port}/`, {}).then(() => undefined, (error: Error) => error.cause);
  assert.match(String(failed), /not there/);
  assert.deepEqual(asked, [HERE.toLowerCase()]);
});

Deno.test("a checked client asks a proxy without a check of the proxy's name", async () => {
  await using proxy = Deno.serve({ port: 0, onListen: () => {} }, ({ url }) => new Response(url));
  const refuse = (hostname: string): void => assert.fail(hostname);
  const env = (name: string): string | undefined =>
    name === "HTTP_PROXY" ? `http://${HERE}:${proxy.addr.port}` : undefined;
  await using client = createCheckedClient(refuse, env);
  const response = await client.fetch("http://definitions.example/a.yaml", {});
  assert.match(await response.text(), /definitions\.example\/a\.yaml$/);
});

Deno.test("a host may not change its place between the check of a reference and the connection", async (t) => {
  const from = "http://host.example/a.yaml";
  const reference = { uri: "http://host.example/b.yaml", from, kind: "externalValue" } as const;
  const [far, here, cloud] = [["192.0.2.7"], ["127.0.0.1"], ["169.254.169.254"]];
  const cases = [
    { name: "the same place", named: far, then: ["192.0.2.9"], isRefused: false },
    { name: "this machine after another one", named: far, then: here, isRefused: true },
    { name: "a metadata server after another machine", named: far, then: cloud, isRefused: true },
    { name: "one of several addresses", named: far, then: [...far, ...here], isRefused: true },
    { name: "this machine twice", named: here, then: here, isRefused: false },
    { name: "a name that could not be looked up, on another machine", named: undefined, then: far, isRefused: false },
    { name: "a name that could not be looked up, here", named: undefined, then: here, isRefused: true },
  ];
  for (const { name, named, then, isRefused } of cases) {
    await t.step(name, async () => {
      const policy = new ReferencePolicy({
        workingFolder: "file:///work",
        inspect: (uri) => Promise.resolve({ uri, kind: "file" }),
        read: () => Promise.resolve(""),
        addressesOf: () => Promise.reject(new Error("There was no answer in time.")),
      }, { definitions: [] });
      if (named !== undefined) policy.checkAddresses("host.example", named);
      await policy.check(reference);
      const connect = (): void => policy.checkAddresses("host.example", then, reference);
      if (isRefused) assert.throws(connect, /leads to other addresses than before/);
      else connect();
    });
  }
});
