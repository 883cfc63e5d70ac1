import assert from "node:assert/strict";
import FILE from "../../lib/observe/secrets/token_formats.json" with { type: "json" };
import { createRedactor } from "../../lib/observe/secrets/redactor.ts";
import { readRules, type TokenFormat, tokenFormats } from "../../scripts/token_formats.ts";

const CONTEXT = String
  .raw`(?i)[\w.-]{0,50}?(?:shop)(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}`;
const END = String.raw`(?:[\x60'"\s;]|\\[nr]|$)`;

const CASES: readonly { rule: string; want: TokenFormat[] }[] = [
  { rule: "glpat-[\\w-]{20}", want: [["glpat\\-", "[\\-0-9A-Z_a-z]", 16]] },
  { rule: `\\b(pul-[a-f0-9]{40})${END}`, want: [["pul\\-", "[0-9a-f]", 40]] },
  {
    rule: `\\b((?:sk|rk)_(?:test|live)_[a-zA-Z0-9]{10,99})${END}`,
    want: [
      ["rk_live_", "[0-9A-Za-z]", 10],
      ["rk_test_", "[0-9A-Za-z]", 10],
      ["sk_live_", "[0-9A-Za-z]", 10],
      ["sk_test_", "[0-9A-Za-z]", 10],
    ],
  },
  { rule: "xox[os]-\\d+-\\d+-\\d+-[a-fA-F\\d]{8}", want: [["xox[os]\\-", "[\\-0-9A-Fa-f]", 14]] },
  { rule: "dt0c01\\.(?i)[a-z0-9]{24}\\.[a-z0-9]{64}", want: [["dt0c01\\.", "[\\.0-9A-Za-z]", 16]] },
  { rule: `${CONTEXT}(shop-[a-f0-9]{32})${END}`, want: [["[Ss][Hh][Oo][Pp]\\-", "[0-9A-Fa-f]", 32]] },
  // Without a prefix of its own, only the service's name tells such a key.
  { rule: `${CONTEXT}([a-z0-9]{32})${END}`, want: [] },
  { rule: "https://[a-z0-9]+\\.example\\.com/[a-z0-9]{32}", want: [] },
];

for (const { rule, want } of CASES) {
  Deno.test(`tokenFormats() of ${rule.slice(-60)}`, () => {
    const rules = readRules(`title = "x"\n[[rules]]\nid = "shop"\nregex = '''${rule}'''\nkeywords = ["shop"]\n`);
    assert.deepEqual(tokenFormats(rules), want);
  });
}

for (const [prefix, characters, least] of FILE.formats) {
  Deno.test(`a token that begins with ${prefix} is redacted`, () => {
    const start = String(prefix).replaceAll(/\[(.).*?\]/g, "$1").replaceAll("\\", "");
    const varied = Array.from("a1b2c3d4e5f6A7B8C9D0E", (character) => new RegExp(String(characters)).test(character))
      .map((fits, index) => fits ? "a1b2c3d4e5f6A7B8C9D0E"[index] : "").join("");
    const token = start + varied.repeat(Number(least)).slice(0, Number(least));
    assert.equal(createRedactor().text(`before ${token} after`), "before REDACTED after");
  });
}
