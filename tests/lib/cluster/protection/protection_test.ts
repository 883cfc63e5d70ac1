import assert from "node:assert/strict";
import { CLOSED, openWith } from "../../../../lib/cluster/protection/protected_objects.ts";
import {
  type GroupRecord,
  nextRecord,
  type ObservedCheckedGroup,
  type ObservedGroup,
  PERMISSIONS,
  recordOfChecked,
} from "../../../../lib/cluster/protection/protection.ts";

const TIMES = { settle: 2_000, drain: 10_000 };
const accepted = { kind: "accepted" } as const;
const pending = { kind: "pending" } as const;
const refused = { kind: "refused", reason: "Invalid", message: "The Secret is not there." } as const;

/** An observation of a group whose routes are open, with differences. */
function group(difference: Partial<ObservedGroup> = {}): ObservedGroup {
  return {
    fingerprint: "new",
    route: openWith("new"),
    routeAcceptance: accepted,
    policies: "same",
    policiesAcceptance: accepted,
    ...difference,
  };
}

/** The record that the first observation of a group leads to. */
function first(difference: Partial<ObservedGroup> = {}): GroupRecord {
  return nextRecord(group(difference), undefined, TIMES, 0);
}

/** Makes a function that observes a group at a given time, and returns the record that follows from the last one. */
function machine(): (difference: Partial<ObservedGroup>, now: number) => GroupRecord {
  let record: GroupRecord | undefined;
  return (difference, now) => record = nextRecord(group(difference), record, TIMES, now);
}

Deno.test("An open group with the desired protection stays open, after a restart too", () => {
  assert.equal(first().state, "open");
  // A busy gateway may report no status for a while. This doesn't close a group that is open.
  assert.equal(first({ policiesAcceptance: pending }).state, "open");
});

const notOpen: { name: string; difference: Partial<ObservedGroup>; want: string }[] = [
  { name: "its fingerprint is another", difference: { route: openWith("old") }, want: "closing" },
  { name: "its policies are different", difference: { policies: "different" }, want: "closing" },
  { name: "its policies are gone", difference: { policies: "none" }, want: "closing" },
  { name: "its policies are refused", difference: { policiesAcceptance: refused }, want: "closing" },
  { name: "its route has no annotation", difference: { route: "" }, want: "closing" },
  { name: "its route isn't there", difference: { route: undefined, policies: "none" }, want: "absent" },
  { name: "its route isn't there, but its policies are", difference: { route: undefined }, want: "closing" },
];
for (const { name, difference, want } of notOpen) {
  Deno.test(`A group is ${want} when ${name}`, () => assert.equal(first(difference).state, want));
}

Deno.test("An open group is closed and settled before its policies change", () => {
  const next = machine();
  assert.equal(next({ route: openWith("old"), policies: "different" }, 0).state, "closing");
  assert.equal(next({ route: CLOSED, routeAcceptance: pending, policies: "different" }, 1_000).state, "closing");
  const settling = next({ route: CLOSED, policies: "different" }, 5_000);
  assert.deepEqual([settling.state, settling.lookAgain], ["closing", 2_000]);
  assert.equal(next({ route: CLOSED, policies: "different" }, 7_000).state, "closed");
  const { isOpen, mayChangePolicies, mayDeleteRoutes } = PERMISSIONS.closed;
  assert.deepEqual([isOpen, mayChangePolicies, mayDeleteRoutes], [false, true, true]);
  assert.deepEqual(PERMISSIONS.closing, { isOpen: false, mayChangePolicies: false, mayDeleteRoutes: false });
});

Deno.test("A closed group opens when its policies were accepted for the whole drain time", () => {
  const next = machine();
  assert.equal(next({ route: CLOSED, policiesAcceptance: pending }, 0).state, "closing");
  assert.equal(next({ route: CLOSED, policiesAcceptance: pending }, 2_000).state, "securing");
  const draining = next({ route: CLOSED }, 4_000);
  assert.deepEqual([draining.state, draining.lookAgain], ["draining", 12_000]);
  assert.equal(next({ route: CLOSED }, 15_999).state, "draining");
  assert.equal(next({ route: CLOSED }, 16_000).state, "open");
});

