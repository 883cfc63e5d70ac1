import assert from "node:assert/strict";
import { exact, markup } from "../../../lib/console/html.ts";
import { bodyBlock, durationText, prose } from "../../../lib/console/parts.ts";
import { ownPath } from "../../../lib/console/login.ts";

const ATTACKS = [
  "<script>alert(1)</script>",
  `" onmouseover="alert(1)`,
  "' autofocus onfocus='alert(1)",
  "</textarea><img src=x onerror=alert(1)>",
  "&lt;b&gt;",
];

Deno.test("markup`` escapes texts and attributes", () => {
  for (const attack of ATTACKS) {
    for (
      const { text } of [
        markup`<p title="${attack}">${attack}</p>`,
        markup`<p title="${exact(attack)}">${[attack]}</p>`,
      ]
    ) {
      const inside = text.slice('<p title="'.length, -"</p>".length);
      assert.doesNotMatch(inside.replace('">', ""), /[<>"']/, text);
    }
  }
  assert.equal(String(markup`${undefined}${false}${0}${[1, "&"]}${markup`<b>`}`), "01&amp;<b>");
});

Deno.test("markup`` replaces characters that reorder a line; exact() keeps them for forms", () => {
  assert.equal(String(markup`a\u202eb${"\u202e"}`), "a\u202eb\ufffd");
  assert.equal(String(markup`${exact("\u202e\t\r\n")}`), "\u202e\t\r\n");
});

Deno.test("bodyBlock() sets out JSON without changing numbers, and leaves other texts as they are", () => {
  const shown = (text: string, mediaType: string) =>
    bodyBlock(text, mediaType).text.replaceAll(/<[^>]*>/g, "").replaceAll("&quot;", '"').trim();
  const rows: [text: string, mediaType: string, want: string][] = [
    ['{"a":[1,{}],"b":"x,{y}:\\""}', "application/json", '{\n  "a": [\n    1,\n    {}\n  ],\n  "b": "x,{y}:\\""\n}'],
    ['{"n":12345678901234567890.10}', "application/problem+json", '{\n  "n": 12345678901234567890.10\n}'],
    ['{"a":', "application/json", '{"a":'],
    ['{"a":1}', "text/plain", '{"a":1}'],
    ["[]", "application/json", "[]"],
  ];
  for (const [text, mediaType, want] of rows) assert.equal(shown(text, mediaType), want);
  for (const attack of ATTACKS) {
    const { text } = bodyBlock(JSON.stringify({ [attack]: attack }), "application/json");
    assert.doesNotMatch(text.replaceAll(/<\/?(?:pre|span)(?: class="[ksn]")?(?: tabindex="0")?>/g, ""), /[<>]/);
  }
});

Deno.test("bodyBlock() takes long and deep JSON in linear time", () => {
  const deep = "[".repeat(5000) + "]".repeat(5000);
  assert.ok(bodyBlock(deep, "application/json").text.length > 10_000);
  assert.ok(bodyBlock(`"${"\\\\".repeat(40_000)}"`, "application/json").text.length > 40_000);
});

Deno.test("prose() shows what is in backticks as code", () => {
  assert.equal(String(markup`${prose("Use `<b>` here")}`), "Use <code>&lt;b&gt;</code> here");
});

Deno.test("durationText() gives a duration in its unit", () => {
  assert.deepEqual([undefined, 0.42, 12.4, 1500].map(durationText), ["", "0.4 ms", "12 ms", "1.5 s"]);
});

Deno.test("ownPath() leads to pages of the console only", () => {
  const site = { name: "gw", base: "/_gw/console/", home: "/_gw/", navigation: [] };
  const rows: [written: string | null, want: string][] = [
    ["/_gw/console/rules?session=a", "/_gw/console/rules?session=a"],
    ["/_gw/", "/_gw/"],
    ["https://evil.example/", "/_gw/"],
    ["//evil.example/_gw/console/", "/_gw/"],
    ["/\\evil.example/_gw/console/", "/_gw/"],
    ["/_gw/console/../../pets", "/_gw/"],
    ["javascript:alert(1)", "/_gw/"],
    [null, "/_gw/"],
  ];
  for (const [written, want] of rows) assert.equal(ownPath(site, written), want, String(written));
});
