import { writeReasonOf } from "./read.ts";
import { checkReplaceable, replaceFile } from "./replace_file.ts";

/** The mode of the file: other users of the machine can't read it. */
const PRIVATE = 0o600;
/** The size of the largest file that may have a URL. */
const MOST_BYTES = 1024;

/** The file of `--url-file`, which tells other programs the URL of a server that listens. */
export class UrlFile {
  readonly #path: string;
  #text = "";

  private constructor(path: string) {
    this.#path = path;
  }

  /**
   * Removes the file of an earlier server, so that nobody takes its URL for that of the server that starts. The new file
   * thus gets the mode of a private file.
   *
   * @throws {Error} If the file can't be replaced, or has something else than a URL. The message is a sentence.
   */
  static async create(path: string): Promise<UrlFile> {
    try {
      const { size, isFile } = await Deno.stat(path);
      const text = isFile && size <= MOST_BYTES ? await Deno.readTextFile(path) : undefined;
      if (text === undefined || !/^(?:https?:\S+\n)?$/.test(text)) {
        throw new Error("it is there already, and has something else than a URL");
      }
      await Deno.remove(path);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw cannotWrite(path, error);
    }
    try {
      await checkReplaceable(path);
    } catch (error) {
      throw cannotWrite(path, error);
    }
    return new UrlFile(path);
  }

  /**
   * Writes the URL and a line feed. A reader sees the whole URL, or no file.
   *
   * @throws {Error} If the file can't be written. The message is a sentence.
   */
  async write(url: string): Promise<void> {
    this.#text = `${url}\n`;
    try {
      await replaceFile(this.#path, this.#text, PRIVATE);
    } catch (error) {
      throw cannotWrite(this.#path, error);
    }
  }

  /** Removes the file, unless another server has written its own URL meanwhile. */
  async remove(): Promise<void> {
    const text = await Deno.readTextFile(this.#path).catch(() => undefined);
    if (text === this.#text) await Deno.remove(this.#path).catch(() => {});
  }
}

function cannotWrite(path: string, error: unknown): Error {
  return new Error(`Cannot write the URL to ${path}: ${writeReasonOf(error)}.`, { cause: error });
}
