import assert from "node:assert/strict";
import { githubReport, jsonReport, summary, textReport } from "../../../../cmd/io/terminal/report.ts";
import type { Diagnostic } from "../../../../lib/openapi/diagnostic.ts";

const PROBLEM: Diagnostic = {
  severity: "error",
  code: "unknown-field",
  message: "There is no such field.",
  uri: "file:///pets.yaml",
  pointer: "/paths",
  line: 3,
  column: 3,
};

function report(text: string, problem: Partial<Diagnostic>, color = false): string {
  const nameOf = (uri: string): string => uri.replace("file:///", "");
  return textReport([{ ...PROBLEM, ...problem }], { color, nameOf, textOf: () => text });
}

Deno.test("textReport() shows two lines before and after, and marks the place", () => {
  assert.equal(
    report("one\ntwo\n  three: 3\nfour\nfive\nsix\n", {}),
    [
      "pets.yaml:3:3 error unknown-field: There is no such field.",
      "  1 | one",
      "  2 | two",
      "> 3 |   three: 3",
      "    |   ^^^^^",
      "  4 | four",
      "  5 | five",
      "",
      "",
    ].join("\n"),
  );
});

Deno.test("textReport() marks a quoted text, a word, or one character", () => {
  const marks = (line: string, column: number): string | undefined =>
    /\| ( *\^+)\n/.exec(report(line, { line: 1, column }))?.[1];
  assert.equal(marks('{"a b": 1}', 2), " ^^^^^");
  assert.equal(marks("{'it''s': 1}", 2), " ^^^^^^^");
  assert.equal(marks("{a: b}", 5), "    ^");
  assert.equal(marks("{a: [1, 2]}", 5), "    ^");
  assert.equal(marks("a:", 3), "  ^");
});

Deno.test("textReport() cuts a long line around the place", () => {
  const line = `{${'"a":1,'.repeat(100_000)}"b":2}`;
  const lines = report(line, { line: 1, column: 500_002 }).split("\n");
  assert.ok(lines.every((shown) => shown.length < 200), "no line of it is long");
  const marked = lines.findIndex((shown) => shown.includes("^^^"));
  const column = lines[marked]?.indexOf("^") ?? 0;
  assert.equal(lines[marked - 1]?.slice(column, column + 3), line.slice(500_001, 500_004));
});

Deno.test("textReport() escapes control characters", () => {
  const shown = report("a: \u001b[31mred\u0007\u202e", { line: 1, column: 1, message: "\u001b[2J" });
  assert.doesNotMatch(shown, /[^\P{Cc}\n]|\u202e/u);
  assert.match(shown, /a: \ufffd\[31mred\ufffd\ufffd/);
});

Deno.test("textReport() counts two columns for East Asian characters and emoji", () => {
  assert.match(report("猫: 🐈 x", { line: 1, column: 7 }), /\| {8}\^\n/);
});

Deno.test("textReport() takes a tab as one column", () => {
  assert.match(report("a:\tb", { line: 1, column: 4 }), /> 1 \| a: b\n {4}\| {4}\^\n/);
});

Deno.test("textReport() uses colours when it may", () => {
  assert.ok(report("a", { line: 1, column: 1 }, true).includes("\u001b[31merror\u001b[39m"));
  assert.ok(!report("a", { line: 1, column: 1 }).includes("\u001b"));
});

Deno.test("textReport() does without a text that isn't known", () => {
  const options = { color: false, nameOf: (uri: string) => uri, textOf: () => undefined };
  assert.equal(
    textReport([PROBLEM], options),
    "file:///pets.yaml:3:3 error unknown-field: There is no such field.\n\n",
  );
});

Deno.test("textReport() names the files that a message names as a person does", () => {
  assert.match(
    report("a", { message: "It leads nowhere: file:///parts/a.yaml: there is no such file." }),
    /nowhere: parts\/a\.yaml: there/,
  );
});

Deno.test("githubReport() escapes characters that would end a command", () => {
  const report = githubReport(
    [{ ...PROBLEM, severity: "warning", message: "100 %\nof it" }],
    () => "a,b:c.yaml",
  );
  assert.equal(
    report,
    "::warning file=a%2Cb%3Ac.yaml,line=3,col=3,title=unknown-field::100 %25%0Aof it\n",
  );
});

Deno.test("jsonReport() is the problems as they are", () => {
  assert.deepEqual(JSON.parse(jsonReport([PROBLEM])), [PROBLEM]);
});

Deno.test("summary() counts errors and warnings", () => {
  const warning: Diagnostic = { ...PROBLEM, severity: "warning" };
  assert.equal(summary([], ["a.yaml"]), "Nothing is wrong in a.yaml.\n");
  assert.equal(summary([PROBLEM], ["a.yaml"]), "1 error in a.yaml.\n");
  assert.equal(
    summary([PROBLEM, PROBLEM, warning], ["a.yaml", "b.yaml"]),
    "2 errors and 1 warning in a.yaml, b.yaml.\n",
  );
  assert.equal(summary([PROBLEM], ["a.yaml", "b.yaml", "c.yaml", "d.yaml"]), "1 error in 4 definitions.\n");
});
