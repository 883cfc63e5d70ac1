/**
 * No protected operation is ever open: in no order of events does a request without credentials get an answer from the
 * upstream. `GW_TRIES=20` sets how often each order is tried; `GW_ORDER=fleet` selects the orders whose names contain a
 * word.
 *
 * @module
 */
import assert from "node:assert/strict";
import { LABELS } from "../../../lib/cluster/names.ts";
import { ask } from "../support/ask.ts";
import { apiObject, deployFleet, type Fleet, untilTrue } from "../support/deploy.ts";
import { type IntruderAnswer, startIntruder } from "../support/intruder.ts";
import { type Stack, takeStack } from "../support/stack.ts";
import { type Issuer, startIssuer } from "../support/tokens.ts";
import { serviceObjects, startUpstream } from "../support/upstream.ts";
import { until } from "../support/until.ts";

/** How often each order of events is tried. */
const TRIES = Number(Deno.env.get("GW_TRIES") ?? 4);

/** How many tries run at the same time. */
const AT_ONCE = 10;

/** The factor by which time limits grow, as concurrent tries slow each other down: 1 for up to four tries. */
const CROWD = Math.max(1, Math.min(TRIES, AT_ONCE) / 4);

/** Milliseconds that closing routes, changing policies and draining connections may take. */
const TIMEOUT = 60_000 * CROWD;

/** Milliseconds until all threads of an Envoy have a configuration that one of them has. */
const SPREAD = 200;

/**
 * Milliseconds that an operation may be open after another client has removed its protection. Holds on a machine with a
 * free core for each process.
 */
const UNDONE = 2_000 * CROWD;

const CREDENTIALS = "Bearer good";

/** An API with which an order of events is tried, at the same time as other APIs. */
interface Try {
  readonly stack: Stack;
  readonly namespace: string;
  readonly name: string;
  readonly host: string;
  readonly fleet: Fleet;
  readonly other: Fleet;
  readonly issuer: Issuer;
  /** The time at which the test removed the protection, if it did. */
  opened?: number;
  /** A barrier: waits until all concurrent tries call this. Then one of them does the work. */
  meet(work: () => Promise<void>): Promise<void>;
}

/** A sequence of events by which an operation gets or loses its protection. */
interface Order {
  name: string;
  /** Makes the objects that must exist before the first request. */
  prepare?: (one: Try) => Promise<void>;
  act: (one: Try) => Promise<void>;
  /** Whether the operation may be open until it is closed for the first time. Default: no. */
  wasOpen?: boolean;
  /** Milliseconds that the operation may be open after the test removed its protection. Default: 0. */
  openFor?: number;
  /** Whether all tries share the policy that is removed. */
  isShared?: boolean;
  /** The port to send requests to. Default: that of the fleet. */
  portOf?: (one: Try) => number;
  /** The expected status of the last answer to a request without credentials. */
  last: number;
  /** Makes headers with valid credentials. Default: those for `auth.custom`. */
  allowed?: (one: Try) => Promise<Record<string, string>>;
}

