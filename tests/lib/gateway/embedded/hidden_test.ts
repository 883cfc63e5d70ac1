/**
 * Requests that must not reach a static route, however they are spelt: for disabled paths, for undeclared methods, for
 * other spellings of declared paths, and with malformed hosts.
 *
 * @module
 */
import assert from "node:assert/strict";
import { UNDECLARED_REQUESTS } from "../../../undeclared_requests.ts";
import { definition, plan, planStatic, serve, serveFleet, type TestServer, to } from "./fleet.ts";

const OK = 'responses: {"200": {description: Fine.}}';
const OFF = "x-svc: {disabled: true}";
const ON = "x-svc: {disabled: false}";
const JWT = "x-svc: {auth: {jwt: {providers: [{name: id, jwks_uri: 'http://127.0.0.1:1/keys'}]}}}";

const PATHS = [
  `/pets: {get: {${OK}}, post: {${OK}}}`,
  `/pets/{id}: {get: {${OK}}, put: {${OK}}}`,
  `/pets/mine: {get: {${OK}, ${OFF}}, post: {${OK}}}`,
  `/admin: {${OFF}, get: {${OK}}, patch: {${OK}, ${ON}}}`,
  `/admin/{x}: {${OFF}, get: {${OK}}}`,
  `/empty: {${OFF}}`,
  `/closed/: {${OFF}, get: {${OK}}}`,
  `/both: {${OFF}, get: {${OK}}}`,
  `/both/: {get: {${OK}}}`,
  `/secret: {get: {${OK}, ${JWT}}}`,
  `/a/b: {get: {${OK}}}`,
].join("\n  ");

/**
 * The expected result of each request: the name of the upstream that answers (of the API or of the static route), or a
 * status.
 */
const CASES: Readonly<Record<string, string>> = {
  ...UNDECLARED_REQUESTS,
  // Declared operations.
  "HEAD /pets": "200",
  "GET /pets?a=b": "api /pets",
  "GET /p%65ts": "api /pets",
  "GET /pets//7": "api /pets/7",
  "GET http://any.example/pets": "api /pets",
  "GET /nothing": "static /nothing",
  "DELETE /nothing/at/all": "static /nothing/at/all",
  "GET /": "static /",
  // Undeclared methods of declared paths.
  "get /pets": "405 GET, POST, HEAD, OPTIONS",
  "CONNECT host.example:80": "404",
  // A disabled path with one method that is enabled at operation level.
  "purge /admin": "404",
  "POST http://any.example/admin": "404",
  "POST /admin?x#y": "404",
  // Paths that some servers read as declared paths: no upstream gets them.
  "GET /a%2Fb": "404",
  "GET /a%2fb/": "404",
  "GET /a/b%2F": "404",
  "GET /x%2F..%2Fa%2Fb": "400",
  "GET /a%5Cb": "404",
  "GET /a/b;v=1": "404",
  "GET /a/b%3Bv=1": "404",
  "GET /x/..;/a/b": "400",
  "GET /a;v=1/b": "404",
  "GET /a/b;v=1/": "404",
  "GET /a/B": "static /a/B",
  "GET /a/b/c": "static /a/b/c",
  "GET /a%252Fb": "static /a%252Fb",
};

Deno.test("a static route takes only paths that no API of the host declares", async (t) => {
  await using api = serve(sayPath("api"));
  await using others = serve(sayPath("static"));
  const plans = [
    await plan(definition(to(api), PATHS)),
    await planStatic(to(others)),
  ];
  await using fleet = serveFleet(plans);
  for (const [line, want] of Object.entries(CASES)) {
    await t.step(`${line}: ${want}`, async () => {
      const [method, target] = line.split(/ (.*)/);
      assert.equal(await answerTo(fleet, `${method} ${target} HTTP/1.1\r\nHost: any.example\r\n`), want);
    });
  }
});

