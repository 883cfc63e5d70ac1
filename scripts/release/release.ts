import type { Checksums } from "./checksums.ts";

/** A release whose executables can be downloaded. */
export interface Release {
  /** The version, without a `v`. */
  readonly version: string;
  /** The URL of the folder of its files. */
  readonly url: string;
  readonly checksums: Checksums;
}
