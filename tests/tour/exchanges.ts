/** A command of a terminal's exchange, and what it prints. */
export interface Exchange {
  /** As it is typed, without the prompt. Its lines end in `\`, but for the last. `^C` stops the running server. */
  command: string;
  /** The lines that follow it; `…` stands for any text, in a line or as a line for lines. */
  output: string[];
}

/** Reads the exchanges of a block. */
export function exchangesOf(block: string): Exchange[] {
  const exchanges: Exchange[] = [];
  for (const line of block.trimEnd().split("\n")) {
    const last = exchanges.at(-1);
    if (line === "^C") exchanges.push({ command: line, output: [] });
    else if (line.startsWith("$ ")) exchanges.push({ command: line.slice(2), output: [] });
    else if (last?.command.endsWith("\\") && last.output.length === 0) last.command += `\n${line}`;
    else last?.output.push(line);
  }
  return exchanges.map(({ command, output }) => ({ command, output: withoutBlankEnd(output) }));
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
