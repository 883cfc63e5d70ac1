import assert from "node:assert/strict";
import {
  CLOSED,
  decideProtection,
  type GroupDecision,
  type GroupMemory,
  type ObservedGroup,
  openWith,
} from "../../../../lib/cluster/protection/protection.ts";

const TIMES = { settle: 2_000, drain: 10_000 };
const accepted = { kind: "accepted" } as const;
const pending = { kind: "pending" } as const;
const refused = { kind: "refused", reason: "Invalid", message: "The Secret is not there." } as const;

/** A group that is open, with what it differs by. */
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

/** Decides again and again, as time goes by. */
function decider(): (difference: Partial<ObservedGroup>, now: number) => GroupDecision {
  let memory: GroupMemory | undefined;
  return (difference, now) => {
    const decision = decideProtection(group(difference), memory, TIMES, now);
    memory = decision.memory;
    return decision;
  };
}

Deno.test("A group that is open with what protects it now stays open, after a restart too", () => {
  assert.equal(decideProtection(group(), undefined, TIMES, 0).isOpen, true);
  // A gateway that is busy says nothing for a while.
  assert.equal(decideProtection(group({ policiesAcceptance: pending }), undefined, TIMES, 0).isOpen, true);
});

for (
  const [name, difference] of [
    ["its fingerprint is another", { route: openWith("old") }],
    ["its policies are different", { policies: "different" }],
    ["its policies are gone", { policies: "none" }],
    ["its policies are refused", { policiesAcceptance: refused }],
    ["its route says nothing of itself", { route: "" }],
    ["its route isn't there", { route: undefined }],
  ] satisfies [string, Partial<ObservedGroup>][]
) {
  Deno.test(`A group is not open when ${name}`, () => {
    assert.equal(decideProtection(group(difference), undefined, TIMES, 0).isOpen, false);
  });
}

Deno.test("What was open is closed and settled before its policies change", () => {
  const decide = decider();
  assert.equal(decide({ route: openWith("old"), policies: "different" }, 0).mayChangePolicies, false);
  assert.equal(
    decide({ route: CLOSED, routeAcceptance: pending, policies: "different" }, 1_000).mayChangePolicies,
    false,
  );
  const settling = decide({ route: CLOSED, policies: "different" }, 5_000);
  assert.deepEqual([settling.mayChangePolicies, settling.lookAgain], [false, 2_000]);
  const settled = decide({ route: CLOSED, policies: "different" }, 7_000);
  assert.deepEqual([settled.mayChangePolicies, settled.isSealed, settled.isOpen], [true, true, false]);
});

Deno.test("A closed group opens when its policies were accepted for the whole drain time", () => {
  const decide = decider();
  assert.equal(decide({ route: CLOSED, policiesAcceptance: pending }, 0).isOpen, false);
  const draining = decide({ route: CLOSED }, 4_000);
  assert.deepEqual([draining.isOpen, draining.lookAgain], [false, 12_000]);
  assert.equal(decide({ route: CLOSED }, 15_999).isOpen, false);
  assert.equal(decide({ route: CLOSED }, 16_000).isOpen, true);
});

Deno.test("The drain time begins anew when policies or routes are no longer accepted, or protect otherwise", () => {
  for (
    const difference of [
      { policiesAcceptance: pending },
      { routeAcceptance: pending },
      { policies: "different" },
      { fingerprint: "newer" },
    ] satisfies Partial<ObservedGroup>[]
  ) {
    const decide = decider();
    decide({ route: CLOSED }, 0);
    decide({ route: CLOSED, ...difference }, 6_000);
    assert.equal(decide({ route: CLOSED }, 12_000).isOpen, false, JSON.stringify(difference));
  }
});

Deno.test("A new group gets its policies at once; policies that are left from before wait until it is settled", () => {
  assert.equal(
    decideProtection(group({ route: undefined, policies: "none" }), undefined, TIMES, 0).mayChangePolicies,
    true,
  );
  const left = group({ route: undefined, policies: "different" });
  assert.equal(decideProtection(left, undefined, TIMES, 0).mayChangePolicies, false);
});

Deno.test("A group that waits says what for", () => {
  const { waitsFor } = decideProtection(group({ route: CLOSED, policiesAcceptance: refused }), undefined, TIMES, 0);
  assert.equal(waitsFor, "The Secret is not there.");
});

Deno.test("Policies whose provider can't be asked are put aside, and tried again less and less often", () => {
  const message = 'OIDC: Get "https://id.example.com/.well-known/openid-configuration": connection refused';
  const unasked = { kind: "refused", reason: "Invalid", message } as const;
  const decide = decider();
  // What is open is closed and settled first.
  assert.equal(decide({ policiesAcceptance: unasked }, 0).isPutAside, false);
  assert.equal(decide({ route: CLOSED, policiesAcceptance: unasked }, 1_000).isPutAside, false);
  const pauses: number[] = [];
  for (let now = 3_000, tries = 0; tries < 7; tries++) {
    const aside = decide({ route: CLOSED, policiesAcceptance: unasked }, now);
    const { isOpen, mayChangePolicies, isPutAside, waitsFor, lookAgain = 0 } = aside;
    assert.deepEqual([isOpen, mayChangePolicies, isPutAside, waitsFor], [false, true, true, message]);
    pauses.push(lookAgain / 1_000);
    const waiting = decide({ route: CLOSED, policies: "different" }, now + 4_000);
    assert.deepEqual([waiting.isPutAside, waiting.waitsFor, waiting.lookAgain], [true, message, lookAgain - 4_000]);
    now += lookAgain;
    const again = decide({ route: CLOSED, policies: "different" }, now);
    assert.deepEqual([again.isPutAside, again.mayChangePolicies, again.waitsFor], [false, true, message]);
    assert.equal(decide({ route: CLOSED, policiesAcceptance: pending }, now).waitsFor, message);
  }
  assert.deepEqual(pauses, [5, 10, 20, 40, 80, 160, 300]);
  // Once it could be asked, all begins anew.
  decide({ route: CLOSED }, 1_000_000);
  assert.equal(decide({ route: CLOSED, policiesAcceptance: unasked }, 1_010_000).lookAgain, 5_000);
});

Deno.test("Policies that are refused for another reason stay: who watches over them sees when it is gone", () => {
  const decide = decider();
  decide({ route: CLOSED, policiesAcceptance: refused }, 0);
  assert.equal(decide({ route: CLOSED, policiesAcceptance: refused }, 60_000).isPutAside, false);
});

/** Every order of what can happen between two looks: none may open what isn't protected. */
Deno.test("A group never opens before its policies were accepted for the drain time, in whichever order things happen", () => {
  const routes = [undefined, "", CLOSED, openWith("old")];
  const policies = ["none", "different", "same"] as const;
  const acceptances = [accepted, pending, refused, { ...refused, message: "no openid-configuration" }];
  let seed = 1;
  const random = (most: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % most;
  };
  for (let round = 0; round < 2_000; round++) {
    const decide = decider();
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
      const { isOpen, isPutAside } = decide(seen, now);
      assert.ok(!isPutAside || seen.route === CLOSED, `round ${round}, step ${step}: ${JSON.stringify(seen)}`);
      const may = safeSince !== undefined && now - safeSince >= TIMES.drain;
      assert.ok(!isOpen || may, `round ${round}, step ${step}: ${JSON.stringify(seen)}`);
    }
  }
});
