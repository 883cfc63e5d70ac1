import assert from "node:assert/strict";
import { openStateFile, type StateFile } from "../../../../cmd/io/files/state_file.ts";
import { EMPTY_STATE } from "../../../../lib/mock/state/store/initial_state.ts";
import { StateBudget } from "../../../../lib/mock/state/store/limits.ts";
import { State } from "../../../../lib/mock/state/store/store.ts";

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await run(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function emptyState(): State {
  return new State(EMPTY_STATE, new StateBudget());
}

async function open(path: string, state: State, pause?: number): Promise<{ file: StateFile; complaints: string[] }> {
  const complaints: string[] = [];
  const complain = (message: string) => void complaints.push(message);
  return {
    file: await openStateFile(path, state, { complain, ...(pause === undefined ? {} : { pause }) }),
    complaints,
  };
}

const pet = (name: string) => ({ key: name, scope: [], value: { name } });

Deno.test("a state file keeps what was written before it was closed; only the user may read it", async () => {
  await inFolder(async (folder) => {
    const path = `${folder}/state.json`;
    const state = emptyState();
    const { file } = await open(path, state);
    state.put("pets", pet("Tom"));
    assert.equal(await file.close(), undefined);
    if (Deno.build.os !== "windows") assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
    const again = emptyState();
    const { file: second } = await open(path, again);
    assert.deepEqual(again.get("pets", [], "Tom")?.value, { name: "Tom" });
    await second.close();
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["state.json"]);
  });
});

Deno.test("changes are written while the server runs", async () => {
  await inFolder(async (folder) => {
    const path = `${folder}/state.json`;
    const state = emptyState();
    const watcher = Deno.watchFs(folder);
    const { file } = await open(path, state, 1);
    state.put("pets", pet("Tom"));
    for await (const { paths } of watcher) {
      if (paths.some((changed) => changed.endsWith("state.json"))) break;
    }
    assert.match(await Deno.readTextFile(path), /Tom/);
    await file.close();
  });
});

Deno.test("an empty file, as of mktemp, is a state at its beginning", async () => {
  await inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/state.json`, "");
    const { file } = await open(`${folder}/state.json`, emptyState());
    await file.close();
    assert.equal(await Deno.readTextFile(`${folder}/state.json`), "");
  });
});

Deno.test("a file that can't be read, or isn't a state, is refused with what to do", async () => {
  await inFolder(async (folder) => {
    const broken = `${folder}/broken.json`;
    await Deno.writeTextFile(broken, '{"version": 1,\n oops');
    await assert.rejects(open(broken, emptyState()), (error: Error) => {
      assert.match(
        error.message,
        /^Cannot take the state from .*broken\.json: .*line 2 column 2.*\. Remove the file to begin anew/,
      );
      return true;
    });
    await assert.rejects(open(folder, emptyState()), /Cannot take the state from .*: it is a folder, not a file\./);
    await assert.rejects(open(`${folder}/none/state.json`, emptyState()), /there is no such folder/);
    assert.equal(await Deno.readTextFile(broken), '{"version": 1,\n oops');
  });
});

Deno.test("close() tells why the last of the state can't be written", async () => {
  await inFolder(async (folder) => {
    const inner = `${folder}/inner`;
    await Deno.mkdir(inner);
    const state = emptyState();
    const { file } = await open(`${inner}/state.json`, state);
    await Deno.remove(inner);
    state.put("pets", pet("Tom"));
    assert.match(await file.close() ?? "", /^Cannot keep the state in .*state\.json: there is no such folder\.$/);
  });
});

Deno.test("items of a resource that the definition doesn't have are reported, and stay in the file", async () => {
  await inFolder(async (folder) => {
    const path = `${folder}/state.json`;
    const state = emptyState();
    const { file } = await open(path, state);
    state.put("pets", pet("Tom"));
    await file.close();
    const again = emptyState();
    const { file: second, complaints } = await open(path, again);
    assert.deepEqual(complaints, [
      `The state in ${path} has items of pets that no operation shows: 1. The file keeps them.`,
    ]);
    again.put("toys", pet("Ball"));
    await second.close();
    assert.match(await Deno.readTextFile(path), /Tom/);
  });
});
