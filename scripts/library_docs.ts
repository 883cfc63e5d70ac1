/**
 * Generates the list of exports in docs/library.md from the doc comments of mod.ts, for `deno task docs`. The rest of
 * the page is written by hand; editors, `deno doc` and the site show the comments whole.
 *
 * @module
 */

export const LIBRARY_PAGE = new URL("../docs/library.md", import.meta.url);

const MODULE = new URL("../mod.ts", import.meta.url);

const START = "<!-- exports: the doc comments of mod.ts -->\n";
const END = "<!-- end of exports -->";

/** The text of docs/library.md with a generated list of exports, before formatting. */
export async function libraryPage(): Promise<string> {
  const text = await Deno.readTextFile(LIBRARY_PAGE);
  const [head, tail] = [text.indexOf(START), text.indexOf(END)];
  if (head < 0 || tail < head) throw new Error(`docs/library.md lacks the comments ${START.trim()} and ${END}.`);
  return `${text.slice(0, head)}${START}\n${listOf(await readDeclarations())}\n\n${text.slice(tail)}`;
}

/** A declaration in the output of `deno doc --json`, version 2 of its format. */
interface Declaration {
  name: string;
  kind: "function" | "class" | "interface" | "typeAlias";
  jsDoc?: { doc?: string };
}

async function readDeclarations(): Promise<Declaration[]> {
  const args = ["doc", "--json", MODULE.pathname];
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const { version, nodes }: Output = JSON.parse(new TextDecoder().decode(stdout));
  if (version !== 2) throw new Error(`deno doc --json has version ${version} instead of 2.`);
  return Object.values(nodes).flatMap(({ symbols }) =>
    symbols.flatMap(({ name, declarations }) => declarations.map((declaration) => ({ ...declaration, name })))
  );
}

interface Output {
  version: number;
  nodes: Record<string, { symbols: { name: string; declarations: Omit<Declaration, "name">[] }[] }>;
}

/** What can be called, with a line each, and the names of the types. */
function listOf(declarations: readonly Declaration[]): string {
  const values = declarations.filter(({ kind }) => kind === "function" || kind === "class");
  const types = declarations.filter((declaration) => !values.includes(declaration));
  const lines = values.map(({ name, kind, jsDoc }) =>
    `| \`${name}${kind === "function" ? "()" : ""}\` | ${firstSentence(jsDoc?.doc ?? "")} |`
  );
  const names = types.map(({ name }) => `\`${name}\``).join(", ");
  return ["| export | |", "| --- | --- |", ...lines].join("\n") + `\n\nTypes: ${names}.`;
}

function firstSentence(doc: string): string {
  const [sentence = ""] = /^[^]*?(?:[.:](?=\s|$)|$)/.exec(doc) ?? [];
  return sentence.replaceAll(/\s+/g, " ").replaceAll(/\{@link(?:code)? (\w+)\}/g, "`$1`").replace(/:$/, ".");
}
