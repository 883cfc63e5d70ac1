/**
 * The command lines of the servers that are compared, each with the flags that its users would set.
 *
 * @module
 */

import { installPackages } from "../cache.ts";
import type { CommandLine } from "./server.ts";

/** A mock server: gw or a peer. */
export interface Contestant {
  name: string;
  /** The command line that starts the server with a definition's file. */
  serve(definition: string, options?: ContestantOptions): CommandLine;
}

/** How a contestant serves. */
export interface ContestantOptions {
  /** Whether the server writes a line for each request. Otherwise it logs as little as possible. Default: `false`. */
  logs?: boolean;
  /** Whether the server refuses invalid requests. The peers always do. Default: `false`. */
  validates?: boolean;
}

const BARE = `${import.meta.dirname}/bare.ts`;

/**
 * `Deno.serve` that answers the same bytes to every request.
 *
 * @param reads Whether it reads the body of each request, as JSON. Default: not.
 */
export function bare(
  bodyFile = "",
  headers: readonly (readonly [string, string])[] = [],
  reads?: "json",
): CommandLine {
  const words = [Deno.execPath(), "run", "-A", BARE];
  return (port) => [...words, String(port), bodyFile, JSON.stringify(headers), "127.0.0.1", reads ?? "nothing"];
}

/** The words of the command that runs gw: a bundle (`main.js`) or an executable. */
export function programWords(program: string): readonly string[] {
  return program.endsWith(".js") ? [Deno.execPath(), "run", "-A", program] : [program];
}

/** `gw mock`, as a bundle (`main.js`) or an executable. */
export function gw(program: string): Contestant {
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

/** Steady and Prism, installed from npm. */
export async function installPeers(): Promise<Contestant[]> {
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
      // It logs always.
      name: "Prism 5.16.0",
      serve: (definition) => (port) => [
        ...["node", `${prism}/@stoplight/prism-cli/dist/index.js`, "mock", "--port", String(port), definition],
      ],
    },
  ];
}
