import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { readDefinition } from "../../../../cmd/io/files/definition.ts";
import { type Reload, Reloader } from "../../../../cmd/io/files/reloader.ts";

/** A temporary folder with a definition in two files. */
interface Desk {
  folder: string;
  /** The definition. */
  main: string;
  /** The file with the schema that the definition refers to. */
  pet: string;
  /** A file that the definition refers to and that doesn't exist at first. */
  absent: string;
  /** Resolves at the first report of the reloader. */
  reported: Promise<void>;
}

/**
 * The expected reports after an edit. `title` and `pet` are the title of the definition and the description of the
 * schema that are then in use.
 */
type Want = { title?: string; pet?: string; unreadable?: true; readable?: true; broken?: true }[];

const OPTIONS = { readStdin: () => Promise.reject(new Error("not used")), watch: true };

/** Milliseconds after which the test fails for lack of a report. */
const TIMEOUT = 8000;

function mainText(title: string): string {
  return `openapi: 3.1.0
info: {title: ${title}, version: 1.0.0}
paths: {}
components:
  schemas:
    Pet: {$ref: pets/pet.yaml}
    Absent: {$ref: absent/schema.yaml}
`;
}

const WAYS: Record<string, { edit: (desk: Desk) => Promise<void> | void; want: Want }> = {
  "in place": {
    edit: ({ main }) => Deno.writeTextFile(main, mainText("New")),
    want: [{ title: "New" }],
  },
  "in place, with the same length": {
    edit: ({ main }) => Deno.writeTextFile(main, mainText("Eld")),
    want: [{ title: "Eld" }],
  },
  "in place, with the same length and the old time": {
    edit: async ({ main }) => {
      const { mtime } = await Deno.stat(main);
      await Deno.writeTextFile(main, mainText("Eld"));
      await Deno.utime(main, mtime ?? 0, mtime ?? 0);
    },
    want: [{ title: "Eld" }],
  },
  "truncated, and written after a pause": {
    edit: async ({ main }) => {
      using file = await Deno.open(main, { write: true, truncate: true });
      await pause(150);
      await file.write(new TextEncoder().encode(mainText("New")));
    },
    want: [{ title: "New" }],
  },
  "written in halves, the first of which is valid": {
    edit: async ({ main }) => {
      using file = await Deno.open(main, { write: true, truncate: true });
      await file.write(new TextEncoder().encode(mainText("New").slice(0, 70)));
      await pause(200);
      await file.write(new TextEncoder().encode(mainText("New").slice(70)));
    },
    want: [{ title: "New" }],
  },
  "emptied, and written by another process later": {
    edit: async ({ main }) => {
      await Deno.writeTextFile(main, "");
      await pause(150);
      await Deno.writeTextFile(main, mainText("New"));
    },
    want: [{ title: "New" }],
  },
  "appended to": {
    edit: ({ main }) => Deno.writeTextFile(main, "x-note: more\n", { append: true }),
    want: [{ title: "Old" }],
  },
  "renamed over": {
    edit: async ({ main }) => {
      await Deno.writeTextFile(`${main}.tmp`, mainText("New"));
      await Deno.rename(`${main}.tmp`, main);
    },
    want: [{ title: "New" }],
  },
  "renamed over from another folder": {
    edit: async ({ main, folder }) => {
      await Deno.mkdir(`${folder}/tmp`);
      await Deno.writeTextFile(`${folder}/tmp/x`, mainText("New"));
      await Deno.rename(`${folder}/tmp/x`, main);
    },
    want: [{ title: "New" }],
  },
  "moved away and written anew, as Vim does": {
    edit: async ({ main }) => {
      await Deno.rename(main, `${main}~`);
      await Deno.writeTextFile(main, mainText("New"));
      await Deno.remove(`${main}~`);
    },
    want: [{ title: "New" }],
  },
  "moved away, and written after a pause": {
    edit: async ({ main }) => {
      await Deno.rename(main, `${main}~`);
      await pause(150);
      await Deno.writeTextFile(main, mainText("New"));
    },
    want: [{ title: "New" }],
  },
  "deleted and written anew": {
    edit: async ({ main }) => {
      await Deno.remove(main);
      await Deno.writeTextFile(main, mainText("New"));
    },
    want: [{ title: "New" }],
  },
  "deleted, and written anew when that was noticed": {
    edit: async ({ main, reported }) => {
      await Deno.remove(main);
      await reported;
      await Deno.writeTextFile(main, mainText("New"));
    },
    want: [{ unreadable: true }, { title: "New" }],
  },
  "moved away, and back when that was noticed": {
    edit: async ({ main, reported }) => {
      await Deno.rename(main, `${main}~`);
      await reported;
      await Deno.rename(`${main}~`, main);
    },
    want: [{ unreadable: true }, { readable: true }],
  },
  // The two edits follow each other without a pause. On a busy machine, a pause could last longer than a burst, so that
  // each edit would be reported.
  "saved twice in a row": {
    edit: ({ main }) => {
      Deno.writeTextFileSync(main, mainText("Draft"));
      Deno.writeTextFileSync(main, mainText("New"));
    },
    want: [{ title: "New" }],
  },
  "saved twenty times in a row": {
    edit: ({ main }) => {
      for (let draft = 0; draft < 20; draft++) Deno.writeTextFileSync(main, mainText(`Draft${draft}`));
      Deno.writeTextFileSync(main, mainText("New"));
    },
    want: [{ title: "New" }],
  },
  "broken, and mended when that was noticed": {
    edit: async ({ main, reported }) => {
      await Deno.writeTextFile(main, "openapi: [3.1.0\n");
      await reported;
      await Deno.writeTextFile(main, mainText("New"));
    },
    want: [{ broken: true }, { title: "New" }],
  },
  "a link, pointed elsewhere": {
    edit: async ({ main, folder }) => {
      await Deno.writeTextFile(`${folder}/new.yaml`, mainText("New"));
      await Deno.symlink("../new.yaml", `${folder}/link`);
      await Deno.rename(`${folder}/link`, main);
    },
    want: [{ title: "New" }],
  },
  "a link from then on, with edits of its target": {
    edit: async ({ main, folder }) => {
      await Deno.mkdir(`${folder}/elsewhere`);
      await Deno.rename(main, `${folder}/elsewhere/real.yaml`);
      await Deno.symlink("../elsewhere/real.yaml", main);
      await pause(300);
      await Deno.writeTextFile(`${folder}/elsewhere/real.yaml`, mainText("New"));
    },
    want: [{ title: "New" }],
  },
  "a link through a link to a folder that is switched, as Kubernetes mounts a ConfigMap": {
    edit: async ({ main, folder }) => {
      const mount = dirname(main);
      await copyFolder(mount, `${folder}/..v1`);
      await Deno.rename(`${folder}/..v1`, `${mount}/..v1`);
      await Deno.symlink("..v1", `${mount}/..data`);
      await Deno.remove(main);
      await Deno.symlink("..data/openapi.yaml", main);
      await pause(400);
      await copyFolder(`${mount}/..v1`, `${folder}/..v2`);
      await Deno.rename(`${folder}/..v2`, `${mount}/..v2`);
      await Deno.writeTextFile(`${mount}/..v2/openapi.yaml`, mainText("New"));
      await Deno.symlink("..v2", `${mount}/..data_tmp`);
      await Deno.rename(`${mount}/..data_tmp`, `${mount}/..data`);
      await Deno.remove(`${mount}/..v1`, { recursive: true });
    },
    want: [{ title: "New" }],
  },
  "a hard link, put in its place": {
    edit: async ({ main, folder }) => {
      await Deno.writeTextFile(`${folder}/new.yaml`, mainText("New"));
      await Deno.remove(main);
      await Deno.link(`${folder}/new.yaml`, main);
    },
    want: [{ title: "New" }],
  },
  "its folder, replaced": {
    edit: async ({ main, folder }) => {
      await copyFolder(dirname(main), `${folder}/next`);
      await Deno.writeTextFile(`${folder}/next/openapi.yaml`, mainText("New"));
      await Deno.rename(dirname(main), `${folder}/previous`);
      await Deno.rename(`${folder}/next`, dirname(main));
    },
    want: [{ title: "New" }],
  },
  "its folder, replaced, and then the file in the new folder": {
    edit: async ({ main, folder }) => {
      await copyFolder(dirname(main), `${folder}/next`);
      await Deno.rename(dirname(main), `${folder}/previous`);
      await Deno.rename(`${folder}/next`, dirname(main));
      await pause(300);
      await Deno.writeTextFile(main, mainText("New"));
    },
    want: [{ title: "New" }],
  },
  "a file that it refers to": {
    edit: ({ pet }) => Deno.writeTextFile(pet, "description: new"),
    want: [{ pet: "new" }],
  },
  "a file that it refers to, renamed over": {
    edit: async ({ pet }) => {
      await Deno.writeTextFile(`${pet}.tmp`, "description: new");
      await Deno.rename(`${pet}.tmp`, pet);
    },
    want: [{ pet: "new" }],
  },
  "a file that it refers to, gone": {
    edit: ({ pet }) => Deno.remove(pet),
    want: [{ broken: true }],
  },
  "a file that was missing, in a folder that was missing": {
    edit: async ({ absent }) => {
      await Deno.mkdir(dirname(absent));
      await Deno.writeTextFile(absent, "description: here now");
    },
    want: [{ title: "Old" }],
  },
  "a file that an edit starts to refer to": {
    edit: async ({ main, folder, reported }) => {
      await Deno.writeTextFile(`${dirname(main)}/cat.yaml`, "description: cat");
      await Deno.writeTextFile(main, mainText("Old").replace("pets/pet.yaml", "cat.yaml"));
      await reported;
      await Deno.writeTextFile(`${folder}/cat.tmp`, "description: new cat");
      await Deno.rename(`${folder}/cat.tmp`, `${dirname(main)}/cat.yaml`);
    },
    want: [{ pet: "cat" }, { pet: "new cat" }],
  },
  "both files at once": {
    edit: ({ main, pet }) => {
      Deno.writeTextFileSync(main, mainText("New"));
      Deno.writeTextFileSync(pet, "description: new");
    },
    want: [{ title: "New", pet: "new" }],
  },
  "touched": {
    edit: async ({ main, pet }) => {
      await Deno.utime(main, new Date(), new Date());
      await Deno.chmod(main, 0o600);
      await pause(300);
      await Deno.writeTextFile(pet, "description: the end");
    },
    want: [{ pet: "the end" }],
  },
  "saved with the contents it had": {
    edit: async ({ main, pet }) => {
      await Deno.writeTextFile(main, mainText("Old"));
      await pause(300);
      await Deno.writeTextFile(pet, "description: the end");
    },
    want: [{ pet: "the end" }],
  },
};

