import type { KubernetesObject } from "./object.ts";
import type { Mocks } from "./rendering.ts";

/** A fleet, as far as its objects depend on it; `spec` of the custom resource Fleet fits. */
export interface Fleet {
  namespace: string;
  name: string;
  spec: {
    /** A Gateway that exists, instead of one of gw's own. */
    gateway?: { name: string; namespace?: string };
    gatewayClassName?: string;
    service?: {
      type?: "ClusterIP" | "LoadBalancer" | "NodePort";
      ports?: { name?: string; port: number; protocol?: string; nodePort?: number; targetPort?: number }[];
      annotations?: Record<string, string>;
    };
    replicas?: number;
    tls?: { certificateRefs: { name: string; namespace?: string }[] };
    profile?: "envoy-gateway" | "portable";
  };
}

/** What a fleet is rendered with. */
export interface FleetOptions {
  /** Default: the Service that `gw manifests` makes. */
  mocks?: Mocks;
  /** Namespaces with APIs or static routes of the fleet: their routes may use the mocks. */
  namespaces?: readonly string[];
}

/** Renders a fleet: its Gateway and what belongs to it. */
export function renderFleet(_fleet: Fleet, _options: FleetOptions = {}): KubernetesObject[] {
  return [];
}
