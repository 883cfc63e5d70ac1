import assert from "node:assert/strict";
import { violationsLine } from "../../../../lib/observe/relay/report_violations.ts";

Deno.test("x-gw-violations is one bounded line of printable ASCII", async (t) => {
  const cases: { name: string; messages: string[]; want: RegExp }[] = [
    {
      name: "one",
      messages: ["Response status 418 is not declared."],
      want: /^1 violation: Response status 418 is not/,
    },
    { name: "three", messages: ["A.", "B.", "C."], want: /^3 violations, the first: A\.$/ },
    { name: "line breaks", messages: ["a\r\nset-cookie: b\0"], want: /^1 violation: a%0D%0Aset-cookie: b%00$/ },
    {
      name: "other scripts",
      messages: ["Grüße 🐱 \ud800"],
      want: /^1 violation: Gr%C3%BC%C3%9Fe %F0%9F%90%B1 %EF%BF%BD$/,
    },
    { name: "a long message", messages: ["x".repeat(1e6)], want: /^1 violation: x{200}\.\.\.$/ },
    {
      name: "a long message of other scripts",
      messages: ["ü".repeat(1e6)],
      want: /^1 violation: (%C3%BC){200}\.\.\.$/,
    },
  ];
  for (const { name, messages, want } of cases) {
    await t.step(name, () => {
      const line = violationsLine(messages.map((message) => ({ message })));
      assert.match(line, want);
      assert.match(line, /^[\x20-\x7e]*$/);
      new Headers({ "x-gw-violations": line });
    });
  }
});
