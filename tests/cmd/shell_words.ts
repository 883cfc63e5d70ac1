/**
 * Splits a command line into words as a shell does. Supports only the syntax that gw's examples use: quotes, continued
 * lines; and `|`, `&`, `;`, parentheses and redirections, which become words of their own.
 */
export function shellWords(line: string): string[] {
  const words = line.match(/(?:'[^']*'|"[^"]*"|[^\s'"|&;()<>])+|[|&;()<>]+/g) ?? [];
  return words.map((word) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, "$1$2"));
}

/** The arguments of each `gw` command in a shell's command line. */
export function callsOfGw(line: string): string[][] {
  const calls: string[][] = [];
  let call: string[] | undefined;
  let isStart = true;
  for (const word of shellWords(line)) {
    if (/^[|&;()<>]+$/.test(word)) {
      isStart = !/[<>]$/.test(word);
      call = undefined;
    } else if (isStart) {
      call = word === "gw" ? [] : undefined;
      if (call !== undefined) calls.push(call);
      isStart = false;
    } else call?.push(word);
  }
  return calls;
}
