/**
 * Runs gw's controller with a real API server.
 *
 * @module
 */
import {
  type Controller,
  type ControllerOptions,
  createController,
} from "../../../cmd/cluster/controller/controller.ts";
import type { KubeClient } from "../../../cmd/cluster/client.ts";
import { PlanCache } from "../../../cmd/io/gateway/plan_cache.ts";
import { createInformer } from "../../../cmd/cluster/informer.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { API_VERSION } from "../../../lib/cluster/names.ts";
import { createDeploymentCheck } from "../../../lib/gateway/check_deployment.ts";
import type { VirtualCluster } from "./virtual_cluster.ts";

export interface RunningController extends AsyncDisposable {
  readonly controller: Controller;
  /**
   * The controller's writes since the last call, such as `apply HTTPRoute shop/todo`. Writes of the Lease and of Events
   * are left out.
   */
  takeWrites(): string[];
  /** The errors that the controller has logged. */
  readonly complaints: readonly string[];
  /** Stops the controller as SIGTERM does: it releases the Lease. */
  stop(): Promise<void>;
}

/** All controllers share this check of definitions: its first call is slow. */
const check = createDeploymentCheck();

/** Starts a controller. Its times are shorter than in a real cluster. */
export function startController(
  { client, resources }: Pick<VirtualCluster, "client" | "resources">,
  options: Partial<ControllerOptions> = {},
): RunningController {
  const writes: string[] = [];
  const complaints: string[] = [];
  const leaving = new AbortController();
  const controller = createController({
    client: recordingClient(client, writes),
    resources,
    observe: createInformer,
    identity: crypto.randomUUID(),
    planCache: new PlanCache({ check }),
    log: { note: () => {}, complain: (message) => void complaints.push(message) },
    now: () => Date.now(),
    settleTime: 100,
    leaseTimes: { duration: 1_500, renewDeadline: 1_000, retryPeriod: 300 },
    ...options,
  });
  const running = controller.run(leaving.signal);
  const stop = async (): Promise<void> => {
    leaving.abort();
    await running;
  };
  return {
    controller,
    complaints,
    takeWrites: () => writes.splice(0),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Wraps a client so that it records its writes. */
function recordingClient(client: KubeClient, writes: string[]): KubeClient {
  const note = (verb: string, kind: string, namespace: string, name: string): void => {
    if (kind !== "Lease" && kind !== "Event") writes.push(`${verb} ${kind} ${namespace}/${name}`);
  };
  const noteObject = (verb: string, { kind, metadata: { namespace = "", name } }: KubernetesObject): void =>
    note(verb, kind, namespace, name);
  return {
    ...client,
    create(type, object, options) {
      noteObject("create", object);
      return client.create(type, object, options);
    },
    replace(type, object, options) {
      noteObject("replace", object);
      return client.replace(type, object, options);
    },
    apply(type, object, options) {
      noteObject("apply", object);
      return client.apply(type, object, options);
    },
    applyStatus(type, object, options) {
      noteObject("status", object);
      return client.applyStatus(type, object, options);
    },
    patch(type, namespace, name, patch, options) {
      note("patch", type.kind, namespace, name);
      return client.patch(type, namespace, name, patch, options);
    },
    delete(type, namespace, name, options) {
      note("delete", type.kind, namespace, name);
      return client.delete(type, namespace, name, options);
    },
  };
}

/** An API for the fleet `edge/edge`. */
export function apiOf(name: string, openapi: string, namespace = "shop"): KubernetesObject {
  const spec = { fleet: { namespace: "edge", name: "edge" }, openapi };
  return { apiVersion: API_VERSION, kind: "API", metadata: { namespace, name }, spec };
}

/** The fleet `edge/edge`. */
export function fleetOf(spec: unknown = { service: { ports: [{ name: "http", port: 80 }] } }): KubernetesObject {
  return { apiVersion: API_VERSION, kind: "Fleet", metadata: { namespace: "edge", name: "edge" }, spec };
}

/** The status and reason of a condition, such as `True Programmed`, if it is about the current generation. */
export function conditionOf(object: KubernetesObject | undefined, type: string): string | undefined {
  const conditions: { type: string; status: string; reason: string; observedGeneration: number }[] =
    Object(object?.status).conditions ?? [];
  const found = conditions.find((condition) =>
    condition.type === type && condition.observedGeneration === object?.metadata.generation
  );
  return found && `${found.status} ${found.reason}`;
}

/** The message of a condition; empty if the object lacks the condition. */
export function messageOf(object: KubernetesObject | undefined, type: string): string {
  const conditions: { type: string; message: string }[] = Object(object?.status).conditions ?? [];
  return conditions.find((condition) => condition.type === type)?.message ?? "";
}
