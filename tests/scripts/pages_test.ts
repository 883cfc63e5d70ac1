import assert from "node:assert/strict";
import { stepsOf } from "../package/recipe.ts";
import { readPage } from "../tour/page.ts";
import { listPages, readRepositoryFile } from "../tour/pages.ts";
import { SETUPS } from "../tour/setups.ts";

/** Matches tests that take all files which a page marks for them, by whatever name. */
const TAKES_ALL_FILES = /\b(?:runPage|exampleFolder|blocksOf)\(/;

for (const path of listPages()) {
  Deno.test(`each block of ${path} is run, or says why not`, () => {
    const { steps, problems } = readPage(readRepositoryFile(path));
    assert.deepEqual(problems, []);
    for (const step of steps) {
      if (step.kind !== "elsewhere") continue;
      const names = path.split("/").at(-1) ?? "";
      const test = readRepositoryFile(step.test);
      assert.ok(test.includes(names), `line ${step.line}: ${step.test} doesn't read ${path}.`);
      const block = stepsOf(path, step.test).find(({ line }) => line === step.line);
      if (block?.kind !== "file" || TAKES_ALL_FILES.test(test)) continue;
      assert.ok(test.includes(block.name), `line ${step.line}: ${step.test} doesn't use ${block.name}.`);
    }
  });
}

Deno.test("README.md has at most 200 lines", () => {
  assert.ok(readRepositoryFile("README.md").trimEnd().split("\n").length <= 200);
});

Deno.test("README.md has at most 650 words of prose, so that it is read in two minutes", () => {
  const prose = readRepositoryFile("README.md")
    .replaceAll(/^```[^]*?^```$/gm, "")
    .replaceAll(/<!--.*?-->|\]\([^)]*\)/g, "");
  assert.ok((prose.match(/[a-z][\w'-]*/gi) ?? []).length <= 650);
});

const FOR_MAINTAINERS = ["CONTRIBUTING.md", "AGENTS.md", "tests/README.md", "tests/cluster/README.md"];

for (const path of [...listPages(), ...FOR_MAINTAINERS, "CHANGELOG.md"]) {
  Deno.test(`the links of ${path} lead to files and headings`, () => {
    assert.deepEqual(brokenLinks(path), []);
  });
}

Deno.test("CONTRIBUTING.md has at most 1,500 words, in lines of at most 120 columns", () => {
  const text = readRepositoryFile("CONTRIBUTING.md");
  assert.ok(text.split(/\s+/).length <= 1500);
  assert.deepEqual(text.split("\n").filter((line) => line.length > 120), []);
});

Deno.test("the files and folders that CONTRIBUTING.md names exist", () => {
  const named = readRepositoryFile("CONTRIBUTING.md").matchAll(
    /`((?:cmd|lib|tests|scripts|packages|adapters)\/[^`]*)`/g,
  );
  const missing = [...named].flatMap(([, path = ""]) => {
    try {
      Deno.statSync(new URL(`../../${path}`, import.meta.url));
      return [];
    } catch {
      return [path];
    }
  });
  assert.deepEqual(missing, []);
});

/** The links of a page whose file or heading doesn't exist. */
function brokenLinks(path: string): string[] {
  const folder = new URL(path, "file:///");
  const text = readRepositoryFile(path).replaceAll(/^```[^]*?^```$/gm, "");
  return [...text.matchAll(/\]\(((?!https?:)[^)\s]+)\)/g)].flatMap(([, link = ""]) => {
    const { pathname, hash } = new URL(link, folder);
    try {
      const target = readRepositoryFile(pathname.slice(1));
      return hash === "" || anchorsOf(target).has(hash.slice(1)) ? [] : [link];
    } catch {
      return [link];
    }
  });
}

/** The anchors that GitHub gives to the headings of a page. */
function anchorsOf(markdown: string): Set<string> {
  const headings = markdown.replaceAll(/^```[^]*?^```$/gm, "").matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, title = ""]) =>
      title.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-")
    ),
  );
}

Deno.test("pages that need something exist", () => {
  assert.deepEqual(Object.keys(SETUPS).filter((path) => !listPages().includes(path)), []);
});

const BROKEN: { given: string; want: RegExp }[] = [
  { given: "```\nno command\n```", want: /^line 1: Nothing runs the block/ },
  { given: "- list\n\n  ```\n  text\n  ```", want: /^line 3: Nothing runs the block/ },
  { given: "```yaml\nname: value\n```", want: /^line 1: Nothing runs the block/ },
  { given: "```yaml\n# pets.yaml\nopenapi: 3.1.0\n```", want: /^line 1: No other block of the page uses the file/ },
  { given: "<!-- not run: slow -->\n\n```sh\nsleep 9\n```", want: /^line 3: Say in a sentence why/ },
];

for (const { given, want } of BROKEN) {
  Deno.test(`a block that nobody runs is a problem: ${JSON.stringify(given)}`, () => {
    const { problems } = readPage(given);
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? "", want);
  });
}

const PLACED: { given: string; want: string }[] = [
  { given: "```\n$ echo 1\n1\n```", want: "exchanges" },
  { given: "```sh\necho 1\n```", want: "script" },
  { given: "```ts\nlet a;\n```", want: "program" },
  { given: "```yaml\nopenapi: 3.1.0\n```", want: "definition" },
  { given: "<!-- log -->\n\n```\nGET /\n```", want: "log" },
  { given: "<!-- not run: it needs a cluster -->\n\n```sh\nkubectl get ns\n```", want: "not run" },
  { given: "<!-- run by: tests/a_test.ts -->\n\n```sh\nrun\n```", want: "elsewhere" },
];

for (const { given, want } of PLACED) {
  Deno.test(`a block is taken for ${want}: ${JSON.stringify(given)}`, () => {
    const { steps, problems } = readPage(given);
    assert.deepEqual([steps.map(({ kind }) => kind), problems], [[want], []]);
  });
}
