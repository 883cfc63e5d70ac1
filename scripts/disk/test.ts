/**
 * Runs the tests that need small disks: `deno task test:disk`. The disks are tmpfs mounts in a mount namespace of their
 * own. Needs Linux, and root or user namespaces.
 *
 * @module
 */

// deno-lint-ignore-file no-console -- This command prints its results.

/** Runs the tests. If namespaces can't be created, the tests are skipped; with `CI=true` they fail. */
async function main(args: readonly string[]): Promise<number> {
  const namespace = ["unshare", "--mount", ...Deno.uid() === 0 ? [] : ["--user", "--map-root-user"]];
  if (await run([...namespace, "sh", "-c", "mount -t tmpfs tmpfs /mnt"], "null") !== 0) {
    const mustRun = Deno.env.get("CI") === "true";
    const reason = "They mount a tmpfs in a namespace of their own, with unshare, as root or with user namespaces.";
    console.error(`The tests of full disks ${mustRun ? "can't be run" : "are left out"}. ${reason}`);
    return mustRun ? 1 : 0;
  }
  return await run([...namespace, Deno.execPath(), "test", "-A", ...args, "tests/disk"], "inherit");
}

async function run([program = "", ...args]: readonly string[], output: "null" | "inherit"): Promise<number> {
  try {
    const { code } = await new Deno.Command(program, { args, stdin: "null", stdout: output, stderr: output }).output();
    return code;
  } catch {
    // `output()` throws if the program isn't installed.
    return 1;
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
