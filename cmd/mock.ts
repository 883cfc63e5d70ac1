import { readLine } from "./command.ts";
import { integer } from "./flag.ts";
import type { World } from "./world.ts";

const FLAGS = {
  port: { short: "p", value: "PORT", read: integer(0, 65535), description: "Port." },
};

/** `gw mock` */
export async function mock(args: string[], world: World): Promise<number> {
  const line = readLine(
    { name: "mock", usage: "<definition>...", description: "", flags: FLAGS, examples: [] },
    args,
    world,
  );
  if (line.kind === "exit") return line.code;
  await world.stdout.flush();
  return 0;
}