Deno.test("A group opens at once when an edit is taken back that has not changed its policies", async (t) => {
  const open = { version: "1" };
  const closed = { route: CLOSED, routeAcceptance: pending, policiesAcceptance: pending };
  const edited = { ...closed, fingerprint: "other", policies: "different" } as const;
  const cases: { name: string; between: Partial<ObservedGroup>[]; last?: Partial<ObservedGroup>; want: string }[] = [
    { name: "and the gateway reports nothing", between: [], want: "open" },
    { name: "after another edit", between: [{ ...edited, fingerprint: "third" }], want: "open" },
    { name: "but its policies were", between: [], last: { version: "2" }, want: "closing" },
    { name: "but the gateway refuses them", between: [], last: { policiesAcceptance: refused }, want: "closing" },
    { name: "but the gateway refused them", between: [{ policiesAcceptance: refused }], want: "closing" },
    { name: "but the gateway refused the route", between: [{ routeAcceptance: refused }], want: "closing" },
    { name: "only partly", between: [], last: { policies: "outdated" }, want: "closing" },
    { name: "by another client, which deleted them", between: [], last: { policies: "none" }, want: "closing" },
  ];
  for (const { name, between, last = {}, want } of cases) {
    await t.step(name, () => {
      const next = machine();
      assert.equal(next(open, 0).state, "open");
      assert.equal(next({ ...edited, ...open }, 1).state, "closing");
      for (const difference of between) next({ ...edited, ...open, ...difference }, 2);
      assert.equal(next({ ...closed, ...open, ...last }, 3).state, want);
    });
  }
  // A new leader doesn't know which policies were in force.
  assert.equal(first({ ...closed, ...open }).state, "closing");
});

Deno.test("The drain time begins anew when policies or routes are no longer accepted, or the protection changes", () => {
  for (
    const difference of [
      { policiesAcceptance: pending },
      { routeAcceptance: pending },
      { policies: "different" },
      { fingerprint: "newer" },
    ] satisfies Partial<ObservedGroup>[]
  ) {
    const next = machine();
    next({ route: CLOSED }, 0);
    next({ route: CLOSED, ...difference }, 6_000);
    assert.notEqual(next({ route: CLOSED }, 12_000).state, "open", JSON.stringify(difference));
  }
});

Deno.test("A new group gets its policies at once; policies that are left from before wait until it is settled", () => {
  const mayChange = (difference: Partial<ObservedGroup>): boolean =>
    PERMISSIONS[first(difference).state].mayChangePolicies;
  assert.equal(mayChange({ route: undefined, policies: "none" }), true);
  assert.equal(mayChange({ route: undefined, policies: "different" }), false);
});

Deno.test("A group that waits says for what", () => {
  assert.equal(first({ route: CLOSED, policiesAcceptance: refused }).waitsFor, "The Secret is not there.");
});

Deno.test("A group pauses when the provider of its login gives no answer, each time for longer", () => {
  const message = 'OIDC: Get "https://id.example.com/.well-known/openid-configuration": connection refused';
  const unasked = { kind: "refused", reason: "Invalid", message } as const;
  const next = machine();
  // An open group is closed first, and asks the provider only when old connections are drained.
  assert.equal(next({ policiesAcceptance: unasked }, 0).state, "closing");
  assert.equal(next({ route: CLOSED, policiesAcceptance: unasked }, 1_000).state, "closing");
  const pauses: number[] = [];
  for (let now = 3_000, tries = 0; tries < 7; tries++) {
    const { state, waitsFor, lookAgain = 0 } = next({ route: CLOSED, policiesAcceptance: unasked }, now);
    assert.deepEqual([state, waitsFor], ["paused", message]);
    pauses.push(lookAgain / 1_000);
    const waiting = next({ route: CLOSED, policies: "different" }, now + 4_000);
    assert.deepEqual([waiting.state, waiting.waitsFor, waiting.lookAgain], ["paused", message, lookAgain - 4_000]);
    now += lookAgain;
    const again = next({ route: CLOSED, policies: "different" }, now);
    assert.deepEqual([again.state, again.waitsFor], ["closed", message]);
    assert.equal(next({ route: CLOSED, policiesAcceptance: pending }, now).waitsFor, message);
  }
  assert.deepEqual(pauses, [5, 10, 20, 40, 80, 160, 300]);
  assert.deepEqual(PERMISSIONS.paused, { isOpen: false, mayChangePolicies: true, mayDeleteRoutes: true });
  // An answer of the provider resets the back-off to its shortest pause.
  next({ route: CLOSED }, 1_000_000);
  assert.equal(next({ route: CLOSED, policiesAcceptance: unasked }, 1_010_000).lookAgain, 5_000);
});

