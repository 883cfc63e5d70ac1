import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { readDefinition, refersOutside } from "../../../../cmd/io/files/definition.ts";
import { displayName } from "../../../../cmd/io/files/location.ts";
import { OverlayFiles } from "../../../../cmd/io/files/overlay_files.ts";
import { createReferencePolicy } from "../../../../cmd/io/files/reference_policy.ts";
import { Reloader } from "../../../../cmd/io/files/reloader.ts";
import { ReferencePolicy } from "../../../../lib/openapi/reference_policy.ts";

const readStdin = (): Promise<Uint8Array> => Promise.resolve(new Uint8Array());

/** What is said of the references of a definition: the messages of its diagnostics about them. */
async function remarksOn(operand: string, allowRemoteRefs = false): Promise<string[]> {
  const references = createReferencePolicy({ operands: [operand], allowRemoteRefs });
  const { document } = await readDefinition(operand, { readStdin, references });
  return document.diagnostics.filter(({ code }) => /reference/.test(code)).map(({ message }) => message);
}

/** A definition whose only response refers to a schema, or to an example by `externalValue`. */
function definition(target: string, keyword: "$ref" | "externalValue" = "$ref"): string {
  const media = keyword === "$ref"
    ? { "application/json": { schema: { $ref: target } } }
    : { "text/plain": { examples: { one: { externalValue: target } } } };
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Pets", version: "1.0.0" },
    paths: { "/pets": { get: { responses: { 200: { description: "Pets", content: media } } } } },
  });
}

const PART = '{"type": "string"}';

interface Layout {
  name: string;
  /** Files by path. The definition is the first one. A text that begins with `-> ` makes a link to that path. */
  files: Record<string, string>;
  want: "works" | "works with a warning" | "is refused";
}

