/**
 * Measures `gw serve` against baselines: requests through the embedded gateway, deployments, a thousand APIs, the
 * management API, and one more API for the controller of a cluster.
 *
 * @module
 */

import type { BenchOptions } from "./options.ts";
import { benchController } from "./serve/controller.ts";
import { benchDeploy } from "./serve/deploy.ts";
import { benchMany } from "./serve/many.ts";
import { benchRequests } from "./serve/requests.ts";

export async function benchServe(options: BenchOptions): Promise<void> {
  await benchRequests(options);
  await benchDeploy(options);
  await benchMany(options);
  await benchController();
}
