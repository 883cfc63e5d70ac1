/** The commit whose data every later version of gw must be able to use. */
export const COMMIT = "27b1f2d";

/** Extracts the program of {@linkcode COMMIT} from the Git history of this clone into a folder. */
export async function unpackOldProgram(folder: string): Promise<void> {
  const archive = new Deno.Command("git", { args: ["archive", COMMIT], stdout: "piped" }).spawn();
  const tar = new Deno.Command("tar", { args: ["-x", "-C", folder], stdin: "piped" }).spawn();
  await archive.stdout.pipeTo(tar.stdin);
  const [made, unpacked] = await Promise.all([archive.status, tar.status]);
  if (!made.success || !unpacked.success) throw new Error(`Cannot unpack ${COMMIT}: is it in this clone's history?`);
}

/** The command line of the program in a folder. */
export function programIn(folder: string): readonly string[] {
  return [Deno.execPath(), "run", "--no-check", "-A", "--config", `${folder}/deno.json`, `${folder}/main.ts`];
}