const LAYOUTS: readonly Layout[] = [
  {
    name: "a monorepo with a common folder",
    files: { "repo/api/a.json": definition("../common/c.json"), "repo/common/c.json": PART, "repo/.git/HEAD": "" },
    want: "works",
  },
  {
    name: "a git submodule that refers to its superproject",
    files: {
      "super/sub/api/a.json": definition("../../c.json"),
      "super/sub/.git": "gitdir: ../.git/modules/sub\n",
      "super/.git/HEAD": "",
      "super/c.json": PART,
    },
    want: "works",
  },
  {
    name: "a git worktree that refers outside itself",
    files: {
      "tree/api/a.json": definition("../../c.json"),
      "tree/.git": "gitdir: /repo/.git/worktrees/tree\n",
      "c.json": PART,
    },
    want: "works with a warning",
  },
  {
    name: "files beside the definition, without a repository",
    files: { "image/api/a.json": definition("parts/c.json"), "image/api/parts/c.json": PART },
    want: "works",
  },
  {
    name: "a tarball without a repository, from a folder above the definition's",
    files: { "image/api/a.json": definition("../common/c.json"), "image/common/c.json": PART },
    want: "works with a warning",
  },
  {
    name: "a package that pnpm links from its store",
    files: {
      "repo/a.json": definition("node_modules/parts/c.json"),
      "repo/.git/HEAD": "",
      "repo/node_modules/parts": "-> store/parts",
      "store/parts/c.json": PART,
      "store/parts/package.json": "{}",
    },
    want: "works",
  },
  {
    name: "a package under development that npm links, in a scope, which refers to its own files",
    files: {
      "repo/a.json": definition("node_modules/@own/parts/c.json"),
      "repo/.git/HEAD": "",
      "repo/node_modules/@own/parts": "-> parts",
      "parts/c.json": '{"$ref": "./d.json"}',
      "parts/package.json": "{}",
      "parts/d.json": PART,
    },
    want: "works",
  },
  {
    name: "a package of a package, both linked from a store",
    files: {
      "repo/a.json": definition("node_modules/parts/node_modules/more/c.json"),
      "repo/.git/HEAD": "",
      "repo/node_modules/parts": "-> store/parts",
      "store/parts/node_modules/more": "-> store/more",
      "store/parts/package.json": "{}",
      "store/more/package.json": "{}",
      "store/more/c.json": PART,
    },
    want: "works",
  },
  {
    name: "a link to a file in node_modules",
    files: {
      "repo/a.json": definition("node_modules/key.txt", "externalValue"),
      "repo/.git/HEAD": "",
      "repo/node_modules/key.txt": "-> key.txt",
      "key.txt": "secret",
    },
    want: "is refused",
  },
  {
    name: "a link in node_modules to a folder that is no package",
    files: {
      "repo/a.json": definition("node_modules/keys/key.txt", "externalValue"),
      "repo/.git/HEAD": "",
      "repo/node_modules/keys": "-> keys",
      "keys/key.txt": "secret",
    },
    want: "is refused",
  },
  {
    name: "a link in node_modules to a folder around the repository",
    files: {
      "repo/a.json": definition("node_modules/parts/key.txt", "externalValue"),
      "repo/.git/HEAD": "",
      "repo/node_modules/parts": "-> ",
      "key.txt": "secret",
    },
    want: "is refused",
  },
  {
    name: "a submodule that an old version of Git made, with a repository of its own",
    files: {
      "super/sub/api/a.json": definition("../../c.json"),
      "super/sub/.git/HEAD": "",
      "super/.git/HEAD": "",
      "super/.gitmodules": '[submodule "sub"]\n\tpath = sub\n\turl = ../sub\n',
      "super/c.json": PART,
    },
    want: "works",
  },
  {
    name: "a repository inside another one that isn't its superproject",
    files: {
      "outer/inner/a.json": definition("../c.json"),
      "outer/inner/.git/HEAD": "",
      "outer/.git/HEAD": "",
      "outer/c.json": PART,
    },
    want: "works with a warning",
  },
  {
    name: "a definition in a volume of Kubernetes",
    files: {
      "config/a.json": "-> config/..data/a.json",
      "config/..data": "-> config/..2026",
      "config/..2026/a.json": definition("c.json"),
      "config/c.json": "-> config/..data/c.json",
      "config/..2026/c.json": PART,
    },
    want: "works",
  },
  {
    name: "a definition that Bazel links into a tree of its own, with the parts",
    files: {
      "cache/runfiles/api/a.json": "-> repo/api/a.json",
      "cache/runfiles/common/c.json": "-> repo/common/c.json",
      "repo/api/a.json": definition("../common/c.json"),
      "repo/common/c.json": PART,
      "repo/.git/HEAD": "",
    },
    want: "works",
  },
  {
    name: "a text outside that is a list",
    files: {
      "repo/a.json": definition("../config"),
      "repo/.git/HEAD": "",
      "config": "[default, secret]\n",
    },
    want: "is refused",
  },
  {
    name: "a definition that a build tool links from elsewhere, with parts beside the original",
    files: { "build/a.json": "-> src/api/a.json", "src/api/a.json": definition("c.json"), "build/c.json": PART },
    want: "works",
  },
  {
    name: "a part that a build tool links from its cache",
    files: { "build/a.json": definition("c.json"), "build/c.json": "-> cache/c.json", "cache/c.json": PART },
    want: "works with a warning",
  },
  {
    name: "a schema repository beside the definition's",
    files: {
      "repo/a.json": definition("../schemas/c.json"),
      "repo/.git/HEAD": "",
      "schemas/c.json": PART,
      "schemas/.git/HEAD": "",
    },
    want: "works with a warning",
  },
  {
    name: "a text outside that is no object",
    files: {
      "repo/a.json": definition("../passwd"),
      "repo/.git/HEAD": "",
      "passwd": "root:x:0:0:root:/root:/bin/sh\n",
    },
    want: "is refused",
  },
  {
    name: "the settings of the repository, which may have credentials",
    files: { "repo/a.json": definition(".git/config", "externalValue"), "repo/.git/config": "[http]\n" },
    want: "is refused",
  },
  {
    name: "a link to a file of a submodule's repository",
    files: {
      "repo/a.json": definition("c.txt", "externalValue"),
      "repo/.git/modules/sub/config": "[http]\n",
      "repo/c.txt": "-> repo/.git/modules/sub/config",
    },
    want: "is refused",
  },
  {
    name: "a hidden folder beside the definition",
    files: { "repo/a.json": definition(".parts/c.json", "externalValue"), "repo/.parts/c.json": PART },
    want: "works",
  },
  {
    name: "an external value outside",
    files: { "repo/a.json": definition("../key.txt", "externalValue"), "repo/.git/HEAD": "", "key.txt": "secret" },
    want: "is refused",
  },
  {
    name: "a link inside the repository to a file outside",
    files: {
      "repo/a.json": definition("key.txt", "externalValue"),
      "repo/.git/HEAD": "",
      "repo/key.txt": "-> key.txt",
      "key.txt": "secret",
    },
    want: "is refused",
  },
];

