import assert from "node:assert/strict";
import { RuleBase } from "../../../../lib/mock/rules/rule_base.ts";
import { createRuleList } from "../../../../lib/mock/rules/session_rules.ts";
import { isSessionName } from "../../../../lib/mock/session/session_name.ts";
import { Sessions } from "../../../../lib/mock/session/sessions.ts";
import { EMPTY_STATE } from "../../../../lib/mock/state/store/initial_state.ts";
import { StateFullError, type StateLimits } from "../../../../lib/mock/state/store/limits.ts";

const pet = (id: number) => ({ key: `${id}`, scope: [], value: { id } });

function sessionsOf(options: { most?: number; limits?: Partial<StateLimits> } = {}): Sessions {
  return new Sessions({ initialStateOf: () => EMPTY_STATE, now: () => 1000, ...options });
}

Deno.test("sessions don't see each other's items; the shared one has the empty name", () => {
  const sessions = sessionsOf();
  sessions.of("a").state.put("pets", pet(1));
  sessions.shared.state.put("pets", pet(2));
  assert.equal(sessions.of("b").state.list("pets", []).size, 0);
  assert.equal(sessions.of("").state.get("pets", [], "2")?.value["id"], 2);
  assert.equal(sessions.of("a").state.get("pets", [], "2"), undefined);
});

Deno.test("beyond the limit, the least recently used session is dropped and its memory released", () => {
  const sessions = sessionsOf({ most: 2 });
  for (const name of ["a", "b"]) sessions.of(name).state.put("pets", pet(1));
  const dropped = sessions.of("b");
  sessions.of("a");
  sessions.of("c");
  assert.deepEqual(sessions.list().map(({ name }) => name), ["", "a", "c"]);
  assert.equal(sessions.budget.used.items, 1);
  dropped.state.put("pets", pet(2));
  assert.equal(sessions.budget.used.items, 1);
  assert.equal(sessions.of("b").state.list("pets", []).size, 0);
});

Deno.test("a snapshot has state, seed and clock; so has a fork, without snapshots", () => {
  const sessions = sessionsOf();
  const session = sessions.of("a");
  session.state.put("pets", pet(1));
  session.seed = 5;
  session.clock.set(5000);
  session.snapshot("before");
  session.reset();
  assert.deepEqual([session.seed, session.clock.now(), session.state.list("pets", []).size], [0, 1000, 0]);
  assert.equal(session.restore("before"), true);
  assert.equal(session.restore("after"), false);
  const fork = sessions.fork("a", "b");
  for (const { seed, clock, state } of [session, fork]) {
    assert.deepEqual([seed, clock.now(), state.list("pets", []).size], [5, 5000, 1]);
  }
  assert.deepEqual([session.snapshots, fork.snapshots], [["before"], []]);
  sessions.delete("a");
  sessions.delete("b");
  assert.deepEqual(sessions.budget.used, { items: 0, bytes: 0, snapshots: 0 });
});

Deno.test("a fork has its session's rules in their order; a dropped session stores no rules and snapshots", () => {
  const rules = new RuleBase();
  const sessions = new Sessions({ initialStateOf: () => EMPTY_STATE, openRules: () => createRuleList(rules, () => 0) });
  const session = sessions.of("a");
  for (const status of [503, 429]) session.rules.add({ operation: "GET /pets", status });
  const fork = sessions.fork("a", "b");
  session.rules.reset();
  assert.deepEqual(fork.rules.list().map(({ rule }) => rule.status), [429, 503]);
  sessions.delete("b");
  fork.rules.add({ operation: "GET /pets", status: 500 });
  fork.snapshot("late");
  assert.equal(fork.rules.list().length, 0);
  assert.equal(sessions.budget.used.snapshots, 0);
});

