/**
 * Real editors and tools, each of which saves files in its own way. They aren't part of the fast tests, as they need
 * programs besides Deno. A case whose program is missing is skipped and says so; with `CI=true`, Vim and Git must be
 * present.
 *
 * @module
 */
import assert from "node:assert/strict";
import { hasProgram } from "../../scripts/program.ts";
import { createFolder, textOf, texts } from "../cmd/definitions.ts";
import { GW, type Running, startGw } from "../cmd/process.ts";

/** Shell scripts that change `before` to `after` in openapi.json, each in another way. */
const EDITS: Readonly<Record<string, string>> = {
  "vim": vim(),
  "vim with its usual settings": vim("swapfile", "writebackup", "backupcopy=auto"),
  "vim, which moves the file away": vim("writebackup", "backupcopy=no"),
  "vim, which moves the file away and keeps it": vim("backup", "backupcopy=no"),
  "vim, which copies the file": vim("backup", "backupcopy=yes"),
  "vim without a backup": vim("nobackup", "nowritebackup"),
  "vim, which waits for the disk": vim("fsync", "backupcopy=no"),
  "vim, which follows a link": `mv openapi.json real.json; ln -s real.json openapi.json; ${vim("backupcopy=auto")}`,
  "vim, which breaks a link": `mv openapi.json real.json; ln -s real.json openapi.json; ${
    vim("backupcopy=auto,breaksymlink")
  }`,
  "ed": "printf ',s/before/after/\\nw\\nq\\n' | ed -s openapi.json",
  "sed -i": "sed -i s/before/after/ openapi.json",
  "perl -i": "perl -i -pe s/before/after/ openapi.json",
  "printf": `text=$(sed s/before/after/ openapi.json); printf %s "$text" > openapi.json`,
  "cp": "sed s/before/after/ openapi.json > new; cp new openapi.json",
  "mv": "sed s/before/after/ openapi.json > new; mv new openapi.json",
  "install": "sed s/before/after/ openapi.json > new; install -m 644 new openapi.json",
  "dd": "sed s/before/after/ openapi.json > new; dd if=new of=openapi.json bs=16 status=none",
  "ln": "sed s/before/after/ openapi.json > new; ln -sf new openapi.json",
  "tar": "mkdir t; sed s/before/after/ openapi.json > t/openapi.json; tar -cC t openapi.json | tar -x",
  "git checkout": "git checkout --quiet edited",
  "git restore": "git restore --source edited openapi.json",
  "git reset": "git reset --quiet --hard edited",
  "git merge": "git merge --quiet edited",
};

/** The programs that must be present with `CI=true`. */
const REQUIRED: ReadonlySet<string> = new Set(["vim", "git"]);

/** A Vim command with the given settings; the user's settings are ignored. */
function vim(...settings: readonly string[]): string {
  const commands = [...settings.map((setting) => `set ${setting}`), "%s/before/after/", "wq"];
  return `vim -N -u NONE -i NONE -es ${commands.map((command) => `-c '${command}'`).join(" ")} openapi.json`;
}

for (const [name, script] of Object.entries(EDITS)) {
  testWith(name, async () => {
    await using desk = await createDesk();
    await sh(desk.path, script);
    await desk.gw.until(/Reloaded openapi\.json: 1 operation changed\.\n {2}~ GET \/a\n/);
    assert.equal(await textOf(desk.gw, "/a"), "after");
    // Wait a little: a second reload of the same edit would be logged in this time.
    await new Promise((resolve) => setTimeout(resolve, 500));
    assert.equal(desk.gw.text().match(/Reloaded|error/g)?.length, 1, desk.gw.text());
  });
}

testWith("vim, twice", async () => {
  await using desk = await createDesk();
  await sh(desk.path, "vim -N -u NONE -i NONE -es -c '%s/before/between/' -c wq openapi.json");
  await desk.gw.until(/Reloaded/);
  assert.equal(await textOf(desk.gw, "/a"), "between");
  const from = desk.gw.text().length;
  await sh(desk.path, vim().replace("before", "between"));
  await desk.gw.until(/Reloaded/, from);
  assert.equal(await textOf(desk.gw, "/a"), "after");
});

testWith("vim, which breaks the definition and mends it", async () => {
  await using desk = await createDesk();
  await sh(desk.path, "vim -N -u NONE -i NONE -es -c '%s/.$//' -c wq openapi.json");
  await desk.gw.until(/openapi\.json:\d+:\d+ error syntax[^]*Still answering/);
  assert.equal(await textOf(desk.gw, "/a"), "before");
  await sh(desk.path, "vim -N -u NONE -i NONE -es -c '%s/$/}/' -c '%s/before/after/' -c wq openapi.json");
  await desk.gw.until(/Reloaded/);
  assert.equal(await textOf(desk.gw, "/a"), "after");
});

testWith("bash, which gives a pipe", async () => {
  await using folder = await createFolder();
  await Deno.writeTextFile(`${folder.path}/openapi.json`, texts({ "/a": "piped" }));
  const program = ["bash", "-c", '"$@" <(cat openapi.json)', "bash", ...GW];
  await using gw = await startGw({ program, args: ["mock"], cwd: folder.path });
  await gw.until(/ can't be watched\.\n/);
  assert.equal(await textOf(gw, "/a"), "piped");
});

/** Declares a test that needs a program: the first word of its name. */
function testWith(name: string, fn: () => Promise<void>): void {
  const program = name.split(/[ ,]/)[0] ?? name;
  const isMissing = !hasProgram(program);
  if (!isMissing) Deno.test(`gw mock follows an edit by ${name}`, fn);
  else if (Deno.env.get("CI") === "true" && REQUIRED.has(program)) {
    Deno.test(`gw mock follows an edit by ${name}`, () => assert.fail(`${program} is not installed`));
  } else {
    Deno.test({
      name: `gw mock follows an edit by ${name}: left out, as ${program} is not installed`,
      ignore: true,
      fn,
    });
  }
}

/** Makes a Git repository with openapi.json and a branch with the edit, and starts `gw mock` with the file. */
async function createDesk(): Promise<{ path: string; gw: Running } & AsyncDisposable> {
  const folder = await createFolder();
  const { path } = folder;
  await Deno.writeTextFile(`${path}/openapi.json`, `${texts({ "/a": "before", "/b": "same" })}\n`);
  if (hasProgram("git")) {
    const commit = "git add openapi.json && git -c user.name=gw -c user.email=gw@example.com commit --quiet -m edit";
    await sh(path, `git init --quiet && ${commit} && git checkout --quiet -b edited`);
    await sh(path, `sed -i s/before/after/ openapi.json && ${commit} && git checkout --quiet -`);
  }
  const gw = await startGw({ args: ["mock", "openapi.json"], cwd: path });
  return {
    path,
    gw,
    async [Symbol.asyncDispose]() {
      await gw[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function sh(cwd: string, script: string): Promise<void> {
  const command = new Deno.Command("sh", {
    args: ["-ec", script],
    cwd,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  const { success, stdout, stderr } = await command.output();
  assert.ok(success, `${script}\n${new TextDecoder().decode(stdout)}${new TextDecoder().decode(stderr)}`);
}
