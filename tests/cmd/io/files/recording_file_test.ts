import assert from "node:assert/strict";
import { join } from "node:path";
import { openRecordingFile, type RecordingFile } from "../../../../cmd/io/files/recording_file.ts";
import type { Exchange } from "../../../../lib/observe/exchange.ts";
import { createBodyGenerator } from "../../../../lib/mock/generate/generate.ts";
import { Recording } from "../../../../lib/observe/record/recording.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { listOperations } from "../../../../lib/openapi/operation.ts";
import { createDocumentValidator } from "../../../../lib/schema/document_validator.ts";

const document = await parseDocument(`
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
paths:
  /pets/{id}:
    get: {responses: {"200": {description: A pet, content: {application/json: {}}}}}
`);

function exchangeOf(id: number): Exchange {
  const [operation] = listOperations(document);
  assert.ok(operation);
  const body = new TextEncoder().encode(`{"id":${id}}`);
  return {
    operation,
    pathParameters: { id: String(id) },
    request: { method: "GET", url: `http://localhost/pets/${id}`, headers: new Headers() },
    response: { status: 200, headers: new Headers({ "content-type": "application/json" }), body, isUpstream: true },
    requestViolations: [],
    responseViolations: [],
  };
}

async function open(path: string, complaints: string[] = []): Promise<RecordingFile> {
  const recording = new Recording({
    documents: [document],
    validatorOf: createDocumentValidator,
    generatorOf: createBodyGenerator,
  });
  const complain = (message: string): void => void complaints.push(message);
  return await openRecordingFile(path, recording, {
    note: complain,
    unrecorded: (_, remarks) => remarks.forEach(complain),
    complain,
    delay: 1,
  });
}

async function inFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function namesIn(text: string): string[] {
  return [...text.matchAll(/^ {8}(id-\d+):$/gm)].map(([, name = ""]) => name);
}

Deno.test("a recording is written while it grows, and read when it is opened again", () =>
  inFolder(async (folder) => {
    const path = join(folder, "recorded.yaml");
    const watcher = Deno.watchFs(folder);
    const first = await open(path);
    first.observe(exchangeOf(1));
    for await (const { paths } of watcher) if (paths.includes(path)) break;
    assert.deepEqual(namesIn(await Deno.readTextFile(path)), ["id-1"]);
    first.observe(exchangeOf(2));
    await first.close();

    const second = await open(path);
    second.observe(exchangeOf(3));
    await second.close();
    assert.deepEqual(namesIn(await Deno.readTextFile(path)), ["id-1", "id-2", "id-3"]);
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["recorded.yaml"]);
  }));

Deno.test("a new recording is private, an old one keeps its permissions and its link", {
  ignore: Deno.build.os === "windows",
}, () =>
  inFolder(async (folder) => {
    const path = join(folder, "recorded.yaml");
    const first = await open(path);
    first.observe(exchangeOf(1));
    await first.close();
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);

    await Deno.chmod(path, 0o644);
    const link = join(folder, "link.yaml");
    await Deno.symlink(path, link);
    const second = await open(link);
    second.observe(exchangeOf(2));
    await second.close();
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o644);
    assert.ok((await Deno.lstat(link)).isSymlink);
    assert.deepEqual(namesIn(await Deno.readTextFile(path)), ["id-1", "id-2"]);
  }));

Deno.test("a file that is no recording, and a folder that isn't there, are refused at once", () =>
  inFolder(async (folder) => {
    const path = join(folder, "openapi.yaml");
    await Deno.writeTextFile(path, "openapi: 3.1.0\n");
    await assert.rejects(
      open(path),
      /Cannot add to .*openapi\.yaml: It is no overlay.* Name another file with --record/,
    );
    assert.equal(await Deno.readTextFile(path), "openapi: 3.1.0\n");
    await assert.rejects(open(join(folder, "none", "recorded.yaml")), /there is no such folder\.$/);
  }));

Deno.test("a file that can't be written is complained of once, and the recording goes on", () =>
  inFolder(async (folder) => {
    const path = join(folder, "inner", "recorded.yaml");
    await Deno.mkdir(join(folder, "inner"));
    const complaints: string[] = [];
    const file = await open(path, complaints);
    await Deno.remove(join(folder, "inner"));
    file.observe(exchangeOf(1));
    await file.close();
    await file.close();
    assert.deepEqual(complaints.map((text) => text.replace(folder, "")), [
      "Cannot write the recording /inner/recorded.yaml: there is no such file.",
    ]);
    await Deno.mkdir(join(folder, "inner"));
    await file.close();
    assert.deepEqual(namesIn(await Deno.readTextFile(path)), ["id-1"]);
  }));

Deno.test("exchanges beyond what may wait are left out, with one remark", async (t) => {
  for (
    const { name, size, count } of [{ name: "large", size: 40 * 1024 * 1024, count: 3 }, {
      name: "many",
      size: 0,
      count: 5_000,
    }]
  ) {
    await t.step(name, () =>
      inFolder(async (folder) => {
        const remarks: string[] = [];
        const file = await open(join(folder, "recorded.yaml"), remarks);
        const exchange = exchangeOf(1);
        const body = new Uint8Array(size);
        for (let asked = 0; asked < count; asked++) {
          file.observe({ ...exchange, response: { ...exchange.response, body } });
        }
        await file.close();
        assert.equal(
          remarks.filter((remark) => remark.startsWith("Exchanges come faster")).length,
          1,
        );
      }));
  }
});
