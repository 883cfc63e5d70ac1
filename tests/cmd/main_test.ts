import assert from "node:assert/strict";
import { createOutput, type Output } from "../../cmd/io/terminal/terminal.ts";
import type { Platform } from "../../cmd/line/platform.ts";
import config from "../../deno.json" with { type: "json" };
import { finish, main } from "../../main.ts";

async function run(
  line: string,
  env: Record<string, string> = {},
): Promise<{ code: number; out: string; err: string }> {
  const written = { out: "", err: "" };
  const output = (name: "out" | "err"): Output => ({
    color: false,
    waiting: 0,
    isClosed: false,
    write: (text) => {
      written[name] += text;
    },
    flush: () => Promise.resolve(),
  });
  const platform: Platform = {
    env: (name) => env[name],
    envNames: () => Object.keys(env),
    readStdin: () => Promise.reject(new Error("not used")),
    onStop: () => () => {},
    stdout: output("out"),
    stderr: output("err"),
  };
  const code = await main(line === "" ? [] : line.split(" "), platform);
  return { code, ...written };
}

Deno.test("gw explains an invalid command line, suggests a correction, and ends with 2", async (t) => {
  const cases: { line: string; env?: Record<string, string>; want: RegExp }[] = [
    { line: "", want: /^gw mocks, .*\n\n {2}\w+ +\w+/ },
    {
      line: "--port 3000 mock",
      want: /^There is no flag --port of gw itself\. Write flags after the command: gw mock --port 3000\n/,
    },
    {
      line: "--port=80 pets.yaml mock",
      want: /^There is no flag --port=80 of gw itself\. .*: gw mock --port=80 pets\.yaml\n/,
    },
    { line: "--port 80", want: /^There is no flag --port of gw itself\. .*: gw <command> --port\n/ },
    { line: "-v", want: /^There is no flag -v\. Did you mean gw -V\?/ },
    { line: "lint a.yaml", want: /^There is no command lint\.\nSee gw --help\.\n$/ },
    { line: "run", want: /^There is no command run\.\nSee gw --help\.\n$/ },
    { line: "mcok", want: /^There is no command mcok\. Did you mean gw mock\?/ },
    { line: "val", want: /^There is no command val\. Did you mean gw validate\?/ },
    {
      line: "render a.yaml --profile envoy",
      want: /^--profile envoy: one of envoy-gateway, portable is meant here\. Did you mean envoy-gateway\?/,
    },
    { line: "mo", want: /^There is no command mo\. Did you mean gw mock\?/ },
    { line: "a'b.yaml", want: /^There is no command 'a'\\''b\.yaml'\. Did you mean gw mock 'a'\\''b\.yaml'\?/ },
    { line: " ", want: /^There is no command ''\.\n/ },
    { line: "--mock", want: /^There is no flag --mock\. Did you mean gw mock\?/ },
    { line: "mock a.yaml -P 80", want: /^There is no flag -P\. Did you mean -p\?/ },
    { line: "pets.yaml -p 3000", want: /^There is no command pets\.yaml\. Did you mean gw mock pets\.yaml -p 3000\?/ },
    { line: "https://h/api", want: /^There is no command https:\/\/h\/api\. Did you mean gw mock https:\/\/h\/api\?/ },
    { line: "version", want: /^There is no command version\. Did you mean gw --version\?/ },
    { line: "mokc a.yaml", want: /^There is no command mokc\. Did you mean gw mock\?\nSee gw --help\.\n$/ },
    { line: "constructor", want: /^There is no command constructor\./ },
    { line: "--hlep", want: /^There is no flag --hlep\. Did you mean gw --help\?/ },
    {
      line: "mock a.yaml --prot 3000",
      want: /^There is no flag --prot\. Did you mean --port\?\nSee gw mock --help\.\n$/,
    },
    { line: "mock a.yaml --constructor", want: /^There is no flag --constructor\./ },
    { line: "mock a.yaml -x", want: /^There is no flag -x\./ },
    {
      line: "mock",
      want:
        /^Which definition\? Name a file, a URL, or - for standard input\. There is none in this folder; gw init writes a sample\.\n/,
    },
    { line: "deploy - --watch", want: /^Standard input can't be watched; deploy it again when it has changed\.\n/ },
    { line: "deploy http://localhost/a.yaml -w", want: /^A URL can't be watched; deploy it again when / },
    { line: "mock - -", want: /^Standard input \(-\) can be read only once\./ },
    {
      line: "proxy a.yaml http://h --report a.md --report b.json",
      want: /^--report is given twice: a\.md and b\.json\. Give it once\.\nSee gw proxy --help\.\n$/,
    },
    { line: "proxy a.yaml http://h --record a --record b", want: /^--record is given twice: a and b\. Give it once\./ },
    {
      line: "mock a.yaml --report a.md --report b.md --report a.md",
      want: /^--report is given 3 times: a\.md and b\./,
    },
    { line: "mock a.yaml --port 80 -p x", want: /^--port x: a whole number from 0 to 65535 is meant here\./ },
    { line: "mock a.yaml --report a --report a", want: /^--report a: a file is meant here / },
    { line: "mock a.yaml --port", want: /^--port needs a value: -p, --port PORT\.\n/ },
    { line: "mock a.yaml --port --quiet", want: /^--port needs a value/ },
    { line: "mock a.yaml --port 80a", want: /^--port 80a: a whole number from 0 to 65535 is meant here\./ },
    { line: "mock a.yaml -p -1", want: /^--port -1: a whole number from 0 to 65535 is meant here\./ },
    {
      line: "mock a.yaml --delay 300-100",
      want: /^--delay 300-100: milliseconds are meant here, such as 200 or 100-300\./,
    },
    { line: "mock a.yaml --delay 600001", want: /^--delay 600001: milliseconds are meant .* The most is 600000\./ },
    { line: "mock a.yaml --delay 1-3000000000", want: /^--delay 1-3000000000: .* The most is 600000\./ },
    {
      line: "mock a.yaml --stream-interval 3000000000",
      want: /^--stream-interval 3000000000: a number from 0 to 600000 is meant here\./,
    },
    { line: "mock http://h --poll 1e9", want: /^--poll 1e9: a number from 0\.1 to 86400 is meant here\./ },
    {
      line: "mock a.yaml --log-format jsn",
      want: /^--log-format jsn: one of text, json is meant here\. Did you mean json\?/,
    },
    {
      line: "mock a.yaml --proxy http://h --cors-origin h",
      want: /^--cors-origin h: an origin is meant here, such as /,
    },
    { line: "mock a.yaml --trusted-proxy 10.0.0.0/8", want: /^--trusted-proxy .* add --proxy URL\./ },
    { line: "mock a.yaml --proxy-unknown", want: /^--proxy-unknown needs an upstream: add --proxy URL\./ },
    { line: "proxy", want: /^Which definition, and which server\? Write gw proxy openapi\.yaml https:/ },
    { line: "proxy a.yaml", want: /^Which server\? The last argument, a\.yaml, is not a URL\. / },
    {
      line: "proxy a.yaml localhost:3000",
      want:
        /^Which server\? The last argument, localhost:3000, is not a URL\. Did you mean gw proxy a\.yaml http:\/\/localhost:3000\?/,
    },
    { line: "proxy http://localhost:3000 a.yaml", want: / Did you mean gw proxy a\.yaml http:\/\/localhost:3000\?/ },
    { line: "proxy localhost:3000/v1 a.yaml", want: / Did you mean gw proxy a\.yaml http:\/\/localhost:3000\/v1\?/ },
    { line: "proxy a.yaml :3000", want: / Did you mean gw proxy a\.yaml http:\/\/localhost:3000\?/ },
    {
      line: "proxy a.yaml b.yaml api.example.com",
      want: / Did you mean gw proxy a\.yaml b\.yaml https:\/\/api\.example\.com\?/,
    },
    { line: "proxy localhost:3000", want: / Did you mean gw proxy openapi\.yaml http:\/\/localhost:3000\?/ },
    { line: "proxy a.yaml b.json", want: / is not a URL\. Write gw proxy openapi\.yaml https:/ },
    {
      line: "mock a.yaml --proxy localhost:3000",
      want: /^--proxy localhost:3000: a URL such as http:\/\/localhost:3000 is/,
    },
    { line: "serve --service a/b=localhost:3000", want: /did you mean a\/b=http:\/\/localhost:3000\?/ },
    { line: "proxy https://h", want: /^Which definition\? Name a file, .* There is none in this folder/ },
    { line: "proxy a.yaml https://h --dynamic", want: /^There is no flag --dynamic\.|--dynamic is / },
    { line: "proxy a.yaml https://h --tls-cert a.pem", want: /^--tls-cert and --tls-key need each other\./ },
    { line: "mock a.yaml --quiet=maybe", want: /^--quiet maybe: a switch is true or false\./ },
    { line: "mock a.yaml --tls-cert a.pem", want: /^--tls-cert and --tls-key need each other\./ },
    { line: "mock a.yaml", env: { GW_MOCK_PORT: "x" }, want: /^GW_MOCK_PORT x: a whole number / },
    {
      line: "mock a.yaml",
      env: { GW_MOCK_DYNAMIC: "perhaps" },
      want: /^GW_MOCK_DYNAMIC perhaps: a switch is true or false\./,
    },
  ];
  for (const { line, env, want } of cases) {
    await t.step(`gw ${line}${env === undefined ? "" : ` with ${JSON.stringify(env)}`}`, async () => {
      const { code, out, err } = await run(line, env);
      assert.match(err, want);
      assert.equal(out, "");
      assert.equal(code, 2);
    });
  }
});

Deno.test("gw warns of variables that match no flag, and suggests a correction", async (t) => {
  const cases: { line: string; env: Record<string, string>; want: RegExp }[] = [
    {
      line: "mock absent.yaml",
      env: { GW_MOCK_PROT: "3000", GW_MOCK_PORT: "0", GW_SERVE_X: "1", GW_SERVER: "http://a" },
      want:
        /^! The environment variable GW_MOCK_PROT means no flag of gw mock\. Did you mean GW_MOCK_PORT\?\nCannot read/,
    },
    { line: "mock absent.yaml", env: { GW_MOCK_LOG_FORMAT: "text" }, want: /^Cannot read/ },
    {
      line: "serve --config absent.yaml",
      env: { GW_SERVE_XYZ: "1" },
      want: /^! The environment variable GW_SERVE_XYZ means no flag of gw serve\.\nCannot read/,
    },
  ];
  for (const { line, env, want } of cases) {
    await t.step(`gw ${line} with ${JSON.stringify(env)}`, async () => {
      const { code, err } = await run(line, env);
      assert.match(err, want);
      assert.equal(code, 3);
    });
  }
});

Deno.test("gw --version prints the version", async () => {
  for (const line of ["--version", "-V"]) {
    assert.deepEqual(await run(line), { code: 0, out: `gw ${config.version}\n`, err: "" });
  }
});

Deno.test("gw --help lists the commands", async () => {
  for (const line of ["--help", "-h", "help"]) {
    const { code, out } = await run(line);
    assert.equal(code, 0);
    assert.match(out, /^ {2}mock +Answer every operation/m);
  }
});

Deno.test("gw mock --help lists the flags, and shows examples", async () => {
  for (const line of ["mock --help", "mock a.yaml --prot -h", "help mock"]) {
    const { code, out, err } = await run(line);
    assert.equal(err, "");
    assert.equal(code, 0);
    assert.match(out, /^ {2}-p, --port PORT +Port to listen on/m);
    assert.match(
      out,
      /^ {2}--query-array FORMAT .*\n +otherwise: repeat, comma, space, pipe, brackets, indices or dots\.$/m,
    );
    assert.match(out, /GW_MOCK_LOG_FORMAT is --log-format|GW_MOCK_\w+ is --/);
    assert.match(out, /^Examples:\n {2}gw mock openapi\.yaml$/m);
  }
});

Deno.test("the help of a command without flags names no environment variable", async () => {
  const { out } = await run("man --help");
  assert.match(out, /^Examples:$/m);
  assert.doesNotMatch(out, /environment variable/);
});

Deno.test("finish() reports output that couldn't be written, and leaves the exit codes of failures and servers", async (t) => {
  const full = new Error("No space left on device (os error 28)");
  const cases: { word?: string; error?: Error; code: number; want: { code: number; err: string } }[] = [
    { code: 0, want: { code: 0, err: "" } },
    { error: new Deno.errors.BrokenPipe(), code: 0, want: { code: 0, err: "" } },
    { error: full, code: 0, want: { code: 3, err: `The output is incomplete: ${full.message}.\n` } },
    { word: "serve", error: full, code: 0, want: { code: 0, err: "" } },
    { error: full, code: 1, want: { code: 1, err: `The output is incomplete: ${full.message}.\n` } },
  ];
  for (const { word = "man", error, code, want } of cases) {
    await t.step(`${word} ${error?.name} ${code}`, async () => {
      let err = "";
      const write = (bytes: Uint8Array) => error === undefined ? Promise.resolve(bytes.length) : Promise.reject(error);
      const stdout = createOutput({ write }, { color: false });
      const errors = (bytes: Uint8Array) => {
        err += new TextDecoder().decode(bytes);
        return Promise.resolve(bytes.length);
      };
      stdout.write("line\n");
      const stderr = createOutput({ write: errors }, { color: false });
      assert.deepEqual({ code: await finish(word, code, { stdout, stderr }), err }, want);
    });
  }
});
