import assert from "node:assert/strict";
import { join } from "node:path";
import { createFolder, TODO } from "./definitions.ts";
import { runGw, startGw } from "./process.ts";

Deno.test("gw init writes the sample, and gw mock without arguments answers from it", async () => {
  await using folder = await createFolder();
  const { code, stdout, stderr } = await runGw({ args: ["init"], cwd: folder.path });
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  assert.match(stdout, /^Wrote todo\.yaml, a definition of a list of todos\.\n\n {2}gw mock +answers/);
  assert.equal(await Deno.readTextFile(join(folder.path, "todo.yaml")), await Deno.readTextFile(TODO));

  await using gw = await startGw({ args: ["mock"], cwd: folder.path });
  assert.match(gw.text(), /^Parsed todo\.yaml: Todo 0\.0\.2, 6 operations\.\n/);
  const [, path = ""] = /curl http:\/\/127\.0\.0\.1:8080(\S+)/.exec(stdout) ?? [];
  assert.equal((await (await fetch(gw.url + path)).json()).length, 2);
});

Deno.test("gw init overwrites nothing, and adds no second definition unless it is named", async (t) => {
  await using folder = await createFolder();
  const cwd = folder.path;
  await Deno.writeTextFile(join(cwd, "pets.json"), '{"openapi": "3.1.0"}');
  await Deno.symlink(join(cwd, "absent"), join(cwd, "link.yaml"));
  const cases: { args: string[]; code: number; want: RegExp }[] = [
    { args: [], code: 2, want: /^This folder has a definition: pets\.json\. Answer it with gw mock pets\.json, / },
    { args: ["pets.json"], code: 2, want: /^pets\.json is there already, and isn't overwritten\. Name another file: / },
    { args: ["link.yaml"], code: 2, want: /^link\.yaml is there already/ },
    { args: ["a", "b"], code: 2, want: /^Give one name at most\./ },
    { args: ["."], code: 2, want: /^\. is a folder\. Name a file in it: gw init todo\.yaml\n/ },
    { args: ["../"], code: 2, want: /^\.\.\/ is a folder\. Name a file in it: gw init \.\.\/todo\.yaml\n/ },
    { args: ["-"], code: 2, want: /^gw init writes a file, not standard output\. Name one: gw init FILE\n/ },
    { args: [""], code: 2, want: /^The name of the file is empty\.\n/ },
    { args: ["api.JSON"], code: 2, want: /^The sample is YAML\. Name the file so: gw init api\.yaml\n/ },
    { args: ["nowhere/a.yaml"], code: 3, want: /^Cannot write nowhere\/a\.yaml: there is no such folder\.\n$/ },
    { args: ["api.yaml"], code: 0, want: /^Wrote api\.yaml, .*\n\n {2}gw mock api\.yaml +answers/ },
  ];
  for (const { args, code, want } of cases) {
    await t.step(`gw init ${args.join(" ")}`, async () => {
      const ended = await runGw({ args: ["init", ...args], cwd });
      assert.match(code === 0 ? ended.stdout : ended.stderr, want);
      assert.equal(ended.code, code);
    });
  }
  assert.equal(await Deno.readTextFile(join(cwd, "pets.json")), '{"openapi": "3.1.0"}');
  assert.deepEqual([...Deno.readDirSync(cwd)].map(({ name }) => name).sort(), ["api.yaml", "link.yaml", "pets.json"]);
});
