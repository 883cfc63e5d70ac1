import assert from "node:assert/strict";
import { join } from "node:path";
import { runGw, type Running, startGw } from "./process.ts";

const DEFINITION = `openapi: 3.1.0
info: { title: Todo, version: 1.0.0 }
paths:
  /todos:
    get:
      parameters: [{ name: limit, in: query, schema: { type: integer, maximum: 100 } }]
      responses:
        "200":
          description: All.
          content:
            application/json:
              schema: { type: array, items: { properties: { id: { type: integer } } } }
              example: [{ id: 1 }]
        "404": { description: None. }
  /todos/{id}:
    delete:
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses: { "204": { description: Gone. } }
`;

/** The properties of a JSON report that these tests need. */
interface Report {
  totals: Record<string, number>;
  operations: {
    method: string;
    path: string;
    requests: number;
    violations: { message: string; count: number; first: { url: string; excerpt?: string } }[];
  }[];
}

/** Makes a folder with the definition `todo.yaml`, and starts an upstream whose responses violate it. */
async function withUpstream(test: (folder: string, upstream: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => {
    return Response.json([{ id: "one" }, { id: 2 }]);
  });
  try {
    await Deno.writeTextFile(join(folder, "todo.yaml"), DEFINITION);
    await test(folder, `http://127.0.0.1:${server.addr.port}`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function ask(gw: Running, target: string): Promise<void> {
  await (await fetch(`${gw.url}${target}`)).body?.cancel();
}

async function reportOf(path: string): Promise<Report> {
  return JSON.parse(await Deno.readTextFile(path));
}

Deno.test("gw proxy reports requests and violations, without secrets, in the file and in the log", async () => {
  await withUpstream(async (folder, upstream) => {
    const args = ["proxy", "todo.yaml", upstream, "--report", "out.json"];
    await using gw = await startGw({ args, cwd: folder });
    assert.equal((await reportOf(join(folder, "out.json"))).totals.requests, 0);
    await ask(gw, "/todos?limit=500&api_key=k-123456");
    await ask(gw, "/todos");
    await ask(gw, "/nothing");
    gw.signal("SIGINT");
    const { code, stdout } = await gw.ended;
    assert.equal(code, 0);
    assert.match(stdout, /3 requests, to 1 of 2 operations\. 1 request and 2 responses violate the definition\. 1 req/);
    assert.match(stdout, /\nGET \/todos\n {2}! 2 times: Response body property \*\.id must be integer\.\n/);
    assert.match(stdout, /\nNot asked: DELETE \/todos\/\{id\}\.\n$/);
    const text = await Deno.readTextFile(join(folder, "out.json"));
    assert.ok(!text.includes("k-123456"));
    const { totals, operations: [todos] } = await reportOf(join(folder, "out.json"));
    assert.equal(totals.requests, 3);
    assert.deepEqual(todos?.violations.map(({ message, count, first }) => [message, count, first.excerpt]), [
      ["Response body property *.id must be integer.", 2, '"one"'],
      ["Request query parameter limit must be <= 100.", 1, "limit=500"],
    ]);
  });
});

const ENDS: { args: string[]; target?: string; code: number; says: RegExp }[] = [
  {
    args: ["proxy"],
    target: "/todos",
    code: 1,
    says: /1 response violates the definition\. --fail-on-violations ends gw proxy with 1\./,
  },
  {
    args: ["proxy", "--quiet"],
    target: "/todos?limit=500",
    code: 1,
    says: /1 request and 1 response violate the definition\. --f/,
  },
  { args: ["proxy", "--validate", "error"], target: "/todos", code: 1, says: /1 response violates/ },
  { args: ["proxy", "--report", "out.json"], target: "/todos", code: 1, says: /1 response violates/ },
  // A request to no operation is no violation, nor is a warning.
  { args: ["proxy"], target: "/nothing", code: 0, says: /^$/ },
  { args: ["proxy"], code: 0, says: /^$/ },
  {
    args: ["mock"],
    target: "/todos?limit=500",
    code: 1,
    says: /1 request violates the definition\. .* ends gw mock with 1\./,
  },
  { args: ["mock", "--quiet"], target: "/todos?limit=500", code: 1, says: /1 request violates the definition\./ },
  {
    args: ["mock", "--validate", "error"],
    target: "/todos?limit=500",
    code: 1,
    says: /1 request violates the definition\./,
  },
  { args: ["mock"], target: "/todos?limit=5", code: 0, says: /^$/ },
];

for (const { args: [command = "", ...flags], target, code, says } of ENDS) {
  Deno.test(`gw ${command} ${flags.join(" ")} --fail-on-violations ends with ${code} after ${target ?? "no request"}`, async () => {
    await withUpstream(async (folder, upstream) => {
      const operands = command === "proxy" ? ["todo.yaml", upstream] : ["todo.yaml"];
      await using gw = await startGw({ args: [command, ...operands, ...flags, "--fail-on-violations"], cwd: folder });
      if (target !== undefined) await ask(gw, target);
      gw.signal("SIGINT");
      const ended = await gw.ended;
      assert.equal(ended.code, code);
      assert.match(ended.stderr.trim(), says);
    });
  });
}

Deno.test("a query parameter that isn't declared is a warning in the report, with --strict-queries an error", async () => {
  await withUpstream(async (folder) => {
    for (const [flags, invalid] of [[[], 0], [["--strict-queries"], 1]] as const) {
      const args = ["mock", "todo.yaml", "--report", "out.json", ...flags];
      await using gw = await startGw({ args, cwd: folder });
      await ask(gw, "/todos?limt=10");
      gw.signal("SIGINT");
      const { stdout } = await gw.ended;
      const told = invalid === 0 ? "once, as a warning" : "once";
      assert.ok(stdout.includes(`! ${told}: Request query parameter limt is not declared, but limit is.`), stdout);
      assert.equal((await reportOf(join(folder, "out.json"))).totals.invalidRequests, invalid);
    }
  });
});

Deno.test("gw proxy refuses --fail-on-violations without checks", async () => {
  const args = ["proxy", "todo.yaml", "http://127.0.0.1:9", "--fail-on-violations", "--validate", "off"];
  await withUpstream(async (cwd) => {
    const { code, stderr } = await runGw({ args, cwd });
    assert.equal(code, 2);
    assert.match(stderr, /--fail-on-violations needs the checks that --validate off turns off\./);
  });
});

Deno.test("gw proxy --report tells which requests the upstream left without a response", async () => {
  await withUpstream(async (folder) => {
    const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
    const upstream = `http://127.0.0.1:${listener.addr.port}`;
    listener.close();
    const args = ["proxy", "todo.yaml", upstream, "--report", "out.xml"];
    await using gw = await startGw({ args, cwd: folder });
    await ask(gw, "/todos");
    gw.signal("SIGINT");
    const { stdout } = await gw.ended;
    assert.match(stdout, /GET \/todos 502 .*\n.*The upstream http:\/\/127\.0\.0\.1:\d+ can't be reached: /);
    assert.match(
      stdout,
      /\n1 request, to 1 of 2 operations\. 1 request got no response of the upstream\.\n {2}first: The /,
    );
    const xml = await Deno.readTextFile(join(folder, "out.xml"));
    assert.match(
      xml,
      / errors="1" [^]*<error message="1 request got no response of the upstream\." type="no-response">/,
    );
  });
});

Deno.test("gw mock --report counts mocked operations, over reloads", async () => {
  await withUpstream(async (folder) => {
    await using gw = await startGw({ args: ["mock", "todo.yaml", "--report", "out.json"], cwd: folder });
    await ask(gw, "/todos?limit=500");
    const from = gw.text().length;
    await Deno.writeTextFile(join(folder, "todo.yaml"), DEFINITION.replace("    delete:", "    put:"));
    await gw.until(/Reloaded todo\.yaml/, from);
    await ask(gw, "/todos");
    gw.signal("SIGTERM");
    assert.equal((await gw.ended).code, 0);
    const { operations } = await reportOf(join(folder, "out.json"));
    assert.deepEqual(operations.map(({ method, requests, violations }) => [method, requests, violations.length]), [
      ["GET", 2, 1],
      ["PUT", 0, 0],
    ]);
  });
});

Deno.test("gw mock without --report prints no summary, gw proxy --quiet neither", async (t) => {
  await withUpstream(async (folder, upstream) => {
    const cases = [["mock", "todo.yaml"], ["proxy", "todo.yaml", upstream, "--quiet"]];
    for (const args of cases) {
      await t.step(args.join(" "), async () => {
        await using gw = await startGw({ args, cwd: folder });
        await ask(gw, "/todos");
        gw.signal("SIGINT");
        assert.doesNotMatch((await gw.ended).stdout, /operations?\. /);
      });
    }
  });
});

Deno.test("gw proxy --report refuses a name that names no form, and a file that can't be written", async (t) => {
  await withUpstream(async (folder, upstream) => {
    const cases: [string, number, RegExp][] = [
      [
        "report.html",
        2,
        /^--report report\.html: a file is meant here whose name ends in \.json, \.xml \(JUnit\) or /m,
      ],
      ["none/out.json", 3, /^Cannot write the report none\/out\.json: there is no such folder\.$/m],
    ];
    for (const [name, code, message] of cases) {
      await t.step(name, async () => {
        const args = ["proxy", "todo.yaml", upstream, "--port", "0", "--report", name];
        const ended = await runGw({ args, cwd: folder });
        assert.equal(ended.code, code);
        assert.match(ended.stderr, message);
      });
    }
  });
});
