import assert from "node:assert/strict";
import { liftSkips } from "../../../scripts/clients/lift.ts";

const CASES = [
  {
    path: "order_test.go",
    given: 'func TestGet(t *testing.T) {\n\tt.Skip("Mock server tests are disabled")\n\tget()\n}\n',
    want: "func TestGet(t *testing.T) {\n\tget()\n}\n",
  },
  {
    path: "order_test.go",
    given: 'func TestGet(t *testing.T) {\n\tt.Skip("skipped: only on Windows")\n}\n',
    want: 'func TestGet(t *testing.T) {\n\tt.Skip("skipped: only on Windows")\n}\n',
  },
  {
    path: "tests/test_orders.py",
    given:
      'class TestOrders:\n    @pytest.mark.skip(reason="Prism doesn\'t support it")\n    def test_get(self): ...\n',
    want: "class TestOrders:\n    def test_get(self): ...\n",
  },
  {
    path: "tests/test_orders.py",
    given: '@pytest.mark.skip(reason="aiohttp client is not compatible with respx_mock")\n',
    want: '@pytest.mark.skip(reason="aiohttp client is not compatible with respx_mock")\n',
  },
  { path: "README.md", given: 't.Skip("mock server")\n', want: 't.Skip("mock server")\n' },
];

for (const { path, given, want } of CASES) {
  Deno.test(`liftSkips() of ${path}: ${JSON.stringify(given)}`, () => assert.equal(liftSkips(path, given), want));
}
