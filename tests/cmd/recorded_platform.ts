import type { Output } from "../../cmd/io/terminal/terminal.ts";
import type { Platform } from "../../cmd/line/platform.ts";

/** A platform that records the output of a command. */
export interface RecordedPlatform extends Platform {
  readonly printed: { stdout: string; stderr: string };
}

export function recordPlatform(
  options: { env?: Readonly<Record<string, string>>; stdin?: string; color?: boolean } = {},
): RecordedPlatform {
  const { env = {}, stdin = "", color = false } = options;
  const printed = { stdout: "", stderr: "" };
  const output = (stream: keyof typeof printed): Output => ({
    color,
    waiting: 0,
    isClosed: false,
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
