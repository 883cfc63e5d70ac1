/** A command and its output, as a page shows them. */
export interface Exchange {
  /** The command without the prompt. Each of its lines but the last ends in `\`. `^C` stops the running server. */
  command: string;
  /** The lines of the expected output. `…` stands for any text within a line; on a line of its own, for any lines. */
  output: string[];
}

/** Parses the commands and outputs in a block. */
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

/** Makes a regular expression that matches the expected output. */
export function patternOf(output: readonly string[]): RegExp {
  const lines = output.map((line) => line === "…" ? "(?:.*\\n)*?" : `${line.split("…").map(escape).join(".*")}\\n`);
  return new RegExp(`^${lines.join("")}$`);
}

function withoutBlankEnd(lines: string[]): string[] {
  const last = lines.findLastIndex((line) => line !== "");
  return lines.slice(0, last + 1);
}

/** Escapes a text for a regular expression. Several spaces, which align columns, match any number of spaces. */
function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replace(/ {2,}/g, " +");
}
