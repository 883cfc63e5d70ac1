/**
 * An edit of `auth` that leaves its kind closes no operation, and opens none. Envoy Gateway names what a JWT must fulfil
 * by its contents, and routes arrive some milliseconds before the filter that knows a new name. Envoy answers 403 then.
 *
 * @module
 */
import assert from "node:assert/strict";
import { ask, type Reply } from "../support/ask.ts";
import { apiObject, deployApi, deployFleet, type Deployment } from "../support/deploy.ts";
import { isFrom, startLoad } from "../support/load.ts";
import { takeStack } from "../support/stack.ts";
import { startIssuer } from "../support/tokens.ts";
import { until } from "../support/until.ts";
import { serviceObjects, startUpstream } from "../support/upstream.ts";

const HOST = "audience.example.com";

Deno.test("One more audience of a JWT closes nothing, and one less opens nothing", async () => {
  await using stack = await takeStack();
  await stack.installGw();
  const { api } = stack;
  await using upstream = startUpstream("accounts");
  await using issuer = await startIssuer();
  const namespace = await api.createNamespace();
  await api.apply(...serviceObjects({ namespace, name: "accounts", endpoints: [upstream] }));
  const { port } = await deployFleet(stack, namespace);
  const deployment = (audiences: readonly string[]): Deployment => ({
    namespace,
    name: "accounts",
    definition: {
      openapi: "3.1.0",
      info: { title: "accounts", version: "1" },
      "x-svc": {
        hosts: [HOST],
        upstream: { service: { name: "accounts" } },
        auth: { jwt: { providers: [{ name: "main", issuer: issuer.issuer, audiences, jwks_uri: issuer.jwksUri }] } },
      },
      paths: { "/accounts": { get: { responses: { 200: { description: "" } } } } },
    },
  });
  const headersOf = async (audience: string): Promise<Record<string, string>> => ({
    authorization: `Bearer ${await issuer.sign(audience)}`,
  });
  const [first, second] = [await headersOf("first"), await headersOf("second")];
  const statusOf = async (headers: Record<string, string>): Promise<number> =>
    (await ask(port, { host: HOST, path: "/accounts", headers })).status;

  await deployApi(api, deployment(["first"]), 90_000);
  await until(async () => await statusOf(first) === 200, { within: 30_000, what: "the first audience" });

  let early = 0;
  const isEarly = ({ status, text }: Reply): boolean => {
    const is = status === 403 && text.includes("Wrong requirement_name");
    if (is) early++;
    return is;
  };
  const anonymous = startLoad(
    port,
    { host: HOST, path: "/accounts" },
    (reply) => reply.status === 401 || isEarly(reply),
  );
  const isServed = isFrom("accounts");
  const load = startLoad(
    port,
    { host: HOST, path: "/accounts", headers: first },
    (reply) => isServed(reply) || isEarly(reply),
  );
  await api.apply(apiObject(deployment(["first", "second"])));
  await until(async () => await statusOf(second) === 200, { within: 30_000, what: "the second audience" });
  // Longer than connections are drained.
  await new Promise((resolve) => setTimeout(resolve, 15_000));
  const widened = await load.stop();

  await api.apply(apiObject(deployment(["second"])));
  await until(async () => await statusOf(first) === 403, { within: 30_000, what: "the end of the first audience" });
  await new Promise((resolve) => setTimeout(resolve, 15_000));
  assert.equal(await statusOf(second), 200);
  const without = await anonymous.stop();
  assert.deepEqual(without.failed, {}, `of ${without.total} without credentials`);
  assert.deepEqual(widened.failed, {}, `of ${widened.total} with the first audience`);
  const total = widened.total + without.total;
  assert.ok(early < total / 100, `${early} of ${total} answered 403 while routes were ahead of the filter`);
});
