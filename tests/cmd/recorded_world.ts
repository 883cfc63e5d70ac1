import type { Output } from "../../cmd/io/output.ts";
import type { World } from "../../cmd/platform.ts";

/** A world that remembers what a command printed. */
export interface RecordedWorld extends World {
  readonly printed: { stdout: string; stderr: string };
}

/** Makes a world for one command. */
export function recordWorld(
  options: { env?: Readonly<Record<string, string>>; stdin?: string; color?: boolean } = {},
): RecordedWorld {
  const { env = {}, stdin = "", color = false } = options;
  const printed = { stdout: "", stderr: "" };
  const output = (stream: keyof typeof printed): Output => ({
    color,
    waiting: 0,
    write: (text) => {
      printed[stream] += text;
    },
    flush: () => Promise.resolve(),
  });
  return {
    printed,
    env: (name) => env[name],
    envNames: () => Object.keys(env),
    readStdin: () => Promise.resolve(new TextEncoder().encode(stdin)),
    onStop: () => () => {},
    stdout: output("stdout"),
    stderr: output("stderr"),
  };
}
