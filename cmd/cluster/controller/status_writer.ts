import { readConditions, withTransitionTimes } from "../../../lib/cluster/status/conditions.ts";
import { FINALIZER } from "../../../lib/cluster/names.ts";
import { type Condition, covers, type KubernetesObject } from "../../../lib/cluster/object.ts";
import { isObject } from "../../../lib/schema/node.ts";
import { type KubeClient, KubeError, type ResourceType } from "../client.ts";
import { isOlder } from "../resource_version.ts";

/** An object that isn't gone before the controller lets it go, whoever deletes it, or all that is in its namespace. */
export function withFinalizer(object: KubernetesObject): KubernetesObject {
  return { ...object, metadata: { ...object.metadata, finalizers: [FINALIZER] } };
}

/** Who writes finalizers: not who writes `spec`, whose applying would take them away. */
const FINALIZER_MANAGER = "gw-controller";

/** Writes what the controller says of gw's own objects. */
export interface StatusWriter {
  /** The newest state that is known of an object: that of its last writing, until it is observed. */
  newest(object: KubernetesObject): KubernetesObject;
  addFinalizer(type: ResourceType, object: KubernetesObject): Promise<void>;
  removeFinalizer(type: ResourceType, object: KubernetesObject): Promise<void>;
  /** Writes a status, when it says something new, and an Event for each condition that changes. */
  writeStatus(
    type: ResourceType,
    object: KubernetesObject,
    status: Readonly<Record<string, unknown>> & { conditions?: Condition[] },
  ): Promise<void>;
}

/** What writing needs. */
export interface StatusWriterOptions {
  client: Pick<KubeClient, "patch" | "applyStatus">;
  tell: (object: KubernetesObject, before: readonly Condition[], after: readonly Condition[]) => void;
  now: () => number;
}

/** Makes what writes finalizers and statuses. */
export function createStatusWriter({ client, tell, now }: StatusWriterOptions): StatusWriter {
  /** The answers to the last writings, by unique id. */
  const answers = new Map<string, KubernetesObject>();

  return { newest, addFinalizer, removeFinalizer, writeStatus };

  function newest(object: KubernetesObject): KubernetesObject {
    const answer = answers.get(object.metadata.uid ?? "");
    if (answer === undefined) return object;
    if (isOlder(object, answer)) return answer;
    answers.delete(object.metadata.uid ?? "");
    return object;
  }

  async function addFinalizer(type: ResourceType, object: KubernetesObject): Promise<void> {
    const { finalizers = [] } = newest(object).metadata;
    if (finalizers.includes(FINALIZER)) return;
    await writeFinalizers(type, object, [...finalizers, FINALIZER]);
  }

  async function removeFinalizer(type: ResourceType, object: KubernetesObject): Promise<void> {
    const { finalizers = [] } = newest(object).metadata;
    if (!finalizers.includes(FINALIZER)) return;
    try {
      await writeFinalizers(type, object, finalizers.filter((one) => one !== FINALIZER));
    } catch (error) {
      if (!(error instanceof KubeError) || error.status !== 404) throw error;
    }
    answers.delete(object.metadata.uid ?? "");
  }

  async function writeFinalizers(type: ResourceType, object: KubernetesObject, finalizers: string[]): Promise<void> {
    const { metadata: { namespace = "", name, resourceVersion } } = newest(object);
    // Somebody else's finalizer must not get lost: only on the state that was read.
    const patch = { metadata: { resourceVersion, finalizers } };
    remember(await client.patch(type, namespace, name, patch, { fieldManager: FINALIZER_MANAGER }));
  }

  async function writeStatus(
    type: ResourceType,
    object: KubernetesObject,
    { conditions = [], ...rest }: Readonly<Record<string, unknown>> & { conditions?: Condition[] },
  ): Promise<void> {
    const present = newest(object);
    const before = isObject(present.status) ? present.status : {};
    const known = readConditions(before["conditions"]);
    const after = withTransitionTimes(conditions, known, new Date(now()).toISOString().replace(/\.\d+/, ""));
    const status = { ...rest, conditions: after };
    const isSame = covers(before, status) && Object.keys(before).every((key) => key in status);
    if (isSame) return;
    // Another one of this name may be there by now, which nobody has looked at: that it is accepted must not be said of it.
    const { metadata: { namespace = "", name, resourceVersion } } = present;
    const metadata = { namespace, name, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
    try {
      const { apiVersion, kind } = type;
      remember(await client.applyStatus(type, { apiVersion, kind, metadata, status }));
    } catch (error) {
      if (error instanceof KubeError && error.status === 404) return;
      throw error;
    }
    tell(present, known, after);
  }

  function remember(object: KubernetesObject): void {
    answers.set(object.metadata.uid ?? "", object);
  }
}
