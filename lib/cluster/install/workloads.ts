/**
 * The Deployments of `gw serve` and `gw mock --cluster`, with their Services, PodDisruptionBudgets and
 * HorizontalPodAutoscaler.
 *
 * @module
 */
import type { KubernetesObject } from "../object.ts";
import { type Component, type Installation, INSTALLED, labelsOf, PORTS } from "./installation.ts";

/** The most replicas of `gw mock --cluster` that the autoscaler starts. */
const MOST_MOCKS = 10;
/** The average CPU utilization at which the autoscaler adds a replica, in percent of the requested CPU. */
const TARGET_CPU_UTILIZATION = 70;

/** The parts in which the two Deployments differ. */
interface Workload {
  component: Component & ("serve" | "mock");
  name: string;
  args: readonly string[];
  ports: Readonly<Record<string, number>>;
  /** The name of the port that answers probes. */
  probePort: string;
  /** The seconds after the start within which the container answers `/healthz`. It may become ready later. */
  startsWithin: number;
  cpu: string;
  memory: { request: string; limit: string };
  /** The seconds that requests in progress may take after SIGTERM (`terminationGracePeriodSeconds`). */
  grace: number;
}

/** Makes the objects of `gw serve`, which runs the management API, the controller and the webhook. */
export function serveWorkload(installation: Installation): KubernetesObject[] {
  const { namespace, replicas } = installation;
  const { serve, service } = INSTALLED;
  const { management, webhook } = PORTS;
  const ports = { management, webhook };
  const workload: Workload = {
    component: "serve",
    name: serve,
    args: [
      "serve",
      "--store=kubernetes",
      `--namespace=${namespace}`,
      // This address accepts IPv4 and IPv6 connections. A cluster may have either or both.
      "--host=::",
      `--port=${management}`,
      `--webhook-port=${webhook}`,
      "--log-format=json",
    ],
    ports,
    probePort: "management",
    startsWithin: 120,
    cpu: "100m",
    memory: { request: "256Mi", limit: "1Gi" },
    grace: 30,
  };
  return [
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: INSTALLED.webhookSecret, namespace, labels: labelsOf("serve") },
      type: "Opaque",
    },
    deployment(workload, installation, replicas),
    serviceOf(service, "serve", ports, namespace),
    disruptionBudget(workload, namespace),
  ];
}

/** Makes the objects of `gw mock --cluster`, which answers mocked operations and validates requests. */
export function mockWorkload(installation: Installation): KubernetesObject[] {
  const { namespace, replicas } = installation;
  const { mock } = INSTALLED;
  const ports = { http: PORTS.mock, check: PORTS.check };
  const workload: Workload = {
    component: "mock",
    name: mock,
    args: ["mock", "--cluster", `--port=${PORTS.mock}`, `--check-port=${PORTS.check}`, "--quiet", "--log-format=json"],
    ports,
    probePort: "check",
    startsWithin: 300,
    cpu: "200m",
    memory: { request: "256Mi", limit: "1Gi" },
    grace: 30,
  };
  return [
    // The Deployment has no `replicas`: applying the manifests again would otherwise undo the autoscaler's number.
    deployment(workload, installation, undefined),
    serviceOf(mock, "mock", ports, namespace),
    disruptionBudget(workload, namespace),
    autoscaler(mock, namespace, replicas),
  ];
}

function deployment(
  { component, name, args, ports, probePort, startsWithin, cpu, memory, grace }: Workload,
  { namespace, image, otelEndpoint }: Installation,
  replicas: number | undefined,
): KubernetesObject {
  const labels = labelsOf(component);
  const ask = (path: string): object => ({ httpGet: { path, port: probePort }, timeoutSeconds: 5 });
  const container = {
    name: "gw",
    image,
    args,
    ...(otelEndpoint === undefined ? {} : { env: telemetryOf(name, otelEndpoint) }),
    ports: Object.entries(ports).map(([name, containerPort]) => ({ name, containerPort })),
    // The startup probe doesn't ask `/readyz`. A replica may need long to load many APIs, and would be killed again and
    // again before it is ready.
    startupProbe: { ...ask("/healthz"), periodSeconds: 2, failureThreshold: startsWithin / 2 },
    readinessProbe: { ...ask("/readyz"), periodSeconds: 5 },
    livenessProbe: { ...ask("/healthz"), periodSeconds: 20, failureThreshold: 3 },
    // There is no CPU limit, which would slow a replica down even if the node is idle.
    resources: { requests: { cpu, memory: memory.request }, limits: { memory: memory.limit } },
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
      readOnlyRootFilesystem: true,
    },
    volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace, labels },
    spec: {
      ...(replicas === undefined ? {} : { replicas }),
      selector: { matchLabels: labels },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: name,
          automountServiceAccountToken: true,
          // Kubernetes would otherwise set variables for each Service, such as `GW_MOCK_PORT` for `gw-mock`, and gw
          // reads these as values of its flags.
          enableServiceLinks: false,
          terminationGracePeriodSeconds: grace,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 65532,
            runAsGroup: 65532,
            fsGroup: 65532,
            seccompProfile: { type: "RuntimeDefault" },
          },
          topologySpreadConstraints: ["kubernetes.io/hostname", "topology.kubernetes.io/zone"].map((topologyKey) => ({
            maxSkew: 1,
            topologyKey,
            whenUnsatisfiable: "ScheduleAnyway",
            labelSelector: { matchLabels: labels },
            matchLabelKeys: ["pod-template-hash"],
          })),
          containers: [container],
          volumes: [{ name: "tmp", emptyDir: { sizeLimit: "64Mi" } }],
        },
      },
    },
  };
}

function telemetryOf(name: string, endpoint: string): { name: string; value: string }[] {
  const variables = { OTEL_DENO: "true", OTEL_SERVICE_NAME: name, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
  return Object.entries(variables).map(([name, value]) => ({ name, value }));
}

function serviceOf(
  name: string,
  component: Component,
  ports: Readonly<Record<string, number>>,
  namespace: string,
): KubernetesObject {
  const labels = labelsOf(component);
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace, labels },
    spec: {
      selector: labels,
      ports: Object.entries(ports).map(([name, port]) => ({ name, port, targetPort: name, protocol: "TCP" })),
    },
  };
}

function disruptionBudget({ name, component }: Workload, namespace: string): KubernetesObject {
  const labels = labelsOf(component);
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, namespace, labels },
    spec: { maxUnavailable: 1, selector: { matchLabels: labels }, unhealthyPodEvictionPolicy: "AlwaysAllow" },
  };
}

function autoscaler(name: string, namespace: string, minReplicas: number): KubernetesObject {
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name, namespace, labels: labelsOf("mock") },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
      minReplicas,
      maxReplicas: Math.max(minReplicas, MOST_MOCKS),
      metrics: [{
        type: "Resource",
        resource: { name: "cpu", target: { type: "Utilization", averageUtilization: TARGET_CPU_UTILIZATION } },
      }],
      // Replicas are removed only after five minutes of lower load, because a new replica must read all APIs before it
      // is ready.
      behavior: { scaleDown: { stabilizationWindowSeconds: 300 } },
    },
  };
}