for (const { name, files, want } of LAYOUTS) {
  Deno.test(`a reference ${want}: ${name}`, async () => {
    const folder = await Deno.realPath(await Deno.makeTempDir());
    try {
      for (const [path, text] of Object.entries(files)) {
        const at = join(folder, path);
        await Deno.mkdir(dirname(at), { recursive: true });
        if (text.startsWith("-> ")) await Deno.symlink(join(folder, text.slice(3)), at);
        else await Deno.writeTextFile(at, text);
      }
      const [first = ""] = Object.keys(files);
      const remarks = await remarksOn(join(folder, first));
      const [remark = ""] = remarks;
      assert.equal(remarks.length, want === "works" ? 0 : 1, remarks.join("\n"));
      if (want !== "works") assert.match(remark, /; --allow-remote-refs permits it/);
      assert.equal(/leads nowhere/.test(remark), want === "is refused", remark);
      assert.deepEqual(await remarksOn(join(folder, first), true), []);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

Deno.test("a reference may lead into the working folder, and beside any definition of the command line", async (t) => {
  const world = {
    workingFolder: "file:///work/api",
    home: "file:///home/me",
    inspect: (uri: string) => Promise.resolve({ uri, kind: "file" as const }),
    read: () => Promise.reject(new Error("There is no such file.")),
    addressesOf: () => Promise.resolve([]),
  };
  // In this world no folder has an entry of a repository.
  const inspect: typeof world.inspect = (uri) =>
    /\/\.(?:git|hg|jj|svn)$/.test(uri) ? Promise.reject(new Error("There is no such file.")) : world.inspect(uri);
  const cases: { workingFolder?: string; definitions: string[]; to: string; isInside: boolean }[] = [
    { definitions: ["file:///app/a.yaml"], to: "file:///work/api/deep/c.yaml", isInside: true },
    { definitions: ["file:///app/a.yaml", "file:///else/b.yaml"], to: "file:///else/c.yaml", isInside: true },
    { definitions: ["file:///app/a.yaml"], to: "file:///else/c.yaml", isInside: false },
    { definitions: ["file:///app/a.yaml"], to: "file:///app2/c.yaml", isInside: false },
    { workingFolder: "file:///", definitions: ["file:///app/a.yaml"], to: "file:///etc/c.yaml", isInside: false },
    { workingFolder: "file:///", definitions: ["file:///a.yaml"], to: "file:///c.yaml", isInside: true },
    { workingFolder: "file:///", definitions: ["file:///a.yaml"], to: "file:///etc/c.yaml", isInside: false },
    {
      workingFolder: "file:///home/me",
      definitions: ["file:///home/me/x/a.yaml"],
      to: "file:///home/me/.ssh/c",
      isInside: false,
    },
    {
      workingFolder: "file:///home",
      definitions: ["file:///home/me/x/a.yaml"],
      to: "file:///home/me/.ssh/c",
      isInside: false,
    },
    { definitions: ["file:///home/me/a.yaml"], to: "file:///home/me/.ssh/id_rsa", isInside: false },
    { definitions: ["file:///home/a.yaml"], to: "file:///home/me/.netrc", isInside: false },
    { definitions: ["file:///home/me/a.yaml"], to: "file:///home/me/parts/c.json", isInside: true },
    { definitions: ["file:///home/me/.gw/a.yaml"], to: "file:///home/me/.gw/c.json", isInside: true },
    { definitions: ["file:///home/me/.gw/a.yaml"], to: "file:///home/me/.netrc", isInside: false },
    { workingFolder: "file:///dev/shm/api", definitions: [], to: "file:///dev/shm/api/c.yaml", isInside: true },
  ];
  for (const { definitions, to, isInside, ...here } of cases) {
    await t.step(`${here.workingFolder ?? world.workingFolder}: ${definitions} to ${to}`, async () => {
      const policy = new ReferencePolicy({ ...world, inspect, ...here }, { definitions });
      const asked = policy.check({ uri: to, from: definitions[0] ?? "file:///x.yaml", kind: "externalValue" });
      if (isInside) assert.equal((await asked).isOutside, false);
      else await assert.rejects(asked, /it is (?:outside|among the hidden files) .*; allowRemoteRefs permits it/);
    });
  }
  await t.step("a file of another machine", async () => {
    const policy = new ReferencePolicy({ ...world, inspect }, { definitions: [] });
    const from = "file:///work/api/a.yaml";
    await assert.rejects(policy.check({ uri: "file://evil/share/x.yaml", from, kind: "$ref" }), /other machines/);
  });
  await t.step("a name with a link-local address, and one of this machine", async () => {
    const addresses: Record<string, string> = { "far.example": "fe80::1%eth0", "near.example": "127.0.0.1" };
    const addressesOf = (name: string): Promise<string[]> => Promise.resolve([addresses[name] ?? "192.0.2.7"]);
    const policy = new ReferencePolicy({ ...world, inspect, addressesOf }, { definitions: [], allowRemoteRefs: true });
    const [file, url] = ["file:///work/api/a.yaml", "http://other.example/a.yaml"];
    for (const from of [file, url]) {
      await assert.rejects(policy.check({ uri: "http://far.example/", from, kind: "$ref" }), /link-local/);
    }
    await assert.rejects(policy.check({ uri: "http://near.example/", from: url, kind: "$ref" }), /another machine/);
    assert.ok((await policy.check({ uri: "http://near.example/", from: file, kind: "$ref" })).isOutside);
    await assert.rejects(policy.checkRedirect("http://near.example/", url), /another machine/);
  });
});

Deno.test("a definition may not refer to files of the system, with any flag", async (t) => {
  const folder = await Deno.makeTempDir();
  try {
    for (const keyword of ["$ref", "externalValue"] as const) {
      for (const target of ["/dev/zero", "file:///proc/self/environ", "/proc/1/../self/cmdline", "/sys/kernel/notes"]) {
        await t.step(`${keyword} ${target}`, async () => {
          const path = join(folder, "a.json");
          await Deno.writeTextFile(path, definition(target, keyword));
          assert.match((await remarksOn(path, true)).join("\n"), /files of the system aren't read|no such file/);
        });
      }
    }
    await t.step("a named pipe beside the definition", async () => {
      await new Deno.Command("mkfifo", { args: [join(folder, "pipe")] }).output();
      const path = join(folder, "a.json");
      await Deno.writeTextFile(path, definition("pipe"));
      assert.match((await remarksOn(path, true)).join("\n"), /it is no regular file/);
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a file URI that no path has is a broken reference", async (t) => {
  const folder = await Deno.makeTempDir();
  const path = join(folder, "a.json");
  const targets = ["a%2fb.json", "a%2Fb.json#/c", "..%2fpasswd", "a%00b.json", "a%zz.json", "file://elsewhere/a.json"];
  try {
    for (const keyword of ["$ref", "externalValue"] as const) {
      for (const target of targets) {
        await t.step(`${keyword} ${target}`, async () => {
          await Deno.writeTextFile(path, definition(target, keyword));
          const definitions = [await readDefinition(path, { readStdin })];
          const remarks = definitions.flatMap(({ document }) => document.diagnostics);
          assert.match(remarks.map(({ message }) => message).join("\n"), /leads nowhere/);
          assert.notEqual(displayName(new URL(target, pathToFileURL(path)).href), "");
          new Reloader(definitions, { readStdin, watch: true }, () => {}).close();
        });
      }
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

interface UrlCase {
  from: string;
  to: string;
  /** What is said without, and with, `--allow-remote-refs`; an empty pattern if nothing is. */
  without: RegExp;
  with: RegExp;
}

const ORIGIN = /has another origin.*--allow-remote-refs/;
const LINK_LOCAL = /link-local/;
const THIS_MACHINE = /may not lead to this one/;
const NOTHING = /^$/;

const URLS: readonly UrlCase[] = [
  { from: "file:///api/a.yaml", to: "http://192.0.2.1/b.yaml", without: NOTHING, with: NOTHING },
  { from: "file:///api/a.yaml", to: "http://localhost:8000/b.yaml", without: NOTHING, with: NOTHING },
  ...[
    "http://169.254.169.254/latest/meta-data",
    "http://0xa9fea9fe/",
    "http://2852039166/",
    "http://[fe80::1]/",
    "http://[::ffff:169.254.169.254]/",
    "http://[64:ff9b:1::169.254.169.254]/",
    "http://[fd00:ec2::254]/",
  ].flatMap((to): UrlCase[] => [
    { from: "file:///api/a.yaml", to, without: LINK_LOCAL, with: LINK_LOCAL },
    { from: "https://192.0.2.1/a.yaml", to, without: LINK_LOCAL, with: LINK_LOCAL },
  ]),
  { from: "https://192.0.2.1/a.yaml", to: "https://192.0.2.1/b.yaml", without: NOTHING, with: NOTHING },
  { from: "https://192.0.2.1/a.yaml", to: "https://192.0.2.2/b.yaml", without: ORIGIN, with: NOTHING },
  { from: "http://192.0.2.1/a.yaml", to: "http://192.0.2.1:81/b.yaml", without: ORIGIN, with: NOTHING },
  ...["http://localhost:8000/", "http://127.1:8000/", "http://[::1]:8000/", "http://0.0.0.0:8000/", "http://[::]/"].map(
    (
      to,
    ): UrlCase => ({ from: "http://192.0.2.1/a.yaml", to, without: ORIGIN, with: THIS_MACHINE }),
  ),
  { from: "http://localhost:8000/a.yaml", to: "http://localhost:8001/b.yaml", without: ORIGIN, with: NOTHING },
  {
    from: "http://192.0.2.1/a.yaml",
    to: "file:///etc/passwd",
    without: /may not refer to files/,
    with: /may not refer/,
  },
  {
    from: "http://192.0.2.1/a.yaml",
    to: pathToFileURL(import.meta.filename ?? "").href,
    without: /may not refer to files/,
    with: /may not refer to files/,
  },
];

for (const { from, to, ...wanted } of URLS) {
  for (const [flag, want] of Object.entries(wanted)) {
    Deno.test(`a text at ${from} that refers to ${to}, ${flag} --allow-remote-refs`, async () => {
      const policy = createReferencePolicy({ operands: [], allowRemoteRefs: flag === "with" });
      for (const kind of ["$ref", "externalValue"] as const) {
        const said = await policy.check({ uri: to, from, kind }).then(() => "", (error: Error) => error.message);
        assert.match(said, want);
      }
    });
  }
}

Deno.test("a fetched text, or an overlay, has no more rights because a file refers to it", async (t) => {
  const folder = await Deno.makeTempDir();
  const served: Record<string, string> = {
    "/part.json": JSON.stringify({ type: "string", examples: [], properties: { a: { $ref: "file:///etc/hostname" } } }),
    "/overlay.json": JSON.stringify({
      overlay: "1.0.0",
      info: { title: "O", version: "1" },
      actions: [{
        target: "$.paths['/pets'].get.responses['200'].content",
        update: { "text/csv": { examples: { one: { externalValue: "b.txt" } } } },
      }],
    }),
    "/swagger_overlay.json": JSON.stringify({
      overlay: "1.0.0",
      info: { title: "O", version: "1" },
      actions: [{ target: "$.definitions", update: { Secret: { $ref: "b.txt" } } }],
    }),
    "/self_overlay.json": JSON.stringify({
      overlay: "1.0.0",
      info: { title: "O", version: "1" },
      actions: [{ target: "$", update: { $self: pathToFileURL(`${folder}/moved/`).href } }],
    }),
    "/id_overlay.json": JSON.stringify({
      overlay: "1.0.0",
      info: { title: "O", version: "1" },
      actions: [{ target: "$.components.schemas.Pet", update: { $id: pathToFileURL(`${folder}/pet`).href } }],
    }),
    "/moved": "",
  };
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/moved") return Response.redirect("http://169.254.169.254/latest", 302);
    return new Response(served[pathname] ?? "", { status: served[pathname] === undefined ? 404 : 200 });
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  const path = join(folder, "a.json");
  try {
    await Deno.writeTextFile(join(folder, "b.txt"), "beside the definition");
    await t.step("a file of a fetched text", async () => {
      await Deno.writeTextFile(path, definition(`${url}/part.json`));
      assert.match((await remarksOn(path, true)).join("\n"), /a text that was fetched may not refer to files/);
    });
    await t.step("a redirect to a link-local address", async () => {
      await Deno.writeTextFile(path, definition(`${url}/moved`));
      assert.match((await remarksOn(path, true)).join("\n"), /redirects to .*link-local addresses/);
    });
    await t.step("a definition by URL that redirects to another port of this machine", async () => {
      await using other = Deno.serve(
        { port: 0, hostname: "127.0.0.1", onListen() {} },
        () => new Response(null, { status: 302, headers: { location: `${url}/part.json` } }),
      );
      const main = `http://127.0.0.1:${other.addr.port}/`;
      await assert.rejects(readDefinition(main, { readStdin }), /which is not read: another origin of this machine/);
    });
    await t.step("a file of this machine, after a redirect to another origin", async () => {
      await using other = Deno.serve(
        { port: 0, hostname: "127.0.0.1", onListen() {} },
        () => new Response(`{"$ref": "${url}/part.json"}`),
      );
      await Deno.writeTextFile(path, definition(`http://127.0.0.1:${other.addr.port}/`));
      assert.match((await remarksOn(path)).join("\n"), /another origin/);
    });
    await t.step("a definition that only a file outside, or another origin, completes", async () => {
      await Deno.writeTextFile(path, definition("c.json"));
      await Deno.writeTextFile(join(folder, "c.json"), PART);
      assert.equal(refersOutside(await readDefinition(path, { readStdin })), false);
      await Deno.writeTextFile(path, definition(`${url}/part.json`));
      assert.equal(refersOutside(await readDefinition(path, { readStdin })), true);
      await Deno.writeTextFile(path, definition(`${url}/absent.json`));
      assert.equal(refersOutside(await readDefinition(path, { readStdin })), false);
    });
    await t.step("a file of a fetched overlay, in a definition of Swagger 2.0", async () => {
      const swagger = {
        swagger: "2.0",
        info: { title: "Pets", version: "1" },
        paths: { "/pets": { get: { produces: ["text/csv"], responses: { 200: { description: "Pets" } } } } },
        definitions: { Pet: { $ref: "c.json" } },
      };
      await Deno.writeTextFile(path, JSON.stringify(swagger));
      const overlays = new OverlayFiles([`${url}/swagger_overlay.json`], [path], readStdin);
      const { document } = await readDefinition(path, { readStdin, overlays });
      const said = document.diagnostics.map(({ message }) => message).join("\n");
      assert.match(said, /b\.txt.*may not refer to files/);
      assert.doesNotMatch(said, /c\.json/);
    });
    await t.step("a relative reference in a schema with the $id of a fetched overlay", async () => {
      const document = JSON.parse(definition("#/components/schemas/Pet"));
      document.components = { schemas: { Pet: { allOf: [{ $ref: "c.json" }] } } };
      await Deno.writeTextFile(path, JSON.stringify(document));
      await Deno.writeTextFile(join(folder, "c.json"), PART);
      const overlays = new OverlayFiles([`${url}/id_overlay.json`], [path], readStdin);
      const read = await readDefinition(path, { readStdin, overlays });
      assert.match(
        read.document.diagnostics.map(({ message }) => message).join("\n"),
        /c\.json.*may not refer to files/,
      );
    });
    await t.step("a relative reference below the $self of a fetched overlay", async () => {
      await Deno.writeTextFile(path, definition("b.json").replace("3.1.0", "3.2.0"));
      await Deno.mkdir(join(folder, "moved"));
      await Deno.writeTextFile(join(folder, "moved", "b.json"), PART);
      const overlays = new OverlayFiles([`${url}/self_overlay.json`], [path], readStdin);
      const { document } = await readDefinition(path, { readStdin, overlays });
      assert.match(document.diagnostics.map(({ message }) => message).join("\n"), /b\.json.*may not refer to files/);
    });
    await t.step("a file of a fetched overlay", async () => {
      await Deno.writeTextFile(path, definition("c.json"));
      await Deno.writeTextFile(join(folder, "c.json"), PART);
      const overlays = new OverlayFiles([`${url}/overlay.json`], [path], readStdin);
      const { document } = await readDefinition(path, { readStdin, overlays });
      assert.equal(document.externalValues.size, 0);
      assert.match(document.diagnostics.map(({ message }) => message).join("\n"), /may not refer to files/);
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
