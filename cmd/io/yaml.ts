import { stringify } from "yaml";
import type { KubernetesObject } from "../../lib/cluster/object.ts";

/**
 * Objects as YAML, each a document of its own; texts that YAML 1.1 would read as another type, such as `yes`, are
 * quoted.
 */
export function toYaml(objects: readonly KubernetesObject[]): string {
  return objects.map((object) => stringify(object, { version: "1.1", lineWidth: 120, aliasDuplicateObjects: false }))
    .join("---\n");
}
