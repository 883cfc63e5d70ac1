import assert from "node:assert/strict";
import { Leadership, LEASE_TIMES, type LeaseTerm } from "../../../../cmd/cluster/controller/leadership.ts";
import { LEASE } from "../../../../cmd/cluster/controller/kinds.ts";
import type { KubeClient } from "../../../../cmd/cluster/client.ts";
import { isObject } from "../../../../lib/schema/json/node.ts";
import { until } from "../../../cluster/support/until.ts";
import { startVirtualTime } from "../../../virtual_time.ts";
import { createFakeCluster, type FakeCluster } from "../fake_client.ts";

/** The times of the Lease, in milliseconds. They are shorter than in a real cluster. */
const TIMES = { duration: 300, renewDeadline: 150, retryPeriod: 40 };

interface Candidate {
  leadership: Leadership;
  /** For each time that the replica won or lost the Lease: whether it was leader then. */
  readonly changes: readonly boolean[];
  readonly terms: readonly LeaseTerm[];
  /** Stops the replica as SIGTERM does: the replica releases the Lease. */
  stop(): Promise<void>;
}

function candidate(
  identity: string,
  client: KubeClient,
  now: () => number = () => Date.now(),
  times = TIMES,
): Candidate {
  const leaving = new AbortController();
  const changes: boolean[] = [];
  const terms: LeaseTerm[] = [];
  const leadership = new Leadership({
    client,
    namespace: "gw-system",
    name: "gw-controller",
    identity,
    times,
    now,
    onChange(term) {
      changes.push(term !== undefined);
      if (term !== undefined) terms.push(term);
    },
    onError: () => {},
  });
  const running = leadership.run(leaving.signal);
  return {
    leadership,
    changes,
    terms,
    stop() {
      leaving.abort();
      return running;
    },
  };
}

function holder(cluster: FakeCluster): unknown {
  const spec = cluster.find("Lease", "gw-controller")?.spec;
  return isObject(spec) ? spec["holderIdentity"] : undefined;
}

Deno.test("One of several replicas leads, and another one at once when it gives the Lease back", async () => {
  const cluster = createFakeCluster();
  // The Lease doesn't expire during the test, so the second replica can lead only if the first one releases it.
  const times = { ...TIMES, duration: 60_000 };
  const first = candidate("a", cluster.client, Date.now, times);
  await until(() => first.leadership.isLeader);
  const second = candidate("b", cluster.client, Date.now, times);
  assert.equal(holder(cluster), "a");
  assert.equal(second.leadership.isLeader, false);
  await first.stop();
  await until(() => second.leadership.isLeader);
  await second.stop();
  assert.equal(holder(cluster), "");
});

Deno.test("A leader that can't reach the API server stops acting before another one may follow", async () => {
  const cluster = createFakeCluster();
  let isCutOff = false;
  const cut = new Proxy(cluster.client, {
    get: (client, name, receiver) =>
      isCutOff ? () => Promise.reject(new TypeError("cut off")) : Reflect.get(client, name, receiver),
  });
  const first = candidate("a", cut);
  await until(() => first.leadership.isLeader);
  const second = candidate("b", cluster.client);
  isCutOff = true;
  let both = 0;
  await until(() => {
    if (first.leadership.isLeader && second.leadership.isLeader) both++;
    return second.leadership.isLeader;
  });
  assert.equal(both, 0);
  assert.equal(first.leadership.isLeader, false);
  assert.ok(first.terms[0]?.signal.aborted);
  isCutOff = false;
  await first.stop();
  assert.equal(holder(cluster), "b");
  await second.stop();
});

Deno.test("A leader whose time is over before its renewal is answered begins anew, so that nothing is left undone", async () => {
  const { client } = createFakeCluster();
  let isSlow = false;
  const { replace } = client;
  client.replace = async (...input) => {
    const lease = await replace(...input);
    if (isSlow) {
      isSlow = false;
      // Block the event loop, including its timers, until the leader's time is over.
      for (const end = performance.now() + TIMES.renewDeadline * 2; performance.now() < end;);
    }
    return lease;
  };
  const only = candidate("a", client);
  await until(() => only.leadership.isLeader);
  isSlow = true;
  await until(() => only.changes.length > 1);
  await until(() => only.leadership.isLeader && only.changes.at(-1) === true);
  assert.deepEqual(only.changes.slice(0, 3), [true, false, true]);
  await only.stop();
});

