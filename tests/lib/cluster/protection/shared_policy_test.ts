import assert from "node:assert/strict";
import {
  afterAcceptance,
  afterBreak,
  type ObservedSharedPolicy,
  type SharedPolicyRecord,
} from "../../../../lib/cluster/protection/shared_policy.ts";

const accepted = { kind: "accepted" } as const;
const pending = { kind: "pending" } as const;
const refused = { kind: "refused", reason: "Changed", message: "Somebody has changed it." } as const;
const IN_FORCE: SharedPolicyRecord = { uid: "1", keeperUid: "2", acceptedSince: 100 };

const acceptances: { name: string; observed: Partial<ObservedSharedPolicy>; want: number | undefined }[] = [
  { name: "stays in force", observed: {}, want: 100 },
  { name: "stays in force while the gateway looks at a change", observed: { acceptance: pending }, want: 100 },
  { name: "is in force since now, as another one of its name", observed: { uid: "3" }, want: 500 },
  { name: "is in force since now, with another keeper", observed: { keeperUid: "3" }, want: 500 },
  {
    name: "isn't in force as another one that isn't accepted",
    observed: { uid: "3", acceptance: pending },
    want: undefined,
  },
  { name: "isn't in force when it is refused", observed: { acceptance: refused }, want: undefined },
];
for (const { name, observed, want } of acceptances) {
  Deno.test(`A shared policy ${name}`, () => {
    const record = afterAcceptance(IN_FORCE, { uid: "1", keeperUid: "2", acceptance: accepted, ...observed }, 500);
    assert.equal(record?.acceptedSince, want);
  });
}

Deno.test("A shared policy that isn't there has no record", () => {
  assert.equal(afterAcceptance(IN_FORCE, undefined, 500), undefined);
});

Deno.test("A deleted policy is written when its routes were closed for the settle time", () => {
  const look = (known: SharedPolicyRecord | undefined, areRoutesClosed: boolean, now: number) =>
    afterBreak(known, { uid: "1", isDeleted: true, areRoutesClosed }, 1_000, now);
  const open = look(IN_FORCE, false, 0);
  assert.deepEqual(open, { record: { uid: "1", keeperUid: "2", brokenSince: 0 }, mayWrite: false });
  // However long the routes take to close, the policy isn't written before the settle time has passed after that.
  const closed = look(look(open.record, false, 60_000).record, true, 61_000);
  assert.equal(closed.mayWrite, false);
  assert.equal(look(closed.record, false, 61_500).record.closedSince, undefined);
  assert.equal(look(closed.record, true, 61_999).mayWrite, false);
  assert.deepEqual(look(closed.record, true, 62_000), { record: { uid: "1", keeperUid: "2" }, mayWrite: true });
});

Deno.test("A changed policy is written when its routes are closed, or after two seconds", () => {
  const look = (known: SharedPolicyRecord | undefined, areRoutesClosed: boolean, now: number) =>
    afterBreak(known, { uid: "1", isDeleted: false, areRoutesClosed }, 1_000, now);
  assert.equal(look(IN_FORCE, true, 0).mayWrite, true);
  const { record, mayWrite } = look(IN_FORCE, false, 0);
  assert.equal(mayWrite, false);
  assert.equal(look(record, false, 1_999).mayWrite, false);
  assert.equal(look(record, false, 2_000).mayWrite, true);
});
