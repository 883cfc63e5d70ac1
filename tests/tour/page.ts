/**
 * Reads a page of the documentation as the steps that a reader would take.
 *
 * A comment above a block decides what the block is, where its text doesn't:
 *
 * - `<!-- file: pets.json -->`: a file of the page's folder. Without the comment: a first line `# pets.yaml` or
 *   `// server.ts`.
 * - `<!-- log -->`: lines that the running server logs. Times and durations are not compared.
 * - `<!-- run by: tests/tour/report_test.ts -->`: that test reads the page and runs the block.
 * - `<!-- not run: why -->`: nothing runs it.
 *
 * @module
 */
import { type Exchange, exchangesOf } from "./exchanges.ts";

/** A block of a page, by the way to run it. */
export type Step =
  & { line: number }
  & (
    | { kind: "file"; name: string; text: string }
    | { kind: "exchanges"; exchanges: Exchange[] }
    | { kind: "script"; text: string }
    | { kind: "program"; language: string; text: string }
    | { kind: "definition"; text: string }
    | { kind: "log"; lines: string[] }
    | { kind: "elsewhere"; test: string }
    | { kind: "not run"; reason: string }
  );

export interface Page {
  steps: Step[];
  /** The blocks that nothing runs, with their lines and advice. */
  problems: string[];
}

interface Block {
  line: number;
  language: string;
  text: string;
  /** The HTML comment above the block; empty without one. */
  marker: string;
}

/** Parses a page of Markdown. */
export function readPage(markdown: string): Page {
  const blocks = blocksOf(markdown);
  const problems: string[] = [];
  const steps = blocks.flatMap((block): Step[] => {
    const step = stepOf(block);
    if (typeof step === "string") problems.push(`line ${block.line}: ${step}`);
    return typeof step === "string" ? [] : [{ ...step, line: block.line }];
  });
  for (const step of steps) {
    if (step.kind !== "file") continue;
    const isUsed = blocks.some(({ line, text }) => line !== step.line && text.includes(step.name));
    if (!isUsed) problems.push(`line ${step.line}: No other block of the page uses the file ${step.name}.`);
  }
  return { steps, problems };
}

type Unplaced<T> = T extends unknown ? Omit<T, "line"> : never;

/** @returns The step; or why the block is none, with advice. */
function stepOf({ language, text, marker }: Block): Unplaced<Step> | string {
  const [, kind = "", rest = ""] = /^<!-- (file|log|run by|not run)(?:: (.*?))? -->$/.exec(marker) ?? [];
  if (kind === "log") return { kind: "log", lines: text.trimEnd().split("\n") };
  if (kind === "run by") return { kind: "elsewhere", test: rest };
  if (kind === "not run") {
    return rest.split(" ").length > 2
      ? { kind: "not run", reason: rest }
      : "Say in a sentence why the block isn't run.";
  }
  const name = kind === "file" ? rest : /^(?:#|\/\/) ([\w./-]+\.\w+)\n/.exec(text)?.[1];
  if (name !== undefined) return { kind: "file", name, text };
  if (language === "" && /^(\$ |\^C\n)/.test(text)) return { kind: "exchanges", exchanges: exchangesOf(text) };
  if (language === "sh") return { kind: "script", text };
  if (["ts", "js"].includes(language)) return { kind: "program", language, text };
  if (["yaml", "json"].includes(language) && /^\W*(openapi|swagger)\b/m.test(text)) return { kind: "definition", text };
  return "Nothing runs the block. Make it an exchange (`$ command` and its output), a file (first line `# name.yaml`), " +
    "or a script (```sh), or put `<!-- run by: tests/… -->` or `<!-- not run: why -->` above it.";
}

/** The fenced code blocks of a Markdown text, including those in lists. */
function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  let open: { indent: string; fence: string; block: Block } | undefined;
  let above = "";
  for (const [index, line] of markdown.split("\n").entries()) {
    if (open !== undefined) {
      if (line.trim() === open.fence) {
        blocks.push(open.block);
        open = undefined;
        above = "";
      } else open.block.text += `${line.startsWith(open.indent) ? line.slice(open.indent.length) : line}\n`;
      continue;
    }
    const [, indent = "", fence, language = ""] = /^( *)(`{3,}|~{3,})\s*(\w*)/.exec(line) ?? [];
    if (fence !== undefined) open = { indent, fence, block: { line: index + 1, language, text: "", marker: above } };
    else if (line.trim() !== "") above = line.trim();
  }
  if (open !== undefined) throw new Error(`The block at line ${open.block.line} has no end.`);
  return blocks;
}
