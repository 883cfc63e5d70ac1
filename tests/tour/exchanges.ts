/** A command of a terminal's exchange, and what it prints. */
export interface Exchange {
  /** As it is typed, without the prompt. */
  command: string;
  /** The lines that follow it; `…` stands for whatever there is, in a line or as a line for lines. */
  output: string[];
}

/**
 * Reads the exchanges of a section of a Markdown text: those of all its blocks that begin with a prompt.
 *
 * @param heading The section's heading, with its `#`s.
 */
export function readExchanges(markdown: string, heading: string): Exchange[] {
  const start = markdown.indexOf(`\n${heading}\n`) + 1;
  if (start === 0) throw new Error(`There is no section ${heading}.`);
  const end = markdown.indexOf("\n## ", start);
  const section = markdown.slice(start, end === -1 ? undefined : end);
  return [...section.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].flatMap(([, language, block = ""]) => {
    if (language !== "") return [];
    const exchanges: Exchange[] = [];
    for (const line of block.trimEnd().split("\n")) {
      if (line.startsWith("$ ")) exchanges.push({ command: line.slice(2), output: [] });
      else exchanges.at(-1)?.output.push(line);
    }
    return exchanges.map(({ command, output }) => ({ command, output: withoutBlankEnd(output) }));
  });
}

/** Makes the pattern of an output. */
export function patternOf(output: readonly string[]): RegExp {
  const lines = output.map((line) => line === "…" ? "(?:.*\\n)*?" : `${line.split("…").map(escape).join(".*")}\\n`);
  return new RegExp(`^${lines.join("")}$`);
}

function withoutBlankEnd(lines: string[]): string[] {
  const last = lines.findLastIndex((line) => line !== "");
  return lines.slice(0, last + 1);
}

/** Spaces that align columns count as one or more: how many depends on what stands in the columns. */
function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replace(/ {2,}/g, " +");
}
