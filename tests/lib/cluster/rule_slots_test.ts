import assert from "node:assert/strict";
import { isRetired, nextRoute, retiredRoute, servedBy, type SlotStep } from "../../../lib/cluster/rule_slots.ts";
import { MOCKS } from "../../../lib/cluster/names.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { isObject, type JsonObject } from "../../../lib/schema/json/node.ts";

/** An HTTPRoute with a rule for each Service, by the paths that it serves. */
function routeOf(services: Readonly<Record<string, readonly string[]>>): KubernetesObject {
  const rules = Object.entries(services).map(([name, paths]) => ({
    name: `${name}-80`,
    matches: paths.map((value) => ({ method: "GET", path: { type: "Exact", value } })),
    backendRefs: [{ name, port: 80 }],
  }));
  return {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { namespace: "shop", name: "todo.0" },
    spec: { parentRefs: [{ namespace: "edge", name: "edge" }], rules },
  };
}

/** An HTTPRoute as the API server stores it, with the defaults of its fields. */
function stored(route: KubernetesObject): KubernetesObject {
  const rules = rulesOf(route).map((rule) => ({
    ...rule,
    backendRefs: refsOf(rule).map((ref) => ({ group: "", kind: "Service", weight: 1, ...ref })),
  }));
  return { ...route, spec: { ...Object(route.spec), rules } };
}

function rulesOf(route: KubernetesObject | undefined): JsonObject[] {
  return Object(route?.spec).rules ?? [];
}

function refsOf({ backendRefs }: JsonObject): JsonObject[] {
  return Array.isArray(backendRefs) ? backendRefs.filter(isObject) : [];
}

/** The Services that a slot sends its requests to. */
function servicesOf(rule: JsonObject | undefined): string {
  return rule === undefined ? "none" : refsOf(rule).map(({ name }) => String(name)).join();
}

/** The paths of the requests that a slot gets. */
function pathsOf(rule: JsonObject): string[] {
  const matches = Array.isArray(rule["matches"]) ? rule["matches"].filter(isObject) : [];
  return matches.map(({ path }) => String(Object(path).value)).filter((path) => !path.includes("unmatched"));
}

/** An HTTPRoute in a few words: `orders /a /b | - | carts /c`. */
function show(route: KubernetesObject): string {
  return rulesOf(route).map((rule) => [servicesOf(rule), ...pathsOf(rule)].join(" ")).join(" | ");
}

function step(
  present: KubernetesObject | undefined,
  desired: KubernetesObject,
  isSettled = true,
  isClosed = false,
): SlotStep {
  const mayServe = servedBy(present === undefined ? [] : [present]);
  return nextRoute(present, desired, isClosed, { isSettled: () => isSettled, mayServe, mocks: MOCKS });
}

Deno.test("nextRoute() keeps the index of each rule, whatever comes and goes beside it", async (t) => {
  const users = { orders: ["/orders"], users: ["/users"] };
  const cases: { name: string; present: KubernetesObject; desired: KubernetesObject; want: string[] }[] = [
    {
      name: "a rule that sorts first",
      present: routeOf(users),
      desired: routeOf({ carts: ["/carts"], ...users }),
      want: ["final: orders /orders | users /users | carts /carts"],
    },
    {
      name: "the first rule goes",
      present: routeOf({ carts: ["/carts"], ...users }),
      desired: routeOf(users),
      want: [
        "retiring: carts | orders /orders | users /users",
        "final: gw-mock | orders /orders | users /users",
      ],
    },
    {
      name: "the last rule goes",
      present: routeOf(users),
      desired: routeOf({ orders: ["/orders"] }),
      want: ["retiring: orders /orders | users", "final: orders /orders"],
    },
    {
      name: "a path moves to a new rule",
      present: routeOf({ orders: ["/orders", "/moved"], users: ["/users"] }),
      desired: routeOf({ carts: ["/moved"], ...users }),
      want: [
        "warming: orders /orders /moved | users /users | carts",
        "final: orders /orders | users /users | carts /moved",
      ],
    },
    {
      name: "the only rule is replaced",
      present: routeOf({ orders: ["/a"] }),
      desired: routeOf({ carts: ["/a"] }),
      want: ["warming: orders /a | carts", "retiring: orders | carts /a", "final: gw-mock | carts /a"],
    },
    {
      name: "a path moves between present rules",
      present: routeOf({ orders: ["/orders", "/moved"], users: ["/users"] }),
      desired: routeOf({ orders: ["/orders"], users: ["/moved", "/users"] }),
      want: ["final: orders /orders | users /moved /users"],
    },
  ];
  for (const { name, present, desired, want } of cases) {
    await t.step(name, () => {
      const seen: string[] = [];
      let now = stored(present);
      for (let tries = 0; tries < 5; tries++) {
        const { kind, route } = step(now, desired);
        if (seen.at(-1) === `${kind}: ${show(route)}`) break;
        seen.push(`${kind}: ${show(route)}`);
        now = stored(route);
      }
      assert.deepEqual(seen, want);
    });
  }
});