Deno.test("A process that was suspended acts no more when it wakes, before any timer tells it", async (t) => {
  await t.step("the process alone", async () => {
    const only = candidate("a", createFakeCluster().client);
    const [term] = await until(() => only.terms.length > 0 && only.terms);
    assert.equal(term?.isCurrent, true);
    for (const end = performance.now() + TIMES.renewDeadline; performance.now() < end;);
    assert.equal(term?.isCurrent, false);
    assert.equal(only.leadership.isLeader, false);
    await only.stop();
  });

  await t.step("the whole machine, whose monotonic clock stood still", async () => {
    let slept = 0;
    const only = candidate("a", createFakeCluster().client, () => Date.now() + slept);
    const [term] = await until(() => only.terms.length > 0 && only.terms);
    assert.equal(term?.isCurrent, true);
    slept = 60_000;
    assert.equal(term?.isCurrent, false);
    await until(() => only.terms.length > 1 && only.leadership.isLeader);
    assert.equal(term?.isCurrent, false);
    assert.ok(term?.signal.aborted);
    await only.stop();
  });
});

Deno.test("A Lease that was stolen is taken only when its former leader has stopped acting", async (t) => {
  for (const thief of ["b", "somebody", ""]) {
    await t.step(thief === "" ? "for nobody" : `for ${thief}`, async () => {
      const cluster = createFakeCluster();
      const first = candidate("a", cluster.client);
      await until(() => first.leadership.isLeader);
      const second = candidate("b", cluster.client);
      let both = 0;
      await until(async () => {
        const [lease] = cluster.list("Lease");
        const spec = { ...Object(lease?.spec), holderIdentity: thief, leaseDurationSeconds: 10 };
        return lease && await cluster.client.replace(LEASE, { ...lease, spec });
      });
      await until(() => {
        if (first.leadership.isLeader && second.leadership.isLeader) both++;
        return first.terms[0]?.signal.aborted;
      });
      await until(() => first.leadership.isLeader || second.leadership.isLeader);
      assert.equal(both, 0);
      await Promise.all([first.stop(), second.stop()]);
    });
  }
});

Deno.test("Of many replicas that start at the same time exactly one leads at any moment", async () => {
  const cluster = createFakeCluster();
  const all = Array.from({ length: 5 }, (_, index) => candidate(`replica-${index}`, cluster.client));
  for (let round = 0; round < 4; round++) {
    await until(() => all.some(({ leadership }) => leadership.isLeader));
    const leaders = all.filter(({ leadership }) => leadership.isLeader);
    assert.equal(leaders.length, 1);
    await leaders[0]?.stop();
    all.splice(all.indexOf(leaders[0] ?? assert.fail()), 1);
  }
  await Promise.all(all.map((one) => one.stop()));
});

Deno.test("A candidate whose read of the Lease is slow doesn't lead beside the leader", async (t) => {
  const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  // The answer comes late, but shows the Lease as it is then: an overloaded API server, or a retry after 429.
  for (const delay of [2_000, 5_000, 8_000, 9_900]) {
    await t.step(`by ${delay} ms`, async () => {
      using _time = startVirtualTime();
      const cluster = createFakeCluster();
      let isCut = false;
      const silent = (): Promise<never> => new Promise(() => {});
      const first = candidate(
        "a",
        {
          ...cluster.client,
          get: (...input) => isCut ? silent() : cluster.client.get(...input),
          replace: (...input) => isCut ? silent() : cluster.client.replace(...input),
        },
        undefined,
        LEASE_TIMES,
      );
      await until(() => first.leadership.isLeader);
      const start = performance.now();
      let isFirst = true;
      const second = candidate(
        "b",
        {
          ...cluster.client,
          async get(...input) {
            if (isFirst) {
              isFirst = false;
              await sleep(delay);
            }
            return await cluster.client.get(...input);
          },
        },
        undefined,
        LEASE_TIMES,
      );
      // The leader is cut off from the API server right after a renewal that the late answer still shows.
      setTimeout(() => isCut = true, delay - 100);
      let both = 0;
      while (performance.now() - start < 30_000) {
        await sleep(50);
        if (first.leadership.isLeader && second.leadership.isLeader) both += 50;
      }
      assert.equal(both, 0);
      assert.ok(second.leadership.isLeader);
      void second.stop();
      void first.stop();
    });
  }
});
