/**
 * The users of the engine of lib/mock. All of them answer the same rows; a new user joins by an entry of
 * {@linkcode USERS}.
 *
 * @module
 */
import assert from "node:assert/strict";
import { MockApis } from "../../../../cmd/cluster/mock_apis.ts";
import { readCommandLine } from "../../../../cmd/line/flag.ts";
import { createLazyClient } from "../../../../cmd/io/upstream/lazy_client.ts";
import { mockOptions } from "../../../../cmd/mock/options.ts";
import { MOCK_COMMAND } from "../../../../cmd/mock/settings.ts";
import { createClusterMock } from "../../../../lib/cluster/mock_service.ts";
import { createGateway } from "../../../../lib/gateway/embedded/gateway.ts";
import { planRoutes } from "../../../../lib/gateway/plan_routes.ts";
import { createMock } from "../../../../lib/mock/mock.ts";
import type { MockOptions } from "../../../../lib/mock/mock_options.ts";
import type { Reply } from "../../../../lib/mock/operation/reply.ts";
import { createResponder } from "../../../../lib/mock/responder.ts";
import { parseRule } from "../../../../lib/mock/rules/parse_rule.ts";
import type { Rule } from "../../../../lib/openapi/extension/rule.ts";
import { type Document, parseDocument } from "../../../../lib/openapi/document.ts";
import { createFakeInformer } from "../../../cmd/cluster/fake_informer.ts";
import { CLIENT, PLATFORM } from "../../gateway/embedded/fleet.ts";

/** A reply as far as a user shows it. `createMock` shows the response only. */
export type Seen = Pick<Reply, "response"> & Partial<Pick<Reply, "source" | "delay" | "fault">>;

export type Ask = (request: Request) => Seen | Promise<Seen>;

/** Settings of a mock server, for the users that have some. */
export interface Settings {
  /** Rules as `--rule` takes them. */
  readonly rules?: readonly string[];
  readonly options?: MockOptions;
}

/** Starts to answer requests by a definition, as JSON. Gets the settings if it takes any. */
type User = (definition: string, settings: Settings) => Promise<Ask>;

export const USERS = {
  "createMock": async (definition, { options, rules }) => {
    const mock = createMock(await documentOf(definition), { ...options, ...rules && { rules: rules.map(ruleOf) } });
    return async (request) => ({ response: await mock(request) });
  },
  "gw mock --as-gateway": async (definition, { options, rules = [] }) => {
    const read = readCommandLine(
      MOCK_COMMAND.flags,
      ["--as-gateway", ...rules.flatMap((rule) => ["--rule", rule])],
      (name) => ({ name, value: undefined }),
    );
    assert.ok(read.kind === "line", JSON.stringify(read));
    const client = createLazyClient(() => undefined);
    const world = { clientOf: () => undefined, isOwnHost: () => true, client, observers: [] };
    return await createResponder([await documentOf(definition)], { ...mockOptions(read.values, world), ...options });
  },
  "the embedded gateway": async (definition) => {
    const document = await documentOf(definition);
    const plan = planRoutes({ namespace: "shop", name: "api", fleet: { namespace: "shop", name: "edge" }, document });
    const gateway = createGateway([plan], PLATFORM);
    return (request) => gateway(request, CLIENT);
  },
  "the mocks of a cluster": async (definition) => {
    const [apis, fleets] = [createFakeInformer(), createFakeInformer()];
    const metadata = { namespace: "shop", name: "api", generation: 1, creationTimestamp: "2026-01-01T00:00:00Z" };
    apis.set({ apiVersion: "gateway.x-svc.io/v1alpha1", kind: "API", metadata, spec: { openapi: definition } });
    apis.sync();
    fleets.sync();
    const mocks = new MockApis({ apis, fleets, log: { note() {}, complain() {} } });
    await mocks.ready;
    const answer = createClusterMock((api) => mocks.find(api));
    return (request) => {
      const headers = new Headers(request.headers);
      headers.set("x-svc-api", "shop/api");
      return answer(new Request(request, { headers }), CLIENT);
    };
  },
} satisfies Record<string, User>;

export type UserName = keyof typeof USERS;

/** The users that mock only operations with `x-svc.mocking.enabled`. */
export const GATEWAYS: readonly UserName[] = [
  "gw mock --as-gateway",
  "the embedded gateway",
  "the mocks of a cluster",
];

/** The users that take {@linkcode Settings}. */
export const WITH_SETTINGS: readonly UserName[] = ["createMock", "gw mock --as-gateway"];

/** The users that serve what was deployed. */
export const DEPLOYED: readonly UserName[] = ["the embedded gateway", "the mocks of a cluster"];

async function documentOf(definition: string): Promise<Document> {
  const document = await parseDocument(definition);
  assert.deepEqual(document.unlocatedDiagnostics.map(({ message }) => message), []);
  return document;
}

function ruleOf(text: string): Rule {
  const read = parseRule(text);
  assert.ok(read.kind === "rule", text);
  return read.rule;
}
