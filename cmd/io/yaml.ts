import { stringify } from "yaml";
import type { KubernetesObject } from "../../lib/cluster/object.ts";

/**
 * Formats objects as YAML, each as a document of its own. Texts that YAML 1.1 reads as another type, such as `yes`, are
 * quoted.
 */
export function toYaml(objects: readonly KubernetesObject[]): string {
  return objects.map((object) => stringify(object, { version: "1.1", lineWidth: 120, aliasDuplicateObjects: false }))
    .join("---\n");
}
