/** The SHA-256 checksums of a release's files, in lower-case hexadecimal, by the file's name. */
export type Checksums = ReadonlyMap<string, string>;

/**
 * Reads what `sha256sum` prints.
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

/** @throws {RangeError} If the release lacks the file. */
export function checksumOf(name: string, checksums: Checksums): string {
  const checksum = checksums.get(name);
  if (checksum === undefined) throw new RangeError(`SHA256SUMS has no ${name}.`);
  return checksum;
}