const ORDERS: readonly Order[] = [
  { name: "a protected API is created", act: protect, last: 401 },
  {
    name: "an open API becomes protected",
    prepare: (one) => deploy(one, definition(one, {})),
    act: protect,
    wasOpen: true,
    last: 401,
  },
  {
    name: "an open operation joins protected ones",
    prepare: (one) => deploy(one, definition(one, {}, { auth: custom("/auth") })),
    act: protect,
    wasOpen: true,
    last: 401,
  },
  {
    name: "an operation is protected otherwise",
    prepare: protect,
    act: (one) => deploy(one, definition(one, { auth: custom("/other") })),
    last: 401,
  },
  { name: "a protected API is deleted", prepare: protect, act: remove, last: 404 },
  {
    name: "a protected API is deleted and created again",
    prepare: protect,
    async act(one) {
      await remove(one);
      await protect(one);
    },
    last: 401,
  },
  {
    name: "a protected API gets one more operation and loses it",
    prepare: protect,
    async act(one) {
      await deploy(one, definition(one, { auth: custom("/auth") }, { auth: custom("/auth") }));
      await protect(one);
    },
    last: 401,
  },
  {
    name: "a protected API is changed while it waits to be opened",
    async act(one) {
      const object = apiObject({
        ...one,
        fleet: { name: "edge" },
        definition: definition(one, { auth: custom("/auth") }),
      });
      await one.stack.api.apply(object);
      await untilClosed(one);
      await deploy(one, definition(one, { auth: custom("/other") }, { auth: custom("/other") }));
    },
    last: 401,
  },
  {
    name: "a protected API moves to another fleet",
    prepare: protect,
    act: (one) => deploy(one, definition(one, { auth: custom("/auth") }), one.other),
    portOf: ({ other }) => other.port,
    last: 401,
  },
  {
    name: "somebody deletes what protects an API",
    prepare: protect,
    async act(one) {
      const { stack: { api }, namespace, name } = one;
      const policies = ["securitypolicy", "--namespace", namespace, "--selector", `${LABELS.api}=${name}`];
      const uid = (): Promise<string> =>
        api.kubectl(["get", ...policies, "--output", "jsonpath={.items[*].metadata.uid}"]);
      const before = await uid();
      await api.kubectl(["delete", ...policies, "--wait=false"]);
      await until(async () => ![before, ""].includes(await uid()), { within: TIMEOUT });
      await untilTrue(api, objectOf(one), "Programmed", TIMEOUT);
    },
    last: 401,
  },
  {
    name: "somebody opens what protects an API",
    prepare: (one) => deploy(one, definition(one, { auth: tokens(one) })),
    async act(one) {
      const { stack: { api }, namespace, name } = one;
      const policies = ["securitypolicy", "--namespace", namespace, "--selector", `${LABELS.api}=${name}`];
      const read = (path: string): Promise<string> =>
        api.kubectl(["get", ...policies, "--output", `jsonpath={.items[*].${path}}`]);
      const policy = ["securitypolicy", await read("metadata.name"), "--namespace", namespace];
      const patch = { spec: { jwt: { optional: true } } };
      await api.kubectl(["patch", ...policy, "--type=merge", "--patch", JSON.stringify(patch)]);
      one.opened = performance.now();
      await until(async () => await read("spec.jwt.optional") !== "true", { within: TIMEOUT });
      await untilTrue(api, objectOf(one), "Programmed", TIMEOUT);
    },
    openFor: UNDONE,
    last: 401,
    allowed: withToken,
  },
  {
    name: "a protected API moves to another path and back",
    prepare: protect,
    async act(one) {
      await deploy(one, definition(one, { auth: custom("/auth") }, undefined, "/moved"));
      await protect(one);
    },
    last: 401,
  },
  {
    name: "an API asks for tokens",
    act: (one) => deploy(one, definition(one, { auth: tokens(one) })),
    last: 401,
    allowed: withToken,
  },
  {
    name: "an API asks for tokens of another audience",
    prepare: (one) => deploy(one, definition(one, { auth: tokens(one, "others") })),
    act: (one) => deploy(one, definition(one, { auth: tokens(one) })),
    last: 401,
    allowed: withToken,
  },
  {
    name: "requests to an operation come to be checked",
    prepare: (one) => deploy(one, definition(one, {})),
    act: (one) => deploy(one, definition(one, { validation: { request: { enabled: true } } })),
    wasOpen: true,
    last: 400,
  },
  {
    name: "an API whose requests are checked is created",
    act: (one) => deploy(one, definition(one, { validation: { request: { enabled: true } } })),
    last: 400,
  },
  {
    name: "somebody deletes what has requests checked",
    prepare: (one) => deploy(one, definition(one, { validation: { request: { enabled: true } } })),
    async act(one) {
      const { stack: { api }, namespace, fleet } = one;
      const policy = ["securitypolicy", `gw-check.${namespace}.${fleet.name}`, "--namespace", namespace];
      const uid = (): Promise<string> =>
        api.kubectl(["get", ...policy, "--ignore-not-found", "--output", "jsonpath={.metadata.uid}"]);
      const before = await uid();
      await api.kubectl(["delete", ...policy, "--wait=false"]);
      await until(async () => ![before, ""].includes(await uid()), { within: TIMEOUT });
      await untilTrue(api, objectOf(one), "Programmed", TIMEOUT);
    },
    last: 400,
  },
  {
    name: "somebody opens what has requests checked",
    prepare: (one) => deploy(one, definition(one, { validation: { request: { enabled: true } } })),
    async act(one) {
      const { stack: { api }, namespace, fleet } = one;
      const policy = ["securitypolicy", `gw-check.${namespace}.${fleet.name}`, "--namespace", namespace];
      const selectors = "jsonpath={.spec.targetSelectors}";
      const patch = [{ op: "replace", path: "/spec/targetSelectors/0/matchLabels", value: { nobody: "true" } }];
      await api.kubectl(["patch", ...policy, "--type=json", "--patch", JSON.stringify(patch)]);
      one.opened = performance.now();
      await until(async () => !(await api.kubectl(["get", ...policy, "--output", selectors])).includes("nobody"), {
        within: TIMEOUT,
      });
      await untilTrue(api, objectOf(one), "Programmed", TIMEOUT);
    },
    openFor: UNDONE,
    isShared: true,
    last: 400,
  },
  {
    name: "the controller is killed while protected APIs wait to be opened",
    async act(one) {
      await one.stack.api.apply(
        apiObject({ ...one, fleet: { name: "edge" }, definition: definition(one, { auth: custom("/auth") }) }),
      );
      await untilClosed(one);
      for (const { name, deployment } of await one.stack.pods()) {
        if (deployment === "gw-serve") await one.stack.killPod(name);
      }
      await untilTrue(one.stack.api, objectOf(one), "Programmed", TIMEOUT);
    },
    last: 401,
  },
  {
    name: "the Lease is stolen while protected APIs wait to be opened, and stolen back when they were made again",
    async act(one) {
      await wait(one);
      await one.meet(() => stealLease(one.stack));
      await untilTrue(one.stack.api, objectOf(one), "Programmed", TIMEOUT);
      await remove(one);
      await wait(one);
      await one.meet(() => stealLease(one.stack));
      await untilTrue(one.stack.api, objectOf(one), "Programmed", TIMEOUT);
    },
    last: 401,
  },
  {
    name: "the leader is suspended while protected APIs wait to be opened, and leads again when they were made again",
    async act(one) {
      const { stack } = one;
      await wait(one);
      const first = await leaderOf(stack);
      await one.meet(async () => {
        await stack.suspendPod(first, "pause");
        await untilAnotherLeads(stack, first);
      });
      await untilTrue(stack.api, objectOf(one), "Programmed", TIMEOUT);
      await remove(one);
      await wait(one);
      const second = await leaderOf(stack);
      await one.meet(async () => {
        // The paused controller still takes itself for the leader when it is resumed, although the second controller
        // holds the Lease.
        await stack.suspendPod(first, "resume");
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        await stack.suspendPod(second, "pause");
        await untilAnotherLeads(stack, second);
        await stack.suspendPod(second, "resume");
      });
      await untilTrue(stack.api, objectOf(one), "Programmed", TIMEOUT);
    },
    last: 401,
  },
];

