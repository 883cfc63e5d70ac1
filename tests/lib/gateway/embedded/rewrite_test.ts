import assert from "node:assert/strict";
import { createRewrite } from "../../../../lib/gateway/embedded/rewrite.ts";
import { checkRewrite } from "../../../../lib/openapi/extension/rewrite_pattern.ts";

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
  // The query of the request stays, behind that of the substitution.
  { pattern: "^/users/(\\d+)$", substitution: "/users?id=\\1", path: "/users/7", want: "/users?id=7" },
  {
    pattern: "^/users/(\\d+)$",
    substitution: "/users?id=\\1",
    path: "/users/7",
    query: "a=b",
    want: "/users?id=7&a=b",
  },
  { pattern: "^/v1", substitution: "", path: "/v1/a", query: "b=/v1", want: "/a?b=/v1" },
  // RE2 knows no look-around; what was deployed before goes on.
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

Deno.test("createRewrite() takes time that grows with the path, whatever the pattern", async (t) => {
  const as = "a".repeat(60_000);
  const cases = [
    ["^/x/(a+)+$", `/x/${as}!`],
    ["(a|aa)+$", `${as}!`],
    ["(.*)(.*)(.*)(.*)(.*)b", `${as}bb`],
    ["([a-z]*x){1,100}$", `${as}x!x`],
    // All matches one after the other would take quadratic time.
    ["[ab]*b.|a", `${as}b`],
    // Patterns that RE2 doesn't take, from definitions that earlier versions accepted.
    ["^/(?=x)x/(a+)+$", `/x/${as}!`],
    ["^/(?=x)x/(a|a)*$", `/x/${as.slice(0, 40)}!`],
    ["(?=a)a*a*a*b", as],
    [`(?=/)${"a?".repeat(40)}${"a".repeat(40)}$`, `/${"a".repeat(39)}`],
  ] as const;
  for (const [pattern, path] of cases) {
    await t.step(pattern, () => {
      const start = performance.now();
      createRewrite({ pattern, substitution: "/" })(path, "");
      assert.ok(performance.now() - start < 5_000);
    });
  }
  await t.step("what would take too long isn't done", () => {
    assert.equal(createRewrite({ pattern: "[ab]*b.|a", substitution: "/" })(`${as}b`, ""), undefined);
    assert.equal(createRewrite({ pattern: "(", substitution: "/" })("/a", ""), undefined);
    assert.equal(createRewrite({ pattern: "(?=a)(a+)+$", substitution: "/" })(`${as}!`, ""), undefined);
  });
});

Deno.test("checkRewrite() refuses what RE2 doesn't take, and what is too large", async (t) => {
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
      const { fault } = checkRewrite({ pattern, substitution });
      if (want === undefined) assert.equal(fault, undefined);
      else assert.match(fault ?? "", want);
    });
  }
});
