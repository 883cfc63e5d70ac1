import { isObject } from "../../../lib/schema/json/node.ts";
import type { GatewayName } from "../../../lib/cluster/status/conditions.ts";
import type { KubeClient } from "../client.ts";
import type { Observed } from "./contract.ts";
import { GATEWAY_CLASS } from "./kinds.ts";

/**
 * The controllers of Gateways, by the `controllerName` of their GatewayClasses. That field can't change, so each class is
 * read once.
 */
export class GatewayClasses {
  readonly #client: Pick<KubeClient, "get">;
  readonly #gateways: Pick<Observed, "get">;
  readonly #controllers = new Map<string, string>();

  constructor({ client, gateways }: { client: Pick<KubeClient, "get">; gateways: Pick<Observed, "get"> }) {
    this.#client = client;
    this.#gateways = gateways;
  }

  /** Reads the GatewayClass of a Gateway, unless it is known. */
  async load(gateway: GatewayName): Promise<void> {
    const name = this.#classOf(gateway);
    if (name === undefined || this.#controllers.has(name)) return;
    const { spec } = await this.#client.get(GATEWAY_CLASS, "", name) ?? {};
    const controller = isObject(spec) ? spec["controllerName"] : undefined;
    if (typeof controller === "string") this.#controllers.set(name, controller);
  }

  /** Adds the controller of a Gateway to its name, if its GatewayClass was loaded. */
  withController({ namespace, name }: GatewayName): GatewayName {
    const controller = this.#controllers.get(this.#classOf({ namespace, name }) ?? "");
    return { namespace, name, ...(controller === undefined ? {} : { controller }) };
  }

  #classOf({ namespace, name }: GatewayName): string | undefined {
    const { spec } = this.#gateways.get(namespace, name) ?? {};
    const className = isObject(spec) ? spec["gatewayClassName"] : undefined;
    return typeof className === "string" ? className : undefined;
  }
}