Deno.test("Policies that are refused for another reason stay: the gateway sees when the reason is gone", () => {
  const next = machine();
  next({ route: CLOSED, policiesAcceptance: refused }, 0);
  assert.equal(next({ route: CLOSED, policiesAcceptance: refused }, 60_000).state, "securing");
});

/** Tries every order of events between two observations. */
Deno.test("A group never opens before its policies were accepted for the drain time, in any order of events", () => {
  const routes = [undefined, "", CLOSED, openWith("old")];
  const policies = ["none", "different", "same"] as const;
  const acceptances = [accepted, pending, refused, { ...refused, message: "no openid-configuration" }];
  let seed = 1;
  const random = (most: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % most;
  };
  for (let round = 0; round < 2_000; round++) {
    const next = machine();
    let safeSince: number | undefined;
    for (let now = 0, step = 0; step < 30; step++, now += 1 + random(6_000)) {
      const seen = {
        route: routes[random(2) === 0 ? 2 : random(4)],
        routeAcceptance: acceptances[random(5) === 0 ? random(4) : 0] ?? pending,
        policies: policies[random(5) === 0 ? random(3) : 2] ?? "none",
        policiesAcceptance: acceptances[random(5) === 0 ? random(4) : 0] ?? pending,
      };
      const isSafe = seen.route === CLOSED && seen.routeAcceptance === accepted && seen.policies === "same" &&
        seen.policiesAcceptance === accepted;
      if (!isSafe) safeSince = undefined;
      else safeSince ??= now;
      const { state } = next(seen, now);
      assert.ok(state !== "paused" || seen.route === CLOSED, `round ${round}, step ${step}: ${JSON.stringify(seen)}`);
      const may = safeSince !== undefined && now - safeSince >= TIMES.drain;
      assert.ok(!PERMISSIONS[state].isOpen || may, `round ${round}, step ${step}: ${JSON.stringify(seen)}`);
    }
  }
});

const checked: { name: string; group: Partial<ObservedCheckedGroup>; now: number; want: Partial<GroupRecord> }[] = [
  {
    name: "it is open already",
    group: { route: openWith("new"), acceptedSince: undefined },
    now: 0,
    want: { state: "open" },
  },
  {
    name: "it is open, and the policy is refused",
    group: { route: openWith("new"), acceptance: refused, acceptedSince: undefined },
    now: 0,
    want: { state: "securing", waitsFor: refused.message },
  },
  {
    name: "the policy isn't there",
    group: { acceptance: undefined, acceptedSince: undefined },
    now: 0,
    want: { state: "securing" },
  },
  { name: "connections are being drained", group: {}, now: 4_000, want: { state: "draining", lookAgain: 8_000 } },
  { name: "all connections are drained", group: {}, now: 12_000, want: { state: "open" } },
];
for (const { name, group, now, want } of checked) {
  Deno.test(`A group whose requests are checked is ${want.state} when ${name}`, () => {
    const observed = { fingerprint: "new", route: CLOSED, acceptance: accepted, acceptedSince: 0, ...group };
    const record = recordOfChecked(observed, TIMES, now);
    assert.deepEqual({ ...record, ...want }, record);
  });
}
