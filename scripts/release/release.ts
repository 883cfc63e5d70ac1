import type { Checksums } from "./checksums.ts";

export interface Release {
  /** The version, without `v`. */
  readonly version: string;
  /** The URL of the folder with the release's files. */
  readonly url: string;
  readonly checksums: Checksums;
}
