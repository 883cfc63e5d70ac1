import assert from "node:assert/strict";
import { readGoEvents } from "../../../scripts/clients/go_events.ts";

const MODULE = "example.com/shop-go";

/** The test results in events of `go test -json`, one line each. */
function read(...events: readonly object[]): string[] {
  const text = events.map((event) => JSON.stringify(event)).join("\n");
  return readGoEvents(text, MODULE).map(({ name, outcome, message }) => `${outcome} ${name} ${message}`.trim());
}

Deno.test("readGoEvents() names tests by package, and counts subtests", () => {
  const told = { Package: MODULE, Test: "TestOrder", Output: "order_test.go:7: no order\n" };
  assert.deepEqual(
    read(
      { Action: "run", Package: MODULE, Test: "TestOrder" },
      { Action: "output", ...told },
      { Action: "fail", Package: MODULE, Test: "TestOrder/empty" },
      { Action: "fail", Package: MODULE, Test: "TestOrder" },
      { Action: "pass", Package: `${MODULE}/form`, Test: "TestEncode" },
      { Action: "skip", Package: `${MODULE}/form`, Test: "TestWindows" },
      { Action: "fail", Package: MODULE },
    ),
    [
      "failed shop-go.TestOrder/empty",
      "failed shop-go.TestOrder order_test.go:7: no order",
      "passed form.TestEncode",
      "skipped form.TestWindows",
    ],
  );
});

Deno.test("readGoEvents() counts a test that doesn't end as failed", () => {
  assert.deepEqual(
    read(
      { Action: "run", Package: MODULE, Test: "TestForever" },
      { Action: "output", Package: MODULE, Test: "TestForever", Output: "panic: test timed out\n" },
      { Action: "fail", Package: MODULE },
    ),
    ["failed shop-go.TestForever panic: test timed out"],
  );
});

Deno.test("readGoEvents() counts a package that doesn't build as a failed test", () => {
  assert.deepEqual(
    read(
      { Action: "build-output", ImportPath: `${MODULE}/form [${MODULE}/form.test]`, Output: "form.go:1: undefined\n" },
      { Action: "build-fail", ImportPath: `${MODULE}/form [${MODULE}/form.test]` },
      { Action: "fail", Package: `${MODULE}/form` },
    ),
    ["failed form form.go:1: undefined"],
  );
});

Deno.test("readGoEvents() skips lines that aren't events", () => {
  assert.deepEqual(readGoEvents("go: downloading example.com/x v1.0.0\n\n", MODULE), []);
});
