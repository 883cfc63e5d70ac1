/**
 * Reads the definitions of a command line, with progress on a terminal.
 *
 * @module
 */
import { writeLine } from "../io/terminal/terminal.ts";
import { messageOf } from "../../lib/http/message.ts";
import { createRedactor } from "../../lib/observe/secrets/redactor.ts";
import { type Definition, type DefinitionOptions, readDefinition } from "../io/files/definition.ts";
import { isRemote, STDIN, toUri } from "../io/files/location.ts";
import { nearestFile } from "../io/files/nearest_file.ts";
import { OverlayFiles, unreadableOperand } from "../io/files/overlay_files.ts";
import { Progress } from "../io/terminal/progress.ts";
import { createReferencePolicy } from "../io/files/reference_policy.ts";
import { unreadable } from "../mock/messages.ts";
import type { Platform } from "./platform.ts";

/**
 * How a command reads its definitions.
 *
 * @param operands All definitions of the command line.
 */
export function readingOf(
  operands: readonly string[],
  settings: { readonly overlay: readonly string[]; readonly "allow-remote-refs": boolean },
  { readStdin }: Pick<Platform, "readStdin">,
): DefinitionOptions & { readonly overlays: OverlayFiles } {
  const references = createReferencePolicy({ operands, allowRemoteRefs: settings["allow-remote-refs"] });
  return { readStdin, references, overlays: new OverlayFiles(settings.overlay, operands, readStdin, references) };
}

/**
 * Reads definitions one after the other. Prints a message for each that can't be read.
 *
 * @returns The definitions that could be read, in the order of the operands.
 */
export async function readOperands(
  operands: readonly string[],
  options: DefinitionOptions,
  platform: Platform,
): Promise<Definition[]> {
  await using progress = new Progress(platform);
  const definitions: Definition[] = [];
  for (const operand of operands) {
    showOperand("Reading", operand, operands, progress);
    const definition = await readOperand(operand, options, platform, progress);
    if (definition !== undefined) definitions.push(definition);
  }
  return definitions;
}

/** Reads a definition. Prints a message and returns `undefined` if it can't be read. */
export async function readOperand(
  operand: string,
  options: DefinitionOptions,
  platform: Platform,
  progress: Progress,
): Promise<Definition | undefined> {
  try {
    return await readDefinition(operand, options);
  } catch (error) {
    await progress.erase();
    writeLine(platform.stderr, await explainUnreadable(error, operand));
    return undefined;
  }
}

/**
 * The message that a definition, or one of its overlays, can't be read.
 *
 * @param error The error of reading the definition.
 */
export async function explainUnreadable(error: unknown, definition: string): Promise<string> {
  const operand = unreadableOperand(error, definition);
  const message = unreadable(operand, messageOf(error));
  const nearest = isRemote(toUri(operand)) ? undefined : await nearestFile(operand);
  return nearest === undefined ? message : `${message} Did you mean ${nearest}?`;
}

/** Shows the progress of a command: `Checking pets.yaml (3 of 12)`. */
export function showOperand(doing: string, operand: string, operands: readonly string[], progress: Progress): void {
  // A user who types the definition on the terminal needs it without a progress line.
  if (operand === STDIN) return;
  const place = operands.length === 1 ? "" : ` (${operands.indexOf(operand) + 1} of ${operands.length})`;
  progress.update(`${doing} ${createRedactor().url(operand)}${place}`);
}
