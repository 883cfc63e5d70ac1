import type { EmbeddedGateway } from "../../lib/gateway/embedded/gateway.ts";
import { planRoutes } from "../../lib/gateway/plan_routes.ts";
import type { RoutePlan } from "../../lib/gateway/route.ts";
import type { Handler } from "../../lib/http/handler.ts";
import { DESCRIPTION } from "../../lib/management/description.ts";
import { parseDocument } from "../../lib/openapi/document.ts";
import { sleep } from "../io/sleep.ts";

/** The code to warm up. */
export interface WarmUp {
  /** The management API. */
  api: Handler;
  /** Creates the gateway of a fleet. */
  createGateway: (plans: readonly RoutePlan[]) => EmbeddedGateway;
}

/** The most frequent versions of OpenAPI; each has a schema of its own. */
const VERSIONS = ["3.0.3", "3.1.0"];

/**
 * Makes the first deployment faster: loads the code that checks definitions, and prepares the schemas of OpenAPI. It
 * validates the management API's own description, which contains nearly every kind of OpenAPI object, and stores
 * nothing.
 */
export async function warmUp({ api, createGateway }: WarmUp): Promise<void> {
  for (const version of VERSIONS) {
    // Lets waiting requests go first.
    await sleep();
    const openapi = `${DESCRIPTION.replace(/^openapi: .*/, `openapi: ${version}`)}\n${MOCKED}`;
    await tryDeployment(api, openapi);
    await tryRequests(createGateway, openapi);
  }
}

const MOCKED = `x-svc:\n  path: { prefix: /warm-up }\n  mocking: { enabled: true }\n`;

async function tryDeployment(api: Handler, openapi: string): Promise<void> {
  const response = await api(
    new Request("http://localhost/apis?dryRun=true", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "warm-up", openapi }),
    }),
  );
  await response.body?.cancel();
}

async function tryRequests(createGateway: WarmUp["createGateway"], openapi: string): Promise<void> {
  const fleet = { namespace: "default", name: "default" };
  const document = await parseDocument(openapi);
  const gateway = createGateway([planRoutes({ namespace: "default", name: "warm-up", fleet, document })]);
  for (const path of ["/warm-up/apis", "/warm-up/apis/default/todo"]) {
    const { response } = await gateway(new Request(`http://localhost${path}`), {
      remoteAddr: { hostname: "127.0.0.1" },
    });
    await response.body?.cancel();
  }
}
