/** A version of macOS. */
export interface MacOs {
  major: number;
  minor: number;
}

/** The first word of a 64-bit Mach-O file in little-endian order. */
const MAGIC = 0xfeedfacf;
const HEADER_LENGTH = 32;

/** Load commands that state the oldest version of macOS, with the offset of that version in the command. */
const VERSIONS: ReadonlyMap<number, number> = new Map([
  [0x24, 8], // LC_VERSION_MIN_MACOSX
  [0x32, 12], // LC_BUILD_VERSION
]);

/**
 * Finds the oldest version of macOS that an executable runs with, in the load commands of its Mach-O header.
 *
 * @param executable The path of the file.
 * @throws {Error} If the file is no executable of macOS.
 */
export async function macOsOf(executable: string): Promise<MacOs> {
  const bytes = await Deno.readFile(executable);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const noExecutable = (): Error => new Error(`${executable} is no executable of macOS.`);
  if (bytes.length < HEADER_LENGTH || view.getUint32(0, true) !== MAGIC) throw noExecutable();
  const commands = view.getUint32(16, true);
  for (let index = 0, offset = HEADER_LENGTH; index < commands && offset + 16 <= bytes.length; index++) {
    const version = VERSIONS.get(view.getUint32(offset, true));
    // The bytes of a version: patch, minor, and two of the major version.
    if (version !== undefined) {
      return { major: view.getUint16(offset + version + 2, true), minor: view.getUint8(offset + version + 1) };
    }
    offset += view.getUint32(offset + 4, true);
  }
  throw noExecutable();
}