Deno.test("snapshots are limited for each session and for all; snapshot() replaces one of the same name", () => {
  const sessions = sessionsOf({ limits: { snapshots: 2, allSnapshots: 3 } });
  const take = (session: string, name: string) => sessions.of(session).snapshot(name);
  for (const name of ["1", "2", "2"]) take("a", name);
  assert.throws(() => take("a", "3"), (error) => error instanceof StateFullError && error.limit === "snapshots");
  take("b", "1");
  assert.throws(() => take("b", "2"), (error) => error instanceof StateFullError && error.limit === "allSnapshots");
  sessions.of("a").dropSnapshot("1");
  take("b", "2");
});

Deno.test("the snapshots of a session have no more items and bytes than the session itself may have", async (t) => {
  const one = sessionsOf({}).of("a");
  one.state.put("pets", pet(0));
  const { bytes } = one.state.used;
  const cases: { limit: "items" | "bytes"; most: number }[] = [
    { limit: "items", most: 3 },
    { limit: "bytes", most: 3 * bytes + 3_000 },
  ];
  for (const { limit, most } of cases) {
    await t.step(limit, () => {
      const sessions = sessionsOf({ limits: { [limit]: most } });
      const session = sessions.of("a");
      const isFull = (error: unknown) => error instanceof StateFullError && error.limit === limit;
      session.state.put("pets", pet(0));
      // Snapshots without a write between them share their items.
      session.snapshot("1");
      session.snapshot("2");
      session.state.put("pets", pet(1));
      session.snapshot("3");
      session.state.put("pets", pet(2));
      const { used } = sessions.budget;
      assert.throws(() => session.snapshot("4"), isFull);
      assert.throws(() => session.snapshot("1"), isFull);
      assert.deepEqual([sessions.budget.used, session.snapshots], [used, ["1", "2", "3"]]);
      // Snapshots of other sessions don't count.
      sessions.of("b").state.put("pets", pet(0));
      sessions.of("b").snapshot("1");
      session.dropSnapshot("3");
      session.dropSnapshot("2");
      session.snapshot("1");
      for (const name of ["a", "b"]) sessions.delete(name);
      assert.deepEqual(sessions.budget.used, { items: 0, bytes: 0, snapshots: 0 });
    });
  }
});

Deno.test("what a snapshot remembers of deleted items counts as bytes of all sessions, until it is dropped", () => {
  const sessions = sessionsOf({ limits: { allBytes: 100_000 } });
  const session = sessions.of("a");
  for (let id = 0; id < 1000; id++) {
    session.state.put("pets", pet(id));
    session.state.delete("pets", [], `${id}`);
  }
  session.snapshot("1");
  session.snapshot("1");
  const { used } = sessions.budget;
  assert.ok(used.bytes > 50_000, `${used.bytes}`);
  assert.throws(() => session.snapshot("2"), (error) => error instanceof StateFullError && error.limit === "allBytes");
  assert.deepEqual([sessions.budget.used, session.snapshots], [used, ["1"]]);
  session.dropSnapshot("1");
  session.snapshot("2");
  sessions.delete("a");
  assert.deepEqual(sessions.budget.used, { items: 0, bytes: 0, snapshots: 0 });
});

Deno.test("a clock can be set, advanced, stopped and started", () => {
  let time = 0;
  const { clock } = new Sessions({ initialStateOf: () => EMPTY_STATE, now: () => time }).shared;
  clock.set(100);
  time = 10;
  assert.equal(clock.now(), 110);
  clock.stop();
  time = 20;
  clock.advance(5);
  assert.equal(clock.now(), 115);
  clock.start();
  time = 30;
  assert.equal(clock.now(), 125);
});

for (const name of ["a", "test-1", "A.b_c~d", "x".repeat(128)]) {
  Deno.test(`${name.slice(0, 20)} names a session`, () => assert.ok(isSessionName(name)));
}

for (const name of ["", ".", "..", "a b", "a/b", "ä", "x".repeat(129)]) {
  Deno.test(`${JSON.stringify(name.slice(0, 20))} names no session`, () => assert.ok(!isSessionName(name)));
}