Deno.test("Reloader follows every way of saving a file, once", async (t) => {
  // All cases run at the same time, since they mostly wait.
  const checks = Object.entries(WAYS).map(([way, { edit, want }]) => ({ way, outcome: check(edit, want) }));
  await Promise.allSettled(checks.map(({ outcome }) => outcome));
  for (const { way, outcome } of checks) await t.step(way, () => outcome);
});

async function check(edit: (desk: Desk) => Promise<void> | void, want: Want): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  const api = join(folder, "api");
  const reported = Promise.withResolvers<void>();
  const desk: Desk = {
    folder,
    main: `${api}/openapi.yaml`,
    pet: `${api}/pets/pet.yaml`,
    absent: `${api}/absent/schema.yaml`,
    reported: reported.promise,
  };
  await Deno.mkdir(dirname(desk.pet), { recursive: true });
  await Deno.writeTextFile(desk.main, mainText("Old"));
  await Deno.writeTextFile(desk.pet, "description: old");
  const definition = await readDefinition(desk.main, OPTIONS);

  const seen: Want = [];
  const done = Promise.withResolvers<void>();
  const reloader = new Reloader([definition], OPTIONS, (reload) => {
    seen.push(summary(reload));
    reported.resolve();
    if (seen.length === want.length) done.resolve();
  });
  const timer = setTimeout(() => {
    reported.resolve();
    done.resolve();
  }, TIMEOUT);
  try {
    await edit(desk);
    await done.promise;
    // Wait a little: a second report of the same edit would be an error.
    await pause(250);
    assert.deepEqual(seen, want.map((part, index) => ({ ...seen[index], ...part })));
  } finally {
    clearTimeout(timer);
    reloader.close();
    await Deno.remove(folder, { recursive: true });
  }
}

function summary(reload: Reload): Want[number] {
  switch (reload.kind) {
    case "broken":
      return { broken: true };
    case "unreadable":
      return { unreadable: true };
    case "readable":
      return { readable: true };
    case "reloaded": {
      const document = reload.definitions[0]?.document;
      const title = /title: (\w+)/.exec(document?.root.source.text() ?? "")?.[1] ?? "";
      const schema = [...document?.sources.values() ?? []].find(({ uri }) => /(pet|cat)\.yaml$/.test(uri));
      const pet = /description: (.*)/.exec(schema?.text() ?? "")?.[1] ?? "";
      return { title, pet };
    }
  }
}

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to);
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    await (isDirectory
      ? copyFolder(`${from}/${name}`, `${to}/${name}`)
      : Deno.copyFile(`${from}/${name}`, `${to}/${name}`));
  }
}

/** Separates two bursts of changes, where the first one isn't reported and thus can't be awaited. */
function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
