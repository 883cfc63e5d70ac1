/** Envoy answers the table of exchanges as the embedded gateway does, apart from rows that say why not. */
import { ask } from "../support/ask.ts";
import { deployApi, deployFleet } from "../support/deploy.ts";
import { scaleMocks, takeStack } from "../support/stack.ts";
import { startIssuer } from "../support/tokens.ts";
import { serviceObjects, startUpstream } from "../support/upstream.ts";
import { until } from "../support/until.ts";
import { answerAs, answerAsGuard, HOST, pathOf, testRows, textOf } from "../../gateways/row.ts";
import { ROWS } from "../../gateways/rows.ts";

Deno.test("Envoy answers the table of exchanges", async (t) => {
  await using stack = await takeStack();
  await stack.installGw();
  // Each replica of the mocks keeps state of its own.
  await scaleMocks(stack, 1);
  await using a = startUpstream("a", answerAs("a"));
  await using b = startUpstream("b", answerAs("b"));
  await using guard = startUpstream("guard", answerAsGuard);
  await using issuer = await startIssuer();
  const namespace = await stack.api.createNamespace();
  for (const [name, upstream] of Object.entries({ a, b, guard })) {
    await stack.api.apply(...serviceObjects({ namespace, name, endpoints: [upstream] }));
  }
  const { port } = await deployFleet(stack, namespace);
  const text = textOf(ROWS, { namespace, issuer: issuer.issuer, jwks: issuer.jwksUri, upstreams: { a, b, guard } });
  await deployApi(stack.api, { namespace, name: "exchanges", definition: JSON.parse(text) }, 90_000);
  const token = await issuer.sign("exchanges");
  // Envoy fetches the token issuer's keys in the background, so try until it has them.
  const path = pathOf(ROWS.findIndex(({ name }) => name === "auth.jwt"));
  const headers = { authorization: `Bearer ${token}` };
  await until(async () => (await ask(port, { host: HOST, path, headers })).status === 200);
  await testRows(t, ROWS, "envoy", port, token);
});