Deno.test("disabled at the root holds for all declared paths without their own setting", async () => {
  await using api = serve(sayPath("api"));
  await using others = serve(sayPath("static"));
  const paths = `/a: {get: {${OK}}, put: {${OK}, ${ON}}}\n  /b: {${ON}, get: {${OK}}}`;
  const plans = [
    await plan(definition(to(api, "disabled: true"), paths)),
    await planStatic(to(others)),
  ];
  await using fleet = serveFleet(plans);
  const wanted = {
    "GET /a": "404",
    "POST /a": "404",
    "PUT /a": "api /a",
    "POST /a/": "404",
    "GET /b": "api /b",
    "POST /b": "405 GET, HEAD, OPTIONS",
    "GET /c": "static /c",
  };
  for (const [line, want] of Object.entries(wanted)) {
    assert.equal(await answerTo(fleet, `${line} HTTP/1.1\r\nHost: h\r\n`), want, line);
  }
});

Deno.test("a disabled path has precedence over a template that matches it with a trailing slash", async () => {
  await using api = serve(sayPath("api"));
  const paths = `/a: {${OFF}, get: {${OK}}}\n  /b: {get: {${OK}, ${OFF}}}\n  /{any}/: {get: {${OK}}, post: {${OK}}}`;
  await using fleet = serveFleet([await plan(definition(to(api), paths))]);
  const wanted = { "GET /a/": "404", "POST /a/": "404", "GET /b/": "404", "POST /b/": "api /b/", "GET /c/": "api /c/" };
  for (const [line, want] of Object.entries(wanted)) {
    assert.equal(await answerTo(fleet, `${line} HTTP/1.1\r\nHost: h\r\n`), want, line);
  }
});

Deno.test("a declared operation goes before a hidden route of another API", async () => {
  await using first = serve(sayPath("first"));
  await using second = serve(sayPath("second"));
  const hiding = await plan(definition(to(first), `/a: {${OFF}, get: {${OK}}}`), "first");
  const declaring = await plan(definition(to(second), `/a: {post: {${OK}}}\n  /a/: {get: {${OK}}}`), "second");
  const wanted = {
    "GET /a": "404",
    "POST /a": "second /a",
    "GET /a/": "second /a/",
    "PUT /a": "404",
    "PUT /a/": "404",
  };
  for (const plans of [[hiding, declaring], [declaring, hiding]]) {
    await using fleet = serveFleet(plans);
    for (const [line, want] of Object.entries(wanted)) {
      assert.equal(await answerTo(fleet, `${line} HTTP/1.1\r\nHost: h\r\n`), want, line);
    }
  }
});

Deno.test("a path that a host's own API declares doesn't go to those for more hosts", async () => {
  await using own = serve(sayPath("own"));
  await using any = serve(sayPath("any"));
  const plans = [
    await plan(definition(to(own, "hosts: [a.example]"), `/a: {get: {${OK}}}`), "own"),
    await plan(definition(to(any), `/a: {post: {${OK}}}\n  /a/: {get: {${OK}}}\n  /b: {get: {${OK}}}`), "any"),
    await planStatic(to(any)),
  ];
  await using fleet = serveFleet(plans);
  const wanted = { "GET /a": "own /a", "POST /a": "405 GET, HEAD, OPTIONS", "GET /a/": "404", "GET /b": "any /b" };
  for (const [line, want] of Object.entries(wanted)) {
    assert.equal(await answerTo(fleet, `${line} HTTP/1.1\r\nHost: a.example\r\n`), want, line);
  }
});

Deno.test("several slashes are one, but where a path has them", async () => {
  await using api = serve(sayPath("api"));
  await using others = serve(sayPath("static"));
  const paths = `/a//b: {get: {${OK}}}\n  /c//d: {${OFF}, get: {${OK}}}\n  /c/d: {get: {${OK}}}\n  /e/: {get: {${OK}}}`;
  await using fleet = serveFleet([await plan(definition(to(api), paths)), await planStatic(to(others))]);
  const wanted = {
    "GET /a//b": "api /a//b",
    "POST /a//b": "405 GET, HEAD, OPTIONS",
    "GET /a///b": "static /a/b",
    "GET /c//d": "404",
    "POST /c//d": "404",
    "GET /c///d": "api /c/d",
    "GET //c/d": "api /c/d",
    "GET /e//": "api /e/",
  };
  for (const [line, want] of Object.entries(wanted)) {
    assert.equal(await answerTo(fleet, `${line} HTTP/1.1\r\nHost: h\r\n`), want, line);
  }
});

