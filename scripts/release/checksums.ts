/** The SHA-256 checksums of a release's files, by file name, in lower-case hexadecimal. */
export type Checksums = ReadonlyMap<string, string>;

/**
 * Parses the output of `sha256sum`.
 *
 * @throws {RangeError} If a line has another form.
 */
export function readChecksums(text: string): Checksums {
  return new Map(
    text.trimEnd().split("\n").map((line): [string, string] => {
      const [, checksum, name] = /^([0-9a-f]{64}) [ *](\S+)$/.exec(line) ?? [];
      if (checksum === undefined || name === undefined) throw new RangeError(`Not a line of sha256sum: ${line}`);
      return [name, checksum];
    }),
  );
}

/** @throws {RangeError} If there is no checksum of the file. */
export function checksumOf(name: string, checksums: Checksums): string {
  const checksum = checksums.get(name);
  if (checksum === undefined) throw new RangeError(`SHA256SUMS has no ${name}.`);
  return checksum;
}
