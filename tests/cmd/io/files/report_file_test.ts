import assert from "node:assert/strict";
import { join } from "node:path";
import { ReportFile, reportName } from "../../../../cmd/io/files/report_file.ts";
import { Coverage } from "../../../../lib/observe/report/coverage.ts";
import type { Run } from "../../../../lib/observe/report/summary.ts";

const RUN: Run = { command: "gw proxy", started: "2026-11-22T20:00:00Z", seconds: 1 };

function reportAt(path: string): ReportFile {
  return new ReportFile(path, () => ({ summary: new Coverage().summarize([]), run: RUN }), () => assert.fail());
}

async function inFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("reportName() refuses a name whose ending names no form", () => {
  for (const name of ["report.json", "a/b.XML", "./report.md"]) assert.equal(reportName(name), name);
  for (const name of ["report", "report.html", "json", "report.json/", "/dev/stdout"]) {
    assert.throws(() => reportName(name), { name: "RangeError", message: /ends in \.json, \.xml \(JUnit\) or \.md/ });
  }
});

Deno.test("ReportFile writes the form that the name's ending says, and nothing beside it", async () => {
  await inFolder(async (folder) => {
    const cases = {
      "a.json": /^\{\n {2}"version": 1,/,
      "b.xml": /^<\?xml .*<testsuites /,
      "c.md": /^# Report of gw proxy\n/,
    };
    for (const [name, want] of Object.entries(cases)) {
      assert.equal(await reportAt(join(folder, name)).write(), undefined);
      assert.match(await Deno.readTextFile(join(folder, name)), want);
    }
    assert.deepEqual(Array.from(Deno.readDirSync(folder), ({ name }) => name).toSorted(), Object.keys(cases));
  });
});

Deno.test("ReportFile replaces an earlier report as a whole, through a symbolic link", async () => {
  await inFolder(async (folder) => {
    await Deno.writeTextFile(join(folder, "real.md"), "x".repeat(100_000));
    await Deno.symlink("real.md", join(folder, "link.md"));
    const report = reportAt(join(folder, "link.md"));
    // Concurrent writes must not disturb each other: both succeed.
    assert.deepEqual(await Promise.all([report.write(), report.write()]), [undefined, undefined]);
    assert.ok((await Deno.lstat(join(folder, "link.md"))).isSymlink);
    assert.match(await Deno.readTextFile(join(folder, "real.md")), /^# Report.*\n$/s);
  });
});

Deno.test(
  "ReportFile keeps the permissions of an earlier report",
  { ignore: Deno.build.os === "windows" },
  async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "report.json");
      await Deno.writeTextFile(path, "", { mode: 0o600 });
      assert.equal(await reportAt(path).write(), undefined);
      assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
    });
  },
);

Deno.test("ReportFile writes many changes once, after a while, and complains if it can't", async () => {
  await inFolder(async (folder) => {
    const complaint = Promise.withResolvers<string>();
    let written = 0;
    const contents = () => {
      written++;
      return { summary: new Coverage().summarize([]), run: RUN };
    };
    const report = new ReportFile(join(folder, "none", "a.md"), contents, complaint.resolve, 1);
    for (let change = 0; change < 100; change++) report.changed();
    // The report's timer doesn't keep the process alive, so this timer does.
    const alive = setInterval(() => {}, 1_000);
    assert.match(await complaint.promise, /^Cannot write the report /);
    clearInterval(alive);
    assert.equal(written, 1);
  });
});

Deno.test("ReportFile tells why a report can't be written, and leaves nothing behind", async () => {
  await inFolder(async (folder) => {
    await Deno.mkdir(join(folder, "folder.md"));
    const cases: [string, RegExp][] = [
      ["none/report.md", /^Cannot write the report .*none\/report\.md: there is no such folder\.$/],
      ["folder.md", /^Cannot write the report .*folder\.md: .*\.$/],
    ];
    for (const [name, want] of cases) assert.match(await reportAt(join(folder, name)).write() ?? "", want);
    assert.deepEqual(Array.from(Deno.readDirSync(folder), ({ name }) => name), ["folder.md"]);
  });
});