Deno.test("no reading of a path leads round the prefix of a static route", async () => {
  await using files = serve(sayPath("files"));
  await using others = serve(sayPath("others"));
  const plans = [
    await planStatic(to(others), "others"),
    await planStatic(to(files, "path: {prefix: /files}"), "files"),
  ];
  await using fleet = serveFleet(plans);
  const wanted: Readonly<Record<string, RegExp>> = {
    "/files/x": /^files /,
    "/%66iles/x": /^files /,
    "/%66iles/%ff": /^files /,
    "/%66iles/%zz/x": /^files /,
    "/files/a%2Fb;c": /^files /,
    "/./files/x": /^files /,
    "//files": /^files /,
    "/other/a%2Fb;c": /^others /,
    "/filesystem;x": /^others /,
    // Some servers read these paths as paths below /files, others don't.
    "/files%2Fx": /^404/,
    "/files;a/x": /^404/,
    "/files%3Ba/x": /^404/,
    "/%5Cfiles/x": /^404/,
    "/x/..%2Ffiles/x": /^400/,
    "/x/..;/files/x": /^400/,
    "/;/files/x": /^404/,
    "/files/..%2Fx": /^400/,
  };
  for (const [path, want] of Object.entries(wanted)) {
    assert.match(await answerTo(fleet, `GET ${path} HTTP/1.1\r\nHost: h\r\n`), want, path);
  }
});

const HOSTS: Readonly<Record<string, string>> = {
  "wild.example": "any /pets",
  "a.wild.example": "wild /pets",
  "A.WILD.example.:8080": "wild /pets",
  "any.example/pets/x": "400",
  "any.example/x": "400",
  "evil.example#.wild.example": "400",
  "evil.example?.wild.example": "400",
  "evil.example/.wild.example": "400",
  "evil@a.wild.example": "400",
  "*.wild.example": "400",
  ".wild.example": "400",
  "a.wild.example:x": "400",
  "a.wild.example:80:80": "400",
  "a wild.example": "400",
  "[::1]": "any /pets",
  "[::1": "400",
  "": "400",
};

Deno.test("a host that isn't well-formed is refused, and means no API", async (t) => {
  await using any = serve(sayPath("any"));
  await using wild = serve(sayPath("wild"));
  const plans = [
    await plan(definition(to(any)), "any"),
    await plan(definition(to(wild, "hosts: ['*.wild.example']")), "wild"),
  ];
  await using fleet = serveFleet(plans);
  for (const [host, want] of Object.entries(HOSTS)) {
    await t.step(`${JSON.stringify(host)}: ${want}`, async () => {
      assert.equal(await answerTo(fleet, `GET /pets HTTP/1.1\r\nHost: ${host}\r\n`), want);
    });
  }
  const targets = {
    "http://a.wild.example/pets": "wild /pets",
    "http://user:password@a.wild.example/pets": "400",
    "ftp://a.wild.example/pets": "400",
  };
  for (const [target, want] of Object.entries(targets)) {
    await t.step(`${target}: ${want}`, async () => {
      assert.equal(await answerTo(fleet, `GET ${target} HTTP/1.1\r\nHost: h\r\n`), want);
    });
  }
  await t.step("a bad header beside a good target: 400", async () => {
    assert.equal(await answerTo(fleet, "GET http://a.wild.example/pets HTTP/1.1\r\nHost: h/x\r\n"), "400");
  });
});

/** An upstream that answers each request with its name and the path. */
function sayPath(name: string): Deno.ServeHandler<Deno.NetAddr> {
  return ({ url }) => new Response(`${name} ${url.slice(url.indexOf("/", url.indexOf("//") + 2)).replace(/\?.*/, "")}`);
}

/** The body of a 2xx response; of others, the status and `Allow`. */
async function answerTo({ port }: TestServer, head: string): Promise<string> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode(`${head}Connection: close\r\n\r\n`));
  const answer = await new Response(connection.readable).text();
  const [top = "", body = ""] = answer.split(/\r\n\r\n/);
  const [, status = ""] = /^HTTP\/1\.1 (\d+)/.exec(top) ?? [];
  if (status === "200") return /[0-9a-z]+ \/\S*/.exec(body)?.[0] ?? status;
  return [status, /^allow: (.*)$/im.exec(top)?.[1] ?? ""].join(" ").trim();
}
