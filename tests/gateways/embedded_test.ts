/** The embedded gateway answers the table of exchanges. */
import assert from "node:assert/strict";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { createGatewayPlatform } from "../../cmd/io/gateway/gateway_platform.ts";
import { createGateway } from "../../lib/gateway/embedded/gateway.ts";
import { planRoutes } from "../../lib/gateway/plan_routes.ts";
import { parseDocument } from "../../lib/openapi/document.ts";
import { serve } from "../lib/gateway/embedded/fleet.ts";
import { answerAs, answerAsGuard, testRows, textOf } from "./row.ts";
import { ROWS } from "./rows.ts";

const ISSUER = "https://issuer.test";

Deno.test("the embedded gateway answers the table of exchanges", async (t) => {
  await using a = serve(answerAs("a"));
  await using b = serve(answerAs("b"));
  await using guard = serve(answerAsGuard);
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const key = { ...await exportJWK(publicKey), kid: "test", alg: "ES256", use: "sig" };
  await using issuer = serve(() => Response.json({ keys: [key] }));
  const token = await new SignJWT({}).setProtectedHeader({ alg: "ES256", kid: "test" }).setIssuer(ISSUER)
    .setAudience("exchanges").setExpirationTime("1h").sign(privateKey);

  const text = textOf(ROWS, { namespace: "default", issuer: ISSUER, jwks: issuer.url, upstreams: { a, b, guard } });
  const document = await parseDocument(text);
  assert.deepEqual(document.diagnostics, []);
  const plan = planRoutes({
    namespace: "default",
    name: "exchanges",
    fleet: { namespace: "default", name: "edge" },
    document,
  });
  const services = Object.entries({ a, b, guard }).map(([name, { url }]) => ({
    namespace: "default",
    name,
    url: new URL(url),
  }));
  using platform = createGatewayPlatform(services, [], () => undefined);
  const gateway = createGateway([plan], platform);
  await using fleet = serve(async (request, client) => (await gateway(request, client)).response);
  await testRows(t, ROWS, "embedded", fleet.port, token);
});
