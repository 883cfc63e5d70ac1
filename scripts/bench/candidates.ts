/**
 * The command lines of the mock servers that are compared, each with the flags that its users would set.
 *
 * @module
 */

import { installPackages } from "../cache.ts";
import type { CommandLine } from "./server.ts";

/** A mock server that is measured: gw or a peer. */
export interface Candidate {
  name: string;
  /** The command line that starts the server with the file of a definition. */
  serve(definition: string, options?: CandidateOptions): CommandLine;
}

export interface CandidateOptions {
  /** Whether the server logs each request. Otherwise it logs as little as possible. Default: `false`. */
  logs?: boolean;
  /** Whether the server refuses invalid requests. The peers always do. Default: `false`. */
  validates?: boolean;
}

const BARE = `${import.meta.dirname}/bare.ts`;

/**
 * The command line of a bare `Deno.serve` that answers every request with the same bytes.
 *
 * @param reads Whether it parses the body of each request as JSON. Default: `false`.
 */
export function bare(
  bodyFile = "",
  headers: readonly (readonly [string, string])[] = [],
  reads?: "json",
): CommandLine {
  const words = [Deno.execPath(), "run", "-A", BARE];
  return (port) => [...words, String(port), bodyFile, JSON.stringify(headers), "127.0.0.1", reads ?? "nothing"];
}

/**
 * The command that runs gw, as a list of words. `program` is a bundle (`main.js`) or an executable.
 *
 * @param flags Flags of Deno. An executable takes none.
 */
export function programWords(program: string, flags: readonly string[] = []): readonly string[] {
  return program.endsWith(".js") ? [Deno.execPath(), "run", "-A", ...flags, program] : [program];
}

/** `gw mock`. `program` is a bundle (`main.js`) or an executable. */
export function gw(program: string): Candidate {
  const words = programWords(program);
  return {
    name: "gw",
    serve: (definition, { logs = false, validates = false } = {}) => (port) => [
      ...[...words, "mock", definition, "--port", String(port)],
      ...(validates ? ["--validate", "error"] : []),
      ...(logs ? [] : ["--quiet"]),
    ],
  };
}

/** The peers Steady and Prism, installed from npm. */
export async function installPeers(): Promise<Candidate[]> {
  const platform = `cli-linux-${Deno.build.arch === "x86_64" ? "x64" : "arm64"}`;
  const [steady, prism] = [
    await installPackages({ [`@stdy/${platform}`]: "0.22.2" }),
    await installPackages({ "@stoplight/prism-cli": "5.16.0" }),
  ];
  return [
    {
      name: "Steady 0.22.2",
      serve: (definition, { logs = false } = {}) => (port) => [
        ...[`${steady}/@stdy/${platform}/bin/steady`, "--host", "127.0.0.1", "--port", String(port), definition],
        ...(logs ? [] : ["--quiet"]),
      ],
    },
    {
      // Prism has no option that turns its log off.
      name: "Prism 5.16.0",
      serve: (definition) => (port) => [
        ...["node", `${prism}/@stoplight/prism-cli/dist/index.js`, "mock", "--port", String(port), definition],
      ],
    },
  ];
}
