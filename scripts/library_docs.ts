/**
 * Generates the reference part of docs/library.md from the doc comments of mod.ts, for `deno task docs`. The rest of
 * the page is written by hand.
 *
 * @module
 */
import {
  type Callable,
  type Declaration,
  type Definition,
  type Documented,
  type Method,
  type Property,
  readDeclarations,
  type Tag,
  type Type,
} from "./library_docs/deno_doc.ts";
import { namesIn, propertyText, signatureText, typesOfParameters, typeText } from "./library_docs/type_text.ts";

export const LIBRARY_PAGE = new URL("../docs/library.md", import.meta.url);

const MODULE = new URL("../mod.ts", import.meta.url);

const START = "<!-- reference: the doc comments of mod.ts -->\n";
const END = "<!-- end of reference -->";

/** The text of docs/library.md with a generated reference, before formatting. */
export async function libraryPage(): Promise<string> {
  const text = await Deno.readTextFile(LIBRARY_PAGE);
  const [head, tail] = [text.indexOf(START), text.indexOf(END)];
  if (head < 0 || tail < head) throw new Error(`docs/library.md lacks the comments ${START.trim()} and ${END}.`);
  return `${text.slice(0, head)}${START}\n${referenceOf(await readDeclarations(MODULE))}\n${text.slice(tail)}`;
}

function referenceOf(declarations: readonly Declaration[]): string {
  const write = createWriter(declarations);
  const sections = (kinds: readonly Declaration["kind"][]): string =>
    declarations.filter(({ kind }) => kinds.includes(kind)).map(write).join("\n");
  return [
    `## Functions\n\n${sections(["function"])}`,
    `## Classes\n\n${sections(["class"])}`,
    `## Types\n\n${sections(["interface", "typeAlias"])}`,
  ].join("\n");
}

function createWriter(declarations: readonly Declaration[]): (declaration: Declaration) => string {
  const names = new Set(declarations.map(({ name }) => name));
  const values = declarations.filter(({ kind }) => kind === "function" || kind === "class").map(({ name }) => name)
    .sort();

  return (declaration) => {
    const { name, kind, def } = declaration;
    const parts = [`### ${name}`, ...headOf(declaration), prose(declaration)];
    if (kind === "function") parts.push(listOf(notesOf(declaration)), ...examplesOf(declaration));
    const members = [
      ...(def.callSignatures ?? []).map((signature) => memberOf(signatureText("", signature), signature, signature)),
      ...(def.properties ?? []).filter(isPublic).map(propertyOf),
      ...(def.methods ?? []).filter((method) => isPublic(method) && method.kind !== "setter").map(methodOf),
    ];
    return `${[...parts, members.join("\n")].filter((part) => part !== "").join("\n\n")}\n`;
    function headOf({ def }: Declaration): string[] {
      if (kind === "function") return [code(signatureText(name, def)) + linksTo(typesOf(def))];
      if (def.tsType !== undefined) {
        return [code(`type ${name}${parametersOf(def)} = ${typeText(def.tsType)}`) + linksTo([def.tsType])];
      }
      const supertypes = supertypesOf(def);
      return supertypes.length === 0 ? [] : [`Extends ${supertypes.map(linked).join(", ")}.`];
    }
  };

  function propertyOf(property: Property): string {
    return memberOf(propertyText(property), property, { params: [], ...typeOf(property.tsType) });
  }

  function methodOf(method: Method): string {
    const callable = method.functionDef ?? method;
    if (method.kind === "getter") {
      return propertyOf({ ...method, ...propertyType(callable.returnType), readonly: true });
    }
    return memberOf(signatureText(method.name, callable), method, callable);
  }

  function memberOf(text: string, member: Documented, callable: Callable): string {
    const sentence = prose(member);
    const item = `- ${code(text)}${linksTo(typesOf(callable))}${sentence === "" ? "" : `: ${sentence}`}`;
    const rest = [listOf(notesOf(member)), ...examplesOf(member)].filter((part) => part !== "");
    return [indented(item, "  ").trimStart(), ...rest.map((part) => indented(`\n${part}`, "  "))].join("\n");
  }

  function notesOf(documented: Documented): string[] {
    return tagsOf(documented).flatMap((tag) => {
      const text = inProse(tag.doc ?? "");
      if (tag.kind === "param") return [`${code(tag.name ?? "")}: ${text}`];
      if (tag.kind === "return") return [`Returns: ${text}`];
      return tag.kind === "throws" && tag.tsType !== undefined ? [`Throws ${code(typeText(tag.tsType))}: ${text}`] : [];
    });
  }

  /** The examples of a doc comment, with imports as a user of the package writes them. */
  function examplesOf(documented: Documented): string[] {
    return tagsOf(documented).filter(({ kind }) => kind === "example").map(({ doc = "" }) => {
      const [, title = "", text = ""] = /^(.*?)\s*```ts\n(.*)```/s.exec(doc) ?? [];
      const own = text.replaceAll(/^import (?!type).* from "\.{1,2}\/.*\n/gm, "");
      const imported = values.filter((name) => new RegExp(`\\b${name}\\b`).test(own));
      const program = own.replace(
        /^((?:import .*\n)*)/,
        (imports) => `${imports}import { ${imported.join(", ")} } from "openapi-gw";\n`,
      );
      return `${title === "" ? "" : `${title}:\n\n`}\`\`\`ts\n${program}\`\`\``;
    });
  }

  function prose({ jsDoc }: Documented): string {
    return inProse(jsDoc?.doc ?? "");
  }

  /** Converts the `{@link}` tags in a doc comment's text to Markdown links. */
  function inProse(text: string): string {
    return text.trim()
      .replaceAll(/\{@link (https?:\S+) (.*?)\}/g, "[$2]($1)")
      .replaceAll(/\{@link(?:code)? (\w+)\}/g, (_, name: string) => linked(name));
  }

  function linksTo(types: readonly (Type | undefined)[]): string {
    const links = namesIn(types).filter((name) => names.has(name)).map(linked);
    return links.length === 0 ? "" : ` (${links.join(", ")})`;
  }

  function linked(name: string): string {
    return names.has(name) ? `[${name}](#${name.toLowerCase()})` : code(name);
  }
}

function tagsOf({ jsDoc }: Documented): readonly Tag[] {
  return jsDoc?.tags ?? [];
}

function isPublic(documented: Documented): boolean {
  return !tagsOf(documented).some(({ kind }) => kind === "internal");
}

function typesOf({ params = [], returnType }: Callable): (Type | undefined)[] {
  return [...typesOfParameters(params), returnType];
}

function typeOf(returnType: Type | undefined): Callable {
  return returnType === undefined ? {} : { returnType };
}

function propertyType(tsType: Type | undefined): { tsType?: Type } {
  return tsType === undefined ? {} : { tsType };
}

function supertypesOf(def: Definition): string[] {
  if (def.extends === undefined) return [];
  return typeof def.extends === "string" ? [def.extends] : namesIn(def.extends);
}

function parametersOf({ typeParams = [] }: Definition): string {
  return typeParams.length === 0 ? "" : `<${typeParams.map(({ name }) => name).join(", ")}>`;
}

function listOf(items: readonly string[]): string {
  return items.map((item) => `- ${indented(item, "  ").trimStart()}`).join("\n");
}

function indented(text: string, indent: string): string {
  return text.replaceAll(/^(?=.)/gm, indent);
}

function code(text: string): string {
  return `\`${text}\``;
}
