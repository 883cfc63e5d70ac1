import { MOCKS } from "../../../lib/cluster/names.ts";
import { INSTALLED } from "../../../lib/cluster/install/installation.ts";
import type { Stack } from "../../../tests/cluster/support/stack.ts";

/** The management API of a `gw serve` in the cluster. */
export interface Management {
  /** Sends a request with JSON. Throws unless the status of the response is 2xx. */
  send(method: string, path: string, content?: unknown): Promise<void>;
}

/** Finds the management API at the first pod of its Service. */
export async function takeManagement({ api }: Stack): Promise<Management> {
  const slice = await api.read({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { namespace: MOCKS.namespace, name: `${INSTALLED.service}-1` },
  });
  const { endpoints, ports } = Object(slice);
  const [address] = endpoints?.[0]?.addresses ?? [];
  const port = ports?.find(({ name }: { name: string }) => name === "management")?.port;
  return {
    async send(method, path, content) {
      const response = await fetch(`http://${address}:${port}${path}`, {
        method,
        headers: { "content-type": "application/json", authorization: `Bearer ${api.tokens.admin}` },
        ...(content === undefined ? {} : { body: JSON.stringify(content) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 1000)}`);
    },
  };
}