Deno.test("nextRoute() waits until all proxies have the step before", () => {
  const desired = routeOf({ carts: ["/a"] });
  const warming = stored(step(routeOf({ orders: ["/a"] }), desired).route);
  assert.equal(show(step(warming, desired, false).route), "orders /a | carts");
  const retiring = stored(step(warming, desired).route);
  assert.equal(show(retiring), "orders | carts /a");
  assert.equal(show(step(retiring, desired, false).route), "orders | carts /a");
  // A free slot is used again.
  const free = stored(step(retiring, desired).route);
  const next = step(free, routeOf({ carts: ["/a"], users: ["/b"] }));
  assert.equal(show(next.route), "users /b | carts /a");
});

Deno.test("nextRoute() tells a Service from one of the same name in another namespace", () => {
  const present = stored(routeOf({ orders: ["/a"] }));
  const desired = routeOf({ orders: ["/a"] });
  const [rule = {}] = rulesOf(desired);
  const other = { ...rule, name: "orders-80-x", backendRefs: [{ name: "orders", namespace: "theirs", port: 80 }] };
  const { kind } = step(present, { ...desired, spec: { ...Object(desired.spec), rules: [other] } });
  assert.equal(kind, "warming");
});

Deno.test("nextRoute() closes at once, and opens each slot to its own upstream", () => {
  const open = routeOf({ orders: ["/a"], users: ["/b"] });
  const rules = rulesOf(open).map((rule) => ({ ...rule, backendRefs: [{ name: "gw-mock", port: 8080 }] }));
  const closed = { ...open, spec: { ...Object(open.spec), rules: rules.toReversed() } };
  const now = stored(step(stored(open), closed, true, true).route);
  assert.equal(show(now), "gw-mock /a | gw-mock /b");
  assert.equal(show(step(now, open).route), "orders /a | users /b");
});

Deno.test("retiredRoute() leaves the clusters of a route, and takes its requests", () => {
  const retired = retiredRoute(routeOf({ orders: ["/a"], users: ["/b"] }));
  assert.ok(isRetired(retired));
  assert.equal(show(retired), "orders | users");
  assert.ok(!isRetired(routeOf({ orders: ["/a"] })));
});

Deno.test("nextRoute() is safe for proxies that have any form since the last one that settled", () => {
  let seed = 1;
  const random = (end: number): number => {
    seed = Math.imul(seed, 1103515245) + 12345 >>> 0;
    return Math.floor(seed / 2 ** 32 * end);
  };
  const paths = ["/a", "/b", "/c", "/d"];
  const services = ["s", "t", "u", "v", "w"];
  for (let run = 0; run < 40; run++) {
    let now: KubernetesObject | undefined;
    /** The forms that proxies may have. */
    let forms: KubernetesObject[] = [];
    for (let edit = 0; edit < 15; edit++) {
      const wanted = Object.groupBy(paths.filter(() => random(4) > 0), () => services[random(5)] ?? "s");
      const desired = routeOf(Object.fromEntries(Object.entries(wanted).map(([name, list = []]) => [name, list])));
      if (rulesOf(desired).length === 0) continue;
      for (let steps = 0; steps < 8; steps++) {
        const isSettled = random(2) === 0;
        if (isSettled) forms = forms.slice(-1);
        const { kind, route } = step(now, desired, isSettled);
        for (const form of forms) assertRight(form, route);
        if (now !== undefined) assertWarm(now, route);
        now = stored(route);
        forms.push(now);
        // Some edits come before the last one is rolled out.
        if (kind === "final" || random(5) === 0) break;
      }
    }
  }
});

/** Asserts that requests reach their own upstreams while the clusters of a new form arrive before its routes. */
function assertRight(before: KubernetesObject, after: KubernetesObject): void {
  const next = rulesOf(after);
  for (const [index, rule] of rulesOf(before).entries()) {
    if (pathsOf(rule).length === 0) continue;
    assert.equal(servicesOf(next[index]), servicesOf(rule), `${show(before)}  ->  ${show(after)}`);
  }
}

/** Asserts that requests which are served now have a cluster at once that isn't new. */
function assertWarm(before: KubernetesObject, after: KubernetesObject): void {
  const old = rulesOf(before);
  const served = new Set(old.flatMap(pathsOf));
  for (const [index, rule] of rulesOf(after).entries()) {
    if (!pathsOf(rule).some((path) => served.has(path))) continue;
    assert.equal(servicesOf(old[index]), servicesOf(rule), `${show(before)}  ->  ${show(after)}`);
  }
}
