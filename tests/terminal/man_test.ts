import assert from "node:assert/strict";
import { COMMANDS } from "../../cmd/commands.ts";
import { createFolder } from "../cmd/definitions.ts";
import { runGw } from "../cmd/process.ts";
import { needs } from "./shell.ts";

async function run(program: string, args: string[], cwd: string): Promise<{ stdout: string; stderr: string }> {
  const env = { LC_ALL: "C.UTF-8", MANWIDTH: "80", MANPAGER: "cat", MANROFFOPT: "" };
  const { stdout, stderr } = await new Deno.Command(program, { args, cwd, env, stdin: "null" }).output();
  const decoder = new TextDecoder();
  return { stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

Deno.test({
  name: "gw man prints a manual page of all commands that groff, man and mandoc have no warnings for",
  ...needs("groff", "man", "mandoc"),
  async fn() {
    await using folder = await createFolder();
    const cwd = folder.path;
    const { stdout: page, code } = await runGw({ args: ["man"] });
    assert.equal(code, 0);
    await Deno.writeTextFile(`${cwd}/gw.1`, page);

    assert.deepEqual(await run("groff", ["-man", "-ww", "-z", "-Tutf8", "gw.1"], cwd), { stdout: "", stderr: "" });
    const { stdout: remarks } = await run("mandoc", ["-T", "lint", "-W", "warning", "gw.1"], cwd);
    // Ignore the remark on the missing date: the page belongs to a version instead.
    assert.deepEqual(remarks.trimEnd().split("\n").filter((line) => !line.includes("missing date")), []);

    const { stdout: text, stderr } = await run("man", ["--warnings", "-l", "gw.1"], cwd);
    assert.equal(stderr, "");
    for (const name of Object.keys(COMMANDS)) assert.match(text, new RegExp(`^ {3}gw ${name}$`, "m"));
    assert.match(text, /^ {7}-p, --port PORT$/m);
    assert.match(text, /^ {11}gw manifests \| kubectl apply --server-side -f -$/m);
  },
});
