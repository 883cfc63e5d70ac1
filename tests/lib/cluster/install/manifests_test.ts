import assert from "node:assert/strict";
import { LABELS } from "../../../../lib/cluster/names.ts";
import { keyOfObject, type KubernetesObject } from "../../../../lib/cluster/object.ts";
import { installManifests } from "../../../../lib/cluster/install/manifests.ts";

const INSTALLATION = { namespace: "gw-system", image: "gw:1", replicas: 3 };

Deno.test("manifests() makes the whole installation from its parts", () => {
  const keys = (objects: KubernetesObject[]): string[] => objects.map(keyOfObject);
  const whole = keys(installManifests(INSTALLATION));
  const parts = (["crds", "rbac", "serve", "mock"] as const).flatMap((only) =>
    keys(installManifests({ ...INSTALLATION, only }))
  );
  assert.deepEqual([...new Set(parts)].toSorted(), whole.toSorted());
  assert.equal(new Set(whole).size, whole.length);
});

Deno.test("manifests() puts all objects into the namespace", () => {
  const objects = installManifests({ ...INSTALLATION, namespace: "edge", serviceMonitors: true });
  assert.ok(!JSON.stringify(objects).includes("gw-system"));
  const namespaces = new Set(objects.flatMap(({ metadata: { namespace } }) => namespace ?? []));
  assert.deepEqual([...namespaces], ["edge"]);
});

Deno.test("manifests() never labels objects as managed by the controller", () => {
  for (const { metadata } of installManifests(INSTALLATION)) {
    assert.equal(metadata.labels?.[LABELS.managedBy], undefined);
  }
});

Deno.test("manifests() adds ServiceMonitors only on demand, and last", () => {
  const kinds = (serviceMonitors: boolean): string[] =>
    installManifests({ ...INSTALLATION, serviceMonitors }).map(({ kind }) => kind);
  assert.ok(!kinds(false).includes("ServiceMonitor"));
  assert.deepEqual(kinds(true).slice(-2), ["ServiceMonitor", "ServiceMonitor"]);
});

Deno.test("the pods of gw have no privileges that they don't need", async (test) => {
  const deployments = installManifests(INSTALLATION).filter(({ kind }) => kind === "Deployment");
  assert.equal(deployments.length, 2);
  for (const deployment of deployments) {
    await test.step(deployment.metadata.name, () => {
      const { template, replicas } = Object(deployment.spec);
      const { containers: [container, ...more], securityContext, volumes, serviceAccountName } = template.spec;
      assert.equal(more.length, 0);
      assert.equal(container.image, "gw:1");
      assert.equal(securityContext.runAsNonRoot, true);
      assert.deepEqual(securityContext.seccompProfile, { type: "RuntimeDefault" });
      assert.deepEqual(container.securityContext, {
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
        readOnlyRootFilesystem: true,
      });
      assert.deepEqual(volumes.map((volume: object) => Object.keys(volume)[1]), ["emptyDir"]);
      assert.equal(serviceAccountName, deployment.metadata.name);
      // Loading many APIs may take longer than the startup probe allows. So this probe asks `/healthz`, which doesn't
      // wait until they are loaded.
      assert.equal(container.startupProbe.httpGet.path, "/healthz");
      assert.equal(container.readinessProbe.httpGet.path, "/readyz");
      for (const probe of ["startupProbe", "readinessProbe", "livenessProbe"]) {
        assert.ok(container[probe]?.httpGet, probe);
      }
      assert.ok(container.resources.requests.cpu && container.resources.limits.memory);
      assert.equal(template.spec.topologySpreadConstraints.length, 2);
      // The number of mock replicas is left to the autoscaler.
      assert.equal(replicas, deployment.metadata.name === "gw-serve" ? 3 : undefined);
    });
  }
});

Deno.test("each port of a Service, probe or ServiceMonitor is one of its containers", () => {
  const objects = installManifests({ ...INSTALLATION, serviceMonitors: true });
  const spec = (kind: string, name: string): Record<string, unknown> =>
    Object(objects.find((object) => object.kind === kind && object.metadata.name === name)?.spec);
  const ports = (list: unknown): string[] => (Array.isArray(list) ? list : []).map(({ name }) => name);
  for (const [deployment, service] of [["gw-serve", "gw"], ["gw-mock", "gw-mock"]] as const) {
    const { template } = Object(spec("Deployment", deployment));
    const [container] = template.spec.containers;
    assert.deepEqual(ports(spec("Service", service)["ports"]), ports(container.ports));
    assert.deepEqual(Object(spec("Service", service)["selector"]), template.metadata.labels);
    const [endpoint] = Object(spec("ServiceMonitor", deployment)).endpoints;
    for (const name of [container.readinessProbe.httpGet.port, endpoint.port]) {
      assert.ok(ports(container.ports).includes(name));
    }
  }
});

Deno.test("the network policies let the pods reach the API server and the collector of telemetry", async (test) => {
  const defaults = [443, 6443, 8443, 16443];
  const cases: { name: string; options: { egressPorts?: number[]; otelEndpoint?: string }; want: number[] }[] = [
    { name: "by default", options: {}, want: defaults },
    { name: "other ports", options: { egressPorts: [7443, 8080] }, want: [7443, 8080] },
    { name: "with a collector", options: { otelEndpoint: "http://otel:4318" }, want: [...defaults, 4318] },
    {
      name: "with a collector at https",
      options: { egressPorts: [6443], otelEndpoint: "https://otel" },
      want: [6443, 443],
    },
  ];
  for (const { name, options, want } of cases) {
    await test.step(name, () => {
      const objects = installManifests({ ...INSTALLATION, ...options });
      const policies = objects.filter(({ kind }) => kind === "NetworkPolicy");
      assert.equal(policies.length, 2);
      for (const { spec } of policies) {
        const [names, others] = Object(spec).egress;
        assert.deepEqual(names.ports.map(({ port }: { port: number }) => port), [53, 53]);
        assert.deepEqual(others, { ports: want.map((port) => ({ port, protocol: "TCP" })) });
      }
    });
  }
});

Deno.test("the pods trace where there is a collector", () => {
  for (
    const [options, want] of [[{}, undefined], [{ otelEndpoint: "http://otel:4318" }, "http://otel:4318"]] as const
  ) {
    for (const { kind, spec } of installManifests({ ...INSTALLATION, ...options })) {
      if (kind !== "Deployment") continue;
      const env: { name: string; value: string }[] = Object(spec).template.spec.containers[0].env ?? [];
      const variables = Object.fromEntries(env.map(({ name, value }) => [name, value]));
      assert.equal(variables["OTEL_EXPORTER_OTLP_ENDPOINT"], want);
      assert.equal(variables["OTEL_DENO"], want === undefined ? undefined : "true");
    }
  }
});
