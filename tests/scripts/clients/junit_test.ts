import assert from "node:assert/strict";
import { readJUnit } from "../../../scripts/clients/junit.ts";

Deno.test("readJUnit() reads what pytest writes", () => {
  const report = `<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" tests="4">
    <testcase classname="tests.test_orders.TestOrders" name="test_get[loose]" time="0.1" />
    <testcase classname="tests.test_orders" name="test_list"><failure message="assert 1 == 2">E &lt;Order&gt;
line 2</failure></testcase>
    <testcase classname="tests.test_orders" name="test_win"><skipped type="pytest.skip" message="not here" /></testcase>
    <testcase classname="" name="tests.test_broken"><error message="collection failure"></error></testcase>
  </testsuite></testsuites>`;
  assert.deepEqual(readJUnit(report), [
    { name: "tests.test_orders.TestOrders::test_get[loose]", outcome: "passed", message: "" },
    { name: "tests.test_orders::test_list", outcome: "failed", message: "assert 1 == 2\nE <Order>\nline 2" },
    { name: "tests.test_orders::test_win", outcome: "skipped", message: "not here" },
    { name: "tests.test_broken", outcome: "failed", message: "collection failure" },
  ]);
});