Deno.test("no protected operation is ever open", async (t) => {
  await using stack = await takeStack();
  await stack.installGw();
  const namespace = await stack.api.createNamespace();
  await using upstream = startUpstream("secret");
  await using authz = startUpstream(
    "authz",
    (request) => new Response(null, { status: request.headers.get("authorization") === CREDENTIALS ? 200 : 401 }),
  );
  await stack.api.apply(
    ...serviceObjects({ namespace, name: "secret", endpoints: [upstream] }),
    ...serviceObjects({ namespace, name: "authz", endpoints: [authz] }),
  );
  const fleet = await deployFleet(stack, namespace);
  const other = await deployFleet(stack, namespace, { name: "other" });
  await using issuer = await startIssuer();
  // A proxy listens only once it has a route.
  for (const one of [fleet, other]) {
    const meet = createMeeting(1);
    const name = `there-${one.name}`;
    const there: Try = { stack, namespace, name, host: "there.example.com", fleet: one, other, issuer, meet };
    await deploy(there, definition(there, {}), one);
    await until(async () => (await ask(one.port, { host: there.host })).status === 200, { within: TIMEOUT });
  }

  for (const [index, order] of ORDERS.entries()) {
    if (!order.name.includes(Deno.env.get("GW_ORDER") ?? "")) continue;
    await t.step(order.name, async () => {
      const total = { asked: 0, leaks: 0 };
      for (let made = 0; made < TRIES; made += AT_ONCE) {
        const count = Math.min(AT_ONCE, TRIES - made);
        const meet = createMeeting(count);
        const tries = Array.from({ length: count }, (_, number): Try => {
          const name = `order${index}-${made + number}`;
          return { stack, namespace, name, host: `${name}.example.com`, fleet, other, issuer, meet };
        });
        // The tries share the policy, so all of them must be prepared before the policy changes.
        await Promise.all(tries.map((one) => order.prepare?.(one)));
        const answers = await Promise.all(tries.map((one) => attempt(order, one)));
        const last = Math.max(...tries.map(({ opened = -Infinity }) => opened));
        for (const [index, one] of tries.entries()) {
          const { opened = -Infinity } = one;
          const given = answers[index] ?? [];
          total.asked += given.length;
          total.leaks += await countLeaks(order, one, given, order.isShared === true ? last : opened);
        }
      }
      assert.equal(total.leaks, 0, `${total.leaks} of ${total.asked} answers without credentials`);
    });
  }

  await t.step("Envoy has taken every configuration", async () => {
    assert.doesNotMatch(await stack.logOfEnvoys(), /rejected/);
  });
});

