/**
 * How the servers that are compared are started, each with the flags that its user would give.
 *
 * @module
 */

import { installPackages } from "../cache.ts";
import type { CommandLine } from "./server.ts";

/** A mock server, ours or somebody else's. */
export interface Contestant {
  name: string;
  /** How it is started on the file of a definition. */
  serve(definition: string): CommandLine;
}

const BARE = `${import.meta.dirname}/bare.ts`;

/** `Deno.serve` that answers the same bytes to every request. */
export function bare(bodyFile = "", headers: readonly (readonly [string, string])[] = []): CommandLine {
  return (port) => [Deno.execPath(), "run", "-A", BARE, String(port), bodyFile, JSON.stringify(headers)];
}

/** `gw mock`: a bundle (`main.js`) or a compiled executable. */
export function gw(program: string, flags: readonly string[] = []): Contestant {
  const words = program.endsWith(".js") ? [Deno.execPath(), "run", "-A", program] : [program];
  return {
    name: "gw",
    serve: (definition) => (port) => [...words, "mock", definition, "--port", String(port), ...flags],
  };
}

/** Steady and Prism, installed from npm. */
export async function installPeers(): Promise<Contestant[]> {
  const { os, arch } = Deno.build;
  const platform = `cli-${{ darwin: "darwin", windows: "win32" }[String(os)] ?? "linux"}-${
    arch === "x86_64" ? "x64" : "arm64"
  }`;
  const [steady, prism] = [
    await installPackages({ [`@stdy/${platform}`]: "0.22.2" }),
    await installPackages({ "@stoplight/prism-cli": "5.16.0" }),
  ];
  return [
    {
      name: "Steady 0.22.2",
      serve: (definition) => (port) => [
        `${steady}/@stdy/${platform}/bin/steady`,
        "--quiet",
        "--host",
        "127.0.0.1",
        "--port",
        `${port}`,
        definition,
      ],
    },
    {
      name: "Prism 5.16.0",
      serve: (definition) => (port) => [
        "node",
        `${prism}/@stoplight/prism-cli/dist/index.js`,
        "mock",
        "--port",
        `${port}`,
        definition,
      ],
    },
  ];
}
