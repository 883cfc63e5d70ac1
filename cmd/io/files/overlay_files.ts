import { messageOf } from "../../../lib/http/message.ts";
import { parseOverlay } from "../../../lib/openapi/overlay/parse_overlay.ts";
import type { Overlay } from "../../../lib/openapi/overlay/read_overlay.ts";
import type { ReferencePolicy } from "../../../lib/openapi/reference_policy.ts";
import { resolveUri } from "../../../lib/schema/json/uri.ts";
import { isRemote, STDIN, toUri } from "./location.ts";
import { isSameText, readText, type TextFile } from "./read.ts";

/** An overlay that the command line names, as it was when last read. */
export interface OverlayFile {
  /** The value of `--overlay`: a path, a URL, or `-`. */
  readonly operand: string;
  readonly overlay: Overlay;
  readonly bytes: Uint8Array;
  /** The entity tag, if the overlay was fetched. */
  readonly etag?: string;
  /** The source was standard input or another pipe, which can't be read again. */
  readonly isPipe?: true;
}

/** Thrown if an overlay can't be read. The message is the second half of a sentence for the user. */
export class UnreadableOverlay extends Error {
  override name = "UnreadableOverlay";
  /** The value of `--overlay` that names the overlay. */
  readonly operand: string;

  constructor(operand: string, cause: unknown) {
    super(messageOf(cause), { cause });
    this.operand = operand;
  }
}

/** The operand that an error of reading is about: an overlay, else the definition. */
export function unreadableOperand(error: unknown, definition: string): string {
  return error instanceof UnreadableOverlay ? error.operand : definition;
}

/** Which texts to read again: files only, or fetched texts too. */
type Scope = "files" | "all";

/**
 * The overlays that the command line names. Each is read again on demand, and parsed again only if its text has
 * changed.
 */
export class OverlayFiles {
  readonly #operands: readonly string[];
  readonly #definitions: readonly string[];
  readonly #readStdin: () => Promise<Uint8Array>;
  readonly #policy: ReferencePolicy | undefined;
  readonly #known = new Map<string, OverlayFile>();
  /**
   * Resolves when all earlier calls of `readFor` are done. Calls run one after the other, since standard input can be
   * read only once.
   */
  #last: Promise<unknown> = Promise.resolve();

  /**
   * @param operands The overlays, in the order in which they are applied.
   * @param definitions The definitions of the command line. An overlay whose `extends` names one of them applies only
   * to that.
   * @param policy Decides which redirects are followed. Default: as without flags.
   */
  constructor(
    operands: readonly string[],
    definitions: readonly string[],
    readStdin: () => Promise<Uint8Array>,
    policy?: ReferencePolicy,
  ) {
    this.#operands = operands;
    this.#definitions = definitions.map(toUri);
    this.#readStdin = readStdin;
    this.#policy = policy;
  }

  /**
   * Reads the overlays that apply to a definition. An overlay applies if its `extends` names this definition, or none
   * of the command line.
   *
   * @returns The same object as before for an overlay that hasn't changed.
   * @throws {UnreadableOverlay} If an overlay can't be read.
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
    let text: TextFile | undefined;
    try {
      text = operand === STDIN
        ? { uri: toUri(operand), bytes: await this.#readStdin(), isPipe: true }
        : await readText(toUri(operand), { policy: this.#policy, etag: known?.etag });
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

async function parse(operand: string, { uri, bytes, etag, isPipe }: TextFile): Promise<OverlayFile> {
  return {
    operand,
    overlay: await parseOverlay(bytes, { uri }),
    bytes,
    ...(etag === undefined ? {} : { etag }),
    ...(isPipe ? { isPipe } : {}),
  };
}