/** Tries an order of events once, with an API that is prepared. Returns the answers to requests without credentials. */
async function attempt(order: Order, one: Try): Promise<readonly IntruderAnswer[]> {
  const { host } = one;
  const port = order.portOf?.(one) ?? one.fleet.port;
  if (order.wasOpen) await until(async () => (await ask(port, { host, path: "/secret" })).status === 200);
  const intruder = startIntruder(port, host, "/secret");
  await new Promise((resolve) => setTimeout(resolve, 300));
  try {
    await order.act(one);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    let last = 0;
    await until(async () => (last = (await ask(port, { host, path: "/secret" })).status) === order.last, {
      what: () => `${order.last} without credentials, not ${last}`,
    });
    if (order.last === 401) {
      const headers = await order.allowed?.(one) ?? { authorization: CREDENTIALS };
      // Envoy fetches the token issuer's keys in the background, so try until it has them.
      await until(async () => (await ask(port, { host, path: "/secret", headers })).status === 200);
    }
    if (order.last === 400) {
      await until(async () => (await ask(port, { host, path: "/secret?key=1" })).status === 200);
    }
  } finally {
    await intruder.stop();
  }
  return intruder.answers;
}

/**
 * Counts answers of the upstream to requests without credentials, except those that the order permits.
 *
 * @param opened The time at which the test removed the protection.
 */
async function countLeaks(
  order: Order,
  { name }: Try,
  answers: readonly IntruderAnswer[],
  opened: number,
): Promise<number> {
  const closed = order.wasOpen ? firstRefused(answers) + SPREAD : opened + (order.openFor ?? 0) * waitForCore();
  const leaks = answers.filter(({ sent, status }) => status === 200 && sent > closed);
  if (leaks.length > 0) {
    const first = answers[0]?.sent ?? 0;
    const told = leaks.slice(0, 10).map(({ sent, connection }) => `${connection} at ${Math.round(sent - first)} ms`);
    await Deno.stderr.write(new TextEncoder().encode(`${order.name}, ${name}: ${told.join(", ")}\n`));
  }
  return leaks.length;
}

/**
 * By how much other processes slow this one down: the number of runnable processes per core, averaged over a minute; at
 * least 1.
 */
function waitForCore(): number {
  const [lastMinute = 0] = Deno.loadavg();
  return Math.max(1, lastMinute / navigator.hardwareConcurrency);
}

/** The time of the first answer that isn't from the upstream. */
function firstRefused(answers: readonly IntruderAnswer[]): number {
  return answers.find(({ status }) => status !== 200)?.received ?? Infinity;
}

function objectOf({ namespace, name }: Try): ReturnType<typeof apiObject> {
  return apiObject({ namespace, name, definition: "" });
}

/** Applies an API, and waits until its proxies have its routes. */
async function deploy({ stack, namespace, name, fleet }: Try, definition: unknown, on = fleet): Promise<void> {
  const object = apiObject({ namespace, name, fleet: { name: on.name }, definition });
  await stack.api.apply(object);
  await untilTrue(stack.api, object, "Programmed", TIMEOUT);
}

