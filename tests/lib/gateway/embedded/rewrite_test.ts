import assert from "node:assert/strict";
import { createRewrite } from "../../../../lib/gateway/embedded/rewrite.ts";
import { checkRewrite, readRewrite } from "../../../../lib/openapi/extension/rewrite_pattern.ts";

const CASES: { pattern: string; substitution: string; path: string; query?: string; want: string }[] = [
  { pattern: "^/v1/", substitution: "/", path: "/v1/pets", want: "/pets" },
  { pattern: "/", substitution: "/", path: "/a/b", want: "/a/b" },
  { pattern: "^/(\\w+)-(\\d+)$", substitution: "/\\2/\\1", path: "/pets-7", want: "/7/pets" },
  { pattern: "^/(\\w+)-(\\d+)$", substitution: "/$2/$1", path: "/pets-7", want: "/7/pets" },
  { pattern: "^/a(b)?", substitution: "/[\\1]", path: "/ac", want: "/[]c" },
  { pattern: "pets", substitution: "<\\0$&$$>", path: "/pets", want: "/<petspets$>" },
  { pattern: "//+", substitution: "/", path: "/a//b///c", want: "/a/b/c" },
  { pattern: ".*", substitution: "/x", path: "/a", want: "/x" },
  { pattern: "b*", substitution: "-", path: "/abba", want: "/-/-a-a-" },
  { pattern: "$", substitution: "/end", path: "/a", want: "/a/end" },
  { pattern: ".+", substitution: "", path: "/a", want: "/" },
  { pattern: "(?i)^/PETS", substitution: "/p", path: "/pets", want: "/p" },
  { pattern: "^/(?P<kind>[[:alpha:]]+)/(?<id>\\pN+)\\z", substitution: "/\\2/\\1", path: "/a/7", want: "/7/a" },
  { pattern: "\\Q.json\\E", substitution: "", path: "/a.json/xjson", want: "/a/xjson" },
  { pattern: "^/\\u0061", substitution: "/b", path: "/a", want: "/b" },
  { pattern: "^/a$", substitution: "/b c#ü\\", path: "/a", want: "/b%20c%23%C3%BC%5C" },
  // The query of the request is added to that of the substitution.
  { pattern: "^/users/(\\d+)$", substitution: "/users?id=\\1", path: "/users/7", want: "/users?id=7" },
  {
    pattern: "^/users/(\\d+)$",
    substitution: "/users?id=\\1",
    path: "/users/7",
    query: "a=b",
    want: "/users?id=7&a=b",
  },
  { pattern: "^/v1", substitution: "", path: "/v1/a", query: "b=/v1", want: "/a?b=/v1" },
  // RE2 has no look-around. Earlier versions of gw accepted such patterns, so deployed ones must still work.
  { pattern: "^/files/(?!private)(.*)$", substitution: "/public/$1", path: "/files/a", want: "/public/a" },
  { pattern: "^/files/(?!private)(.*)$", substitution: "/public/$1", path: "/files/private", want: "/files/private" },
  { pattern: "^/(a)/\\1", substitution: "/\\1", path: "/a/a/b", want: "/a/b" },
];

for (const { pattern, substitution, path, query = "", want } of CASES) {
  const given = query === "" ? path : `${path}?${query}`;
  Deno.test(`createRewrite() makes ${want} of ${given} by ${pattern} and ${substitution}`, () => {
    assert.equal(createRewrite({ pattern, substitution })(path, query), want);
  });
}

Deno.test("no pattern of a rewrite is compiled that would be too large", async (t) => {
  const cases: [name: string, pattern: string][] = [
    ["nested repetitions", "((a{1,30}){1,30}){1,30}"],
    ["a repetition of many parts", `(?:${"a?".repeat(100)}){999}`],
    ["too many characters", "a".repeat(1_001)],
    ["100 KB of optional parts", "a?".repeat(50_000)],
    ["optional parts before look-around", `${"a?".repeat(60)}${"a".repeat(60)}(?=b)`],
    ["a back-reference to a long group", "(a*)*\\1b"],
  ];
  for (const [name, pattern] of cases) {
    await t.step(name, () => {
      assert.notEqual(checkRewrite({ pattern, substitution: "/" }).reason, undefined);
      createRewrite({ pattern, substitution: "/" })("a".repeat(10_000), "");
    });
  }
});

Deno.test("createRewrite() spends a bounded number of steps on a path, or doesn't rewrite it", async (t) => {
  const as = "a".repeat(60_000);
  const cases: [name: string, pattern: string, path: string, want: string | undefined][] = [
    ["a nested repetition", "^/x/(a+)+$", `/x/${as}!`, `/x/${as}!`],
    ["ambiguous alternatives", "(a|aa)+$", `${as}!`, `/${as}!`],
    ["five repetitions in a row", "(.*)(.*)(.*)(.*)(.*)b", `${as}bb`, "/"],
    ["a repetition a hundred times", "([a-z]*x){1,100}$", `${as}x!x`, undefined],
    ["many matches, which take quadratic time together", "[ab]*b.|a", `${as}b`, undefined],
    ["no regular expression", "(", "/a", undefined],
    // Patterns that RE2 doesn't support, and that earlier versions of gw accepted.
    ["look-ahead and a nested repetition", "^/(?=x)x/(a+)+$", `/x/${as}!`, undefined],
    ["look-ahead and ambiguous alternatives", "^/(?=x)x/(a|a)*$", `/x/${as.slice(0, 40)}!`, undefined],
    ["look-ahead and three repetitions", "(?=a)a*a*a*b", as, undefined],
    ["look-ahead and a nested repetition at the end", "(?=a)(a+)+$", `${as}!`, undefined],
    ["look-ahead and forty choices", `(?=/)${"a?".repeat(40)}${"a".repeat(40)}$`, `/${"a".repeat(39)}`, undefined],
  ];
  for (const [name, pattern, path, want] of cases) {
    await t.step(name, () => {
      assert.equal(createRewrite({ pattern, substitution: "/" })(path, ""), want);
      if (want === undefined) return;
      // RE2 takes at most one step for each instruction and character, so this pattern takes no longer than others.
      const read = readRewrite({ pattern, substitution: "/" });
      assert.ok(read.kind === "rewrite" && read.expression.programSize() * path.length < 5_000_000);
    });
  }
});

Deno.test("checkRewrite() refuses patterns that RE2 doesn't support, and too large ones", async (t) => {
  const cases: [pattern: string, substitution: string, want: RegExp | undefined][] = [
    ["^/v1/(?:a|b)(/.*)?$", "/\\1$&$$\\0", undefined],
    ["^/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/", "/", undefined],
    ["^/(a+)+$", "/", undefined],
    ["(", "/", /missing closing/],
    ["a**", "/", /nested repetition/],
    ["^/(?=a)", "/", /look-around/],
    ["(?<!a)b", "/", /look-around/],
    ["(a)\\1", "/", /back-references/],
    ["a{1001}", "/", /1000 times/],
    ["(a)", "/\\2", /more than its 1 groups/],
    ["(a)", "/$'", /text around the match/],
    ["a".repeat(1_001), "/", /1001 characters; 1000 are allowed/],
    ["(?:[a-z]{100}){10}a", "/", /repeats too much/],
    [`(?:${"[a-z]".repeat(190)}){1000}`, "/", /repeats too much/],
  ];
  for (const [pattern, substitution, want] of cases) {
    await t.step(pattern.slice(0, 40), () => {
      const { reason } = checkRewrite({ pattern, substitution });
      if (want === undefined) assert.equal(reason, undefined);
      else assert.match(reason ?? "", want);
    });
  }
});
