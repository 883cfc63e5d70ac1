/**
 * Rules of markdown-it for the website.
 *
 * @module
 */

/** What the rules read and write of a token of markdown-it. */
interface Token {
  readonly type: string;
  readonly content: string;
  readonly children: readonly Token[] | null;
  info: string;
  attrSet(name: string, value: string): void;
}

/** The tokens of a Markdown file. */
interface State {
  readonly tokens: readonly Token[];
}

/**
 * Adds the heading of its column to each cell of a table as `data-label`, since on a narrow screen the cells are shown
 * below each other. Cells of the first column get none: they are shown as headings.
 */
export function labelCells({ tokens }: State): void {
  let heads: string[] = [];
  let column = 0;
  tokens.forEach((token, index) => {
    switch (token.type) {
      case "table_open":
        heads = [];
        break;
      case "tr_open":
        column = 0;
        break;
      case "th_open":
        heads.push(textOf(tokens[index + 1]));
        break;
      case "td_open": {
        const label = heads[column++] ?? "";
        if (label !== "" && column > 1) token.attrSet("data-label", label);
        break;
      }
    }
  });
}

/** The text of a heading or cell, without formatting. */
function textOf(inline: Token | undefined): string {
  return (inline?.children ?? []).filter(({ type }) => type === "text" || type === "code_inline")
    .map(({ content }) => content).join("");
}

/** Gives code blocks without a language that begin with a prompt the language of terminal sessions. */
export function nameSessions({ tokens }: State): void {
  for (const token of tokens) {
    if (token.type === "fence" && token.info === "" && token.content.startsWith("$ ")) token.info = "shell-session";
  }
}