async function protect(one: Try): Promise<void> {
  await deploy(one, definition(one, { auth: custom("/auth") }));
}

async function remove(one: Try): Promise<void> {
  const { api } = one.stack;
  await api.delete(objectOf(one));
  await until(async () => await api.read(objectOf(one)) === undefined, { within: TIMEOUT });
}

/** Applies a protected API, and waits until it is closed. */
async function wait(one: Try): Promise<void> {
  const document = definition(one, { auth: custom("/auth") });
  await one.stack.api.apply(apiObject({ ...one, fleet: { name: "edge" }, definition: document }));
  await untilClosed(one);
}

/** Makes a barrier for `count` callers. When the last one has called it, its work is done once for all. */
function createMeeting(count: number): Try["meet"] {
  let here = 0;
  let meeting = Promise.withResolvers<void>();
  return (work) => {
    const { promise, resolve, reject } = meeting;
    if (++here === count) {
      here = 0;
      meeting = Promise.withResolvers();
      work().then(resolve, reject);
    }
    return promise;
  };
}

const LEASE = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { namespace: "gw-system", name: "gw-controller" },
};

/** The pod that holds the Lease; empty if none of gw's pods does. */
async function leaderOf({ api, pods }: Stack): Promise<string> {
  const { holderIdentity = "" } = Object((await api.read(LEASE))?.spec);
  return (await pods()).find(({ name }) => String(holderIdentity).startsWith(`${name}_`))?.name ?? "";
}

async function untilAnotherLeads(stack: Stack, last: string): Promise<void> {
  await until(async () => !["", last].includes(await leaderOf(stack)), { within: TIMEOUT, what: "another leader" });
}

/** Makes a holder of the Lease that isn't a replica. Returns when another replica than before holds the Lease. */
async function stealLease(stack: Stack): Promise<void> {
  const last = await leaderOf(stack);
  await until(async () => {
    const patch = JSON.stringify({ spec: { holderIdentity: "thief" } });
    await stack.api.kubectl([
      "patch",
      "lease",
      "gw-controller",
      "--namespace=gw-system",
      "--type=merge",
      "--patch",
      patch,
    ]);
    await until(async () => await leaderOf(stack) !== "", { within: TIMEOUT, what: "a leader" });
    return await leaderOf(stack) !== last;
  }, { within: TIMEOUT, what: "another leader" });
}

/** Waits until the API was closed at least once. It may be open again by then. */
async function untilClosed(one: Try): Promise<void> {
  await until(async () => {
    const conditions: { type: string; reason: string }[] = Object((await one.stack.api.read(objectOf(one)))?.status)
      .conditions ?? [];
    return conditions.some(({ type, reason }) =>
      type === "Programmed" && (reason === "WaitingForProtection" || reason === "Programmed")
    );
  }, { within: TIMEOUT, what: "a closed API" });
}

/** A definition with an operation `/secret` that has the given settings, and perhaps a second operation. */
function definition({ host }: Try, settings: unknown, second?: unknown, prefix = ""): unknown {
  const parameters = [{ name: "key", in: "query", required: true, schema: { type: "string" } }];
  const any = { name: "any", in: "path", required: true, schema: { type: "string" } };
  const responses = { 200: { description: "Fine." } };
  const get = (settings: unknown): unknown => ({ get: { "x-svc": settings, parameters, responses } });
  return {
    openapi: "3.1.0",
    info: { title: "Secrets", version: "1" },
    "x-svc": {
      hosts: [host],
      ...(prefix === "" ? {} : { path: { prefix } }),
      upstream: { service: { name: "secret" } },
    },
    paths: {
      "/": get({}),
      // A template that matches the path of the protected operation too.
      "/{any}": { get: { parameters: [any], responses } },
      "/secret": get(settings),
      ...(second === undefined ? {} : { "/second": get(second) }),
    },
  };
}

function custom(path: string): unknown {
  return { custom: { service: { name: "authz" }, path } };
}

function tokens({ issuer }: Try, audience = "todo"): unknown {
  return {
    jwt: { providers: [{ name: "test", issuer: issuer.issuer, audiences: [audience], jwks_uri: issuer.jwksUri }] },
  };
}

async function withToken({ issuer }: Try): Promise<Record<string, string>> {
  return { authorization: `Bearer ${await issuer.sign("todo")}` };
}
