/** A command in a terminal exchange, with its output. */
export interface Exchange {
  /** The command as typed, without the prompt. All lines but the last end in `\`. `^C` stops the running server. */
  command: string;
  /** The lines of the output. `…` stands for any text within a line, or alone for any lines. */
  output: string[];
}

/** Reads the exchanges in a block. */
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

/** Makes a pattern of an expected output. */
export function patternOf(output: readonly string[]): RegExp {
  const lines = output.map((line) => line === "…" ? "(?:.*\\n)*?" : `${line.split("…").map(escape).join(".*")}\\n`);
  return new RegExp(`^${lines.join("")}$`);
}

function withoutBlankEnd(lines: string[]): string[] {
  const last = lines.findLastIndex((line) => line !== "");
  return lines.slice(0, last + 1);
}

/** Spaces that align columns match one or more spaces, since their number depends on the contents. */
function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replace(/ {2,}/g, " +");
}
