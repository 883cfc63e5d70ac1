/**
 * Renders a Markdown file of the documentation as HTML.
 *
 * @module
 */
import GithubSlugger from "github-slugger";
import MarkdownIt, { type Token } from "markdown-it";

export interface RenderedPage {
  /** The text of the first heading. */
  title: string;
  /** The HTML of the page, without head and navigation. */
  html: string;
}

/**
 * Renders a Markdown text. Headings get the ids that GitHub gives them, so that links to them work in the repository
 * and on the website.
 *
 * @param hrefOf Returns the address of a link's target on the website. It is called for each link and image.
 */
export function renderPage(markdown: string, hrefOf: (target: string) => string): RenderedPage {
  const engine = new MarkdownIt({ html: true });
  const tokens = engine.parse(markdown, {});
  const slugger = new GithubSlugger();
  let title = "";
  tokens.forEach((token, index) => {
    if (token.type !== "heading_open") return;
    const text = textOf(tokens[index + 1]);
    token.attrSet("id", slugger.slug(text));
    if (title === "") title = text;
  });
  for (const { children } of tokens) {
    for (const child of children ?? []) {
      for (const name of ["href", "src"]) {
        const target = child.attrGet(name);
        if (target !== null) child.attrSet(name, hrefOf(String(target)));
      }
    }
  }
  labelCells(tokens);
  return { title, html: engine.renderer.render(tokens, engine.options, {}) };
}

/** The text of a heading or cell, without formatting. */
function textOf(inline: Token | undefined): string {
  return (inline?.children ?? []).filter(({ type }) => type === "text" || type === "code_inline")
    .map(({ content }) => content).join("");
}

/**
 * Adds the heading of its column to each cell of a table, since on a narrow screen the cells are shown below each
 * other.
 */
function labelCells(tokens: readonly Token[]): void {
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
