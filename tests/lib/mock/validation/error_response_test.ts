import assert from "node:assert/strict";
import { createMock } from "../../../../lib/mock/mock.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import type { RequestViolation } from "../../../../lib/mock/validation/violation.ts";
import { formatViolations, withViolations } from "../../../../lib/mock/validation/error_response.ts";

const violation = (message: string): RequestViolation => ({
  location: ["body", "name"],
  severity: "Error",
  code: "type",
  message,
});

Deno.test("formatViolations() writes ASCII that is the same JSON", () => {
  const violations = [violation('Straße, 猫, 🐈, "quoted", \x7f, \u2028, \ud800, \n')];
  const text = formatViolations(violations);
  assert.match(text, /^[\x20-\x7e]+$/);
  assert.ok(text.includes("Stra\\u00dfe, \\u732b, \\ud83d\\udc08"), text);
  assert.deepEqual(JSON.parse(text), violations);
});

Deno.test("formatViolations() writes at most 2 KiB, and only whole violations", () => {
  const many = Array.from({ length: 100 }, (_, index) => violation(`Number ${index} 猫`));
  const text = formatViolations(many);
  const told: unknown[] = JSON.parse(text);
  assert.ok(text.length <= 2048 && text.length > 1900, String(text.length));
  assert.deepEqual(told, many.slice(0, told.length));
  const large = violation("x".repeat(2048));
  assert.equal(formatViolations([large]), "[]");
  assert.deepEqual(JSON.parse(formatViolations([large, violation("small")])), [violation("small")]);
  const empty = formatViolations([violation("")]).length;
  assert.equal(formatViolations([violation("x".repeat(2048 - empty))]).length, 2048);
  assert.equal(formatViolations([violation("x".repeat(2049 - empty))]), "[]");
});

Deno.test("withViolations() adds the header to the CORS headers that a definition declares", () => {
  const origin = ["access-control-allow-origin", "https://only"] as const;
  const expose = ["access-control-expose-headers", "x-total"] as const;
  const header = ["x-gw-violations", "[]"] as const;
  const cases = [
    { headers: [], want: [header] },
    { headers: [origin], want: [origin, ["access-control-expose-headers", "x-gw-violations"], header] },
    { headers: [expose], want: [["access-control-expose-headers", "x-total, x-gw-violations"], header] },
    { headers: [["x-gw-violations", "made up"] as const], want: [header] },
  ];
  for (const { headers, want } of cases) assert.deepEqual(withViolations(headers, []), want);
});

/**
 * The responses of an operation. Whichever of these a definition has, pages of other origins can read gw's header
 * `x-gw-violations`.
 */
const RESPONSES: Record<string, unknown>[] = [
  { 200: {} },
  { 200: {}, 422: { description: "Nothing to read." } },
  { 200: {}, "4XX": { content: { "text/plain": { example: "No." } } } },
  { 200: {}, 400: { headers: { "Access-Control-Expose-Headers": { example: "x-total" } } } },
  { 200: {}, default: { headers: { "Access-Control-Allow-Origin": { example: "*" } } } },
];

for (const responses of RESPONSES) {
  Deno.test(`pages may read why a request is refused, with ${JSON.stringify(responses)}`, async () => {
    const parameters = [{ in: "query", name: "größe", required: true, schema: { type: "integer" } }];
    const document = await parseDocument(JSON.stringify({
      openapi: "3.1.0",
      paths: { "/a": { get: { parameters, responses } } },
    }));
    const mock = createMock(document, { validate: "error" });
    const { headers } = await mock(new Request("http://h/a", { headers: { origin: "https://page" } }));
    assert.match(headers.get("access-control-expose-headers") ?? "", /(?:^|, )x-gw-violations(?:,|$)/);
    const [told] = JSON.parse(headers.get("x-gw-violations") ?? "");
    assert.equal(told.message, "Request query parameter größe is required.");
  });
}
