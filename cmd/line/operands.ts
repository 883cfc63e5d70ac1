import { join } from "node:path";
import { shellWord } from "../../lib/http/message.ts";
import { findDefinitions, isFolder } from "../io/files/folder_definitions.ts";
import { isRemote, STDIN, toUri } from "../io/files/location.ts";

/** The definitions that a command line names, or the message that it names none or several. */
export type DefinitionOperands =
  | { kind: "named"; definitions: string[] }
  | { kind: "mistake"; message: string };

/** The most definitions that a message names. */
const MOST_NAMED = 10;

/**
 * The definitions that a command line names: files, URLs, and `-` for standard input. A folder stands for the
 * definition in it, and must contain exactly one. Without operands, the working directory is that folder.
 *
 * @param overlays The overlays of the command line. `-` may stand for standard input once, as an overlay or as a
 * definition.
 * @param call The command for a message: `gw mock`.
 */
export async function definitionsOf(
  operands: readonly string[],
  overlays: readonly string[],
  call: string,
): Promise<DefinitionOperands> {
  if ([...operands, ...overlays].filter((operand) => operand === STDIN).length > 1) {
    return { kind: "mistake", message: "Standard input (-) can be read only once." };
  }
  // A shell makes an empty operand of an unset variable: gw mock "$API".
  if (operands.includes("")) return { kind: "mistake", message: "Which definition? The name of one is empty." };
  if (operands.length === 0) return await definitionIn(".", call);
  const definitions: string[] = [];
  for (const operand of operands) {
    const isFile = operand === STDIN || isRemote(toUri(operand)) || !await isFolder(operand);
    const found: DefinitionOperands = isFile
      ? { kind: "named", definitions: [operand] }
      : await definitionIn(operand, call);
    if (found.kind === "mistake") return found;
    definitions.push(...found.definitions);
  }
  return { kind: "named", definitions };
}

async function definitionIn(folder: string, call: string): Promise<DefinitionOperands> {
  const { names, isPartial } = await findDefinitions(folder);
  const paths = names.map((name) => join(folder, name));
  const [first] = paths;
  if (first !== undefined && paths.length === 1 && !isPartial) return { kind: "named", definitions: paths };
  const place = folder === "." ? "this folder" : folder;
  return {
    kind: "mistake",
    message: `Which definition? ${folderContents(place, paths, isPartial, call)}`,
  };
}

/** The message that a folder contains no definition or several, with what to type. */
function folderContents(place: string, paths: readonly string[], isPartial: boolean, call: string): string {
  const [first] = paths;
  if (first !== undefined && paths.length === 1) {
    const found = `There are too many files in ${place} to look at all; ${first} is one.`;
    return `${found} Name it: ${call} ${shellWord(first)}`;
  }
  if (first !== undefined) {
    const rest = paths.length > MOST_NAMED || isPartial ? ", …" : "";
    const named = paths.slice(0, MOST_NAMED).join(", ");
    return `There are several in ${place}: ${named}${rest}. Name one: ${call} ${shellWord(first)}`;
  }
  const ask = "Name a file, a URL, or - for standard input.";
  return isPartial
    ? `${ask} There are too many files in ${place} to look for one.`
    : `${ask} There is none in ${place}; gw init writes a sample.`;
}
