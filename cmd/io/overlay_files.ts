import { messageOf } from "../../lib/http/message.ts";
import { type Overlay, parseOverlay } from "../../lib/openapi/overlay/read_overlay.ts";
import { resolveUri } from "../../lib/schema/uri.ts";
import { isRemote, STDIN, toUri } from "./location.ts";
import { isSameText, readText, type Text } from "./read.ts";

/** An overlay of the command line, as it was read last. */
export interface OverlayFile {
  /** The operand of the flag. */
  readonly operand: string;
  readonly overlay: Overlay;
  readonly bytes: Uint8Array;
  /** The entity tag, if it was fetched. */
  readonly etag?: string;
  /** The source was standard input or another pipe, which can't be read again. */
  readonly isPipe?: true;
}

/** Thrown when an overlay can't be read. The message is the end of a sentence for the user. */
export class UnreadableOverlay extends Error {
  override name = "UnreadableOverlay";
  /** The operand of the overlay. */
  readonly operand: string;

  constructor(operand: string, cause: unknown) {
    super(messageOf(cause), { cause });
    this.operand = operand;
  }
}

/** The operand that couldn't be read: that of an overlay, else that of the definition. */
export function unreadableOperand(error: unknown, definition: string): string {
  return error instanceof UnreadableOverlay ? error.operand : definition;
}

/** The texts to read again: files only, or fetched texts too. */
type Scope = "files" | "all";

/** The overlays of a command line. Reads each again on demand, and parses it only if its text has changed. */
export class OverlayFiles {
  readonly #operands: readonly string[];
  readonly #definitions: readonly string[];
  readonly #readStdin: () => Promise<Uint8Array>;
  readonly #known = new Map<string, OverlayFile>();
  /** Resolves when the call of `readFor` before is done. Calls take turns, as standard input can be read only once. */
  #last: Promise<unknown> = Promise.resolve();

  /**
   * @param operands The overlays, in the order in which they are applied.
   * @param definitions The definitions of the command line, one of which `extends` may name.
   */
  constructor(operands: readonly string[], definitions: readonly string[], readStdin: () => Promise<Uint8Array>) {
    this.#operands = operands;
    this.#definitions = definitions.map(toUri);
    this.#readStdin = readStdin;
  }

  /**
   * Reads the overlays that apply to a definition: those whose `extends` names it, and those whose `extends` names no
   * definition of the command line.
   *
   * @returns The same objects as before for overlays that haven't changed.
   * @throws {UnreadableOverlay}
   */
  async readFor(definition: string, scope: Scope): Promise<OverlayFile[]> {
    const reading = this.#last.then(() => Promise.all(this.#operands.map((operand) => this.#read(operand, scope))));
    this.#last = reading.catch(() => {});
    const files = await reading;
    return files.filter(({ overlay }) => {
      const target = overlay.extends === undefined ? undefined : resolveUri(overlay.extends, overlay.uri);
      return target === undefined || target === toUri(definition) || !this.#definitions.includes(target);
    });
  }

  async #read(operand: string, scope: Scope): Promise<OverlayFile> {
    const known = this.#known.get(operand);
    if (known !== undefined && (known.isPipe || (scope === "files" && isRemote(known.overlay.uri)))) return known;
    let text: Text | undefined;
    try {
      text = operand === STDIN
        ? { uri: toUri(operand), bytes: await this.#readStdin(), isPipe: true }
        : await readText(toUri(operand), known?.etag === undefined ? {} : { etag: known.etag });
    } catch (error) {
      throw new UnreadableOverlay(operand, error);
    }
    if (known !== undefined && (text === undefined || isSameText(text.bytes, known.bytes))) return known;
    if (text === undefined) throw new UnreadableOverlay(operand, "the server sent nothing");
    const file = await parse(operand, text);
    this.#known.set(operand, file);
    return file;
  }
}

async function parse(operand: string, { uri, bytes, etag, isPipe }: Text): Promise<OverlayFile> {
  return {
    operand,
    overlay: await parseOverlay(bytes, { uri }),
    bytes,
    ...(etag === undefined ? {} : { etag }),
    ...(isPipe ? { isPipe } : {}),
  };
}
