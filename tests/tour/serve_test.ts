import assert from "node:assert/strict";
import { createFolder, TODO } from "../cmd/definitions.ts";
import { askServe, createStore, definition, send, startServe } from "../cmd/serve_process.ts";
import { freePort } from "../free_port.ts";

Deno.test("gw serve: an API is deployed, answered through its fleet, mocked and proxied, and survives a restart", async () => {
  await using folder = await createFolder();
  const data = `${folder.path}/state`;
  await Deno.mkdir(data);
  await createStore(data);
  // The upstream answers each request with a description of it.
  await using upstream = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const { pathname } = new URL(request.url);
    return new Response(`${request.method} ${pathname} ${await request.text()}`);
  });
  const openapi = await Deno.readTextFile(TODO);
  const args = ["--service", `default/todo=http://127.0.0.1:${upstream.addr.port}`];
  let fleet: string;
  {
    await using gw = await startServe({ data, args });
    fleet = gw.fleet;
    const created = await send(`${gw.api}/apis`, "POST", { name: "todo", openapi });
    assert.equal(created.status, 201, await created.clone().text());
    assert.equal(created.headers.get("location"), "/apis/default/todo");
    assert.deepEqual(await created.json(), {
      name: "todo",
      namespace: "default",
      fleet: { name: "default", namespace: "default" },
      service: { name: "todo", namespace: "default" },
      version: "0.0.2",
      externalurl: "",
    });
    await checkTraffic(fleet);

    const metrics = await (await fetch(`${gw.api}/metrics`)).text();
    assert.match(metrics, /^gw_management_request_duration_seconds_count\{operation="\w+",code="201"\} 1$/m);
    assert.match(
      metrics,
      /^gw_gateway_requests_total\{fleet="default\/default",api="default\/todo",operation="listTodos",code="200"\} 1$/m,
    );
    assert.match(metrics, /^gw_objects\{kind="api"\} 1$/m);
    assert.match(metrics, /^process_resident_memory_bytes \d+/m);
    for (const path of ["/healthz", "/readyz", "/openapi.json", "/openapi.yaml"]) {
      const response = await fetch(gw.api + path);
      assert.equal(response.status, 200, path);
      await response.body?.cancel();
    }
    gw.signal("SIGTERM");
    assert.equal((await gw.ended).code, 0);
  }
  if (Deno.build.os !== "windows") assert.equal(((await Deno.stat(data)).mode ?? 0) & 0o777, 0o700);

  await using again = await startServe({ data, args });
  assert.equal(again.fleet, fleet);
  await checkTraffic(again.fleet);
  const listed = await (await fetch(`${again.api}/apis`)).json();
  assert.deepEqual(listed.map(({ name }: { name: string }) => name), ["todo"]);
});

async function checkTraffic(fleet: string): Promise<void> {
  const mocked = await fetch(`${fleet}/todos`);
  assert.equal(mocked.status, 200);
  assert.equal(mocked.headers.get("x-svc-mocked"), "true");
  assert.match(await mocked.text(), /Buy milk/);
  const proxied = await send(`${fleet}/todos`, "POST", { title: "Buy milk" });
  assert.equal(proxied.headers.get("x-svc-mocked"), null);
  assert.equal(await proxied.text(), 'POST /todos {"title":"Buy milk"}');
}

Deno.test("gw deploy, get and delete do the same from a command line", async () => {
  await using folder = await createFolder();
  await using gw = await startServe();
  const file = `${folder.path}/pets.json`;
  await Deno.writeTextFile(file, definition("pets"));

  const created = await askServe(gw, ["deploy", file]);
  assert.deepEqual(created, {
    code: 0,
    stdout: `Created api default/pets on fleet default/default.\nServed at ${gw.fleet}\n`,
    stderr: "",
  });
  assert.equal(await (await fetch(`${gw.fleet}/pets`)).text(), "mocked pets");
  assert.match((await askServe(gw, ["deploy", file])).stdout, /^Unchanged: api default\/pets.*\nServed at http:/);
  const tried = await askServe(gw, ["deploy", file, "--dry-run"]);
  assert.equal(tried.stdout, "Could replace api default/pets on fleet default/default.\n");

  const table = await askServe(gw, ["get", "apis"]);
  assert.match(
    table.stdout,
    new RegExp(
      "^NAMESPACE +NAME +VERSION +FLEET +SERVED AT +UPSTREAM +MOCKED\n" +
        `default +pets +1\\.0\\.0 +default/default +${RegExp.escape(gw.fleet)} +- +1 of 1\n$`,
    ),
  );
  assert.equal((await askServe(gw, ["get", "api", "pets", "-o", "yaml"])).stdout, `${definition("pets")}\n`);
  assert.equal(JSON.parse((await askServe(gw, ["get", "api", "pets", "-o", "json"])).stdout).name, "pets");
  assert.match((await askServe(gw, ["get", "fleets", "-o", "yaml"])).stdout, /^- name: default$/m);
  const port = new URL(gw.fleet).port;
  const services = (await askServe(gw, ["get", "services"])).stdout;
  assert.match(services, new RegExp(`^default +default +\\w+ +ClusterIP +${port} +${RegExp.escape(gw.fleet)}$`, "m"));
  const fleets = (await askServe(gw, ["get", "fleets"])).stdout;
  assert.match(fleets, new RegExp(`^NAMESPACE +NAME +PORTS .*\ndefault +default +${port} +1 +0 +1\n`));

  assert.equal((await askServe(gw, ["delete", "api", "pets"])).stdout, "Deleted api default/pets.\n");
  assert.equal((await fetch(`${gw.fleet}/pets`)).status, 404);
  const missing = await askServe(gw, ["delete", "api", "pets"]);
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /pets/);
});

const PLACES = `openapi: 3.1.0
info: {title: Pets, version: "1"}
x-svc: {path: {prefix: /v1}, hosts: [api.example.com, "*.example.org"], upstream: {service: {name: pets}}}
paths:
  /pets:
    get: {x-svc: {mocking: {enabled: true}}, responses: {"204": {description: ""}}}
    put: {responses: {"204": {description: ""}}}
    post: {x-svc: {upstream: {host: {hostname: api.example.net, tls: true}}}, responses: {"204": {description: ""}}}
    delete: {x-svc: {disabled: true}, responses: {"204": {description: ""}}}
  /cats:
    x-svc: {path: {prefix: /v2}, upstream: {service: {name: cats, namespace: shop, port: 8081}}}
    get: {responses: {"204": {description: ""}}}
`;

Deno.test("gw get shows where an API is served, its upstreams and services, and how much is mocked", async () => {
  await using folder = await createFolder();
  await using upstream = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => new Response());
  const url = `http://127.0.0.1:${upstream.addr.port}`;
  await using gw = await startServe({ args: ["--service", `default/pets=${url}`] });
  const file = `${folder.path}/pets.yaml`;
  await Deno.writeTextFile(file, PLACES);
  await askServe(gw, ["deploy", file]);
  const [, row = ""] = (await askServe(gw, ["get", "apis"])).stdout.split("\n");
  assert.deepEqual(row.split(/ {2,}/), [
    "default",
    "pets",
    "1",
    "default/default",
    `${gw.fleet}/v1 and ${gw.fleet}/v2 for the host api.example.com or *.example.org`,
    "default/pets,https://api.example.net,shop/cats:8081",
    "1 of 4",
  ]);
  assert.equal((await askServe(gw, ["get", "api", "pets"])).stdout.split("\n")[1], row);
  assert.equal((await askServe(gw, ["get", "api", "pets", "-o", "yaml"])).stdout, PLACES);
  // The first probe of the service was begun by the deployment.
  for (let tries = 0;; tries++) {
    const services = (await askServe(gw, ["get", "services"])).stdout;
    assert.match(services, /^shop +cats +unavailable +ClusterIP +8081 +-$/m);
    if (new RegExp(`^default +pets +available +ClusterIP +80 +${RegExp.escape(url)}$`, "m").test(services)) break;
    assert.ok(tries < 20, services);
  }
  const api = await (await fetch(`${gw.api}/apis/default/pets`)).json();
  assert.equal(api.routing, undefined);
  assert.equal((await fetch(`${gw.api}/apis?details=maybe`)).status, 400);
});

Deno.test("gw deploy prints the address of an API with its prefix and its hosts", async () => {
  await using folder = await createFolder();
  await using gw = await startServe();
  const text = `openapi: 3.1.0
info: {title: Pets, version: "1"}
x-svc: {disabled: true, path: {prefix: /v1}, hosts: [api.example.com]}
paths: {/pets: {get: {responses: {"200": {description: ""}}}}}
`;
  await Deno.writeTextFile(`${folder.path}/pets.yaml`, text);
  const { stdout, stderr } = await askServe(gw, ["deploy", "pets.yaml"], folder.path);
  assert.match(stdout, new RegExp(`\\nServed at ${gw.fleet}/v1 for the host api\\.example\\.com\\n$`), stderr);
});

Deno.test("gw serve logs the reason of each problem that it answers itself", async () => {
  await using folder = await createFolder();
  await using gw = await startServe();
  const responses = { 200: { description: "" } };
  const definition = JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Pets", version: "1" },
    paths: {
      "/unknown": { "x-svc": { upstream: { service: { name: "nowhere" } } }, get: { responses } },
      "/refused": { "x-svc": { upstream: { host: { hostname: "127.0.0.1", port: 1 } } }, get: { responses } },
    },
  });
  await Deno.writeTextFile(`${folder.path}/pets.json`, definition);
  const { code, stderr } = await askServe(gw, ["deploy", "pets.json"], folder.path);
  assert.equal(code, 0, stderr);
  const cases = [
    {
      path: "/unknown",
      want: /GET \/unknown 503 .*\n {2}! The URL of the service default\/nowhere:80 isn't known\. Start .*--service /,
    },
    { path: "/refused", want: /GET \/refused 502 .*\n {2}! http:\/\/127\.0\.0\.1:1: ./ },
    {
      path: "/absent",
      want: /GET \/absent 404 .*\n {2}! Nothing that is deployed to this fleet answers GET \/absent /,
    },
  ];
  for (const { path, want } of cases) {
    await (await fetch(gw.fleet + path)).body?.cancel();
    await gw.until(want);
  }
});

Deno.test("gw deploy shows the errors of a refused definition in its text, and the deployment stays", async () => {
  await using folder = await createFolder();
  await using gw = await startServe();
  const file = `${folder.path}/pets.yaml`;
  await Deno.writeTextFile(file, definition("pets"));
  await askServe(gw, ["deploy", file]);
  const broken = "openapi: 3.1.0\ninfo: {title: Pets, version: 1.0.0}\nx-svc: {mokcing: {enabled: true}}\npaths: {}\n";
  await Deno.writeTextFile(file, broken);

  const refused = await askServe(gw, ["deploy", "pets.yaml"], folder.path);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^pets\.yaml:3:9 error .*mokcing.*\n(.*\n)*> 3 \| x-svc: \{mokcing/);
  assert.equal(await (await fetch(`${gw.fleet}/pets`)).text(), "mocked pets");
});

Deno.test("gw deploy shows the first of very many problems, and the command that shows the others", async () => {
  await using folder = await createFolder();
  await using gw = await startServe();
  const paths = Array.from({ length: 30 }, (_, index) => `  /a${index}: {get: {responses: {}, tgas: [a]}}\n`);
  const text = `openapi: 3.1.0\ninfo: {title: A, version: "1"}\npaths:\n${paths.join("")}x-svc: {disabled: true}\n`;
  await Deno.writeTextFile(`${folder.path}/a.yaml`, text);
  const refused = await askServe(gw, ["deploy", "a.yaml"], folder.path);
  assert.equal(refused.code, 1);
  assert.equal(refused.stderr.match(/ error deployment-error: /g)?.length, 20);
  assert.match(refused.stderr, /\nand 40 more; gw validate a\.yaml shows all that don't concern the gateway\.\n$/);
});

Deno.test("gw deploy names gw validate only for problems that it shows", async () => {
  await using folder = await createFolder();
  await using gw = await startServe();
  const operation = (more: string): string => `{get: {${more} responses: {"200": {description: ""}}}}`;
  const head = `openapi: 3.1.0\ninfo: {title: A, version: "1"}\npaths:\n`;
  const mocked = `  /x: ${operation("x-svc: {mocking: {enabled: true}},")}\n`;
  const paths = Array.from({ length: 30 }, (_, index) => `  /a${index}: ${operation("")}\n`);
  await Deno.writeTextFile(`${folder.path}/a.yaml`, head + mocked + paths.join(""));
  const refused = await askServe(gw, ["deploy", "a.yaml"], folder.path);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /\nand 10 more, which only the gateway finds\.\n$/);
});

const FOREIGN = `openapi: 3.1.0
info: {title: Foreign, version: "1"}
paths:
  /pets:
    get: {responses: {"200": {description: "", content: {application/json: {schema: {type: array, items: {type: integer}}}}}}}
    post: {responses: {"204": {description: ""}}}
`;

Deno.test("gw deploy --mock and --upstream give a foreign definition an action, which --dry-run shows", async () => {
  await using folder = await createFolder();
  await using upstream = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    ({ url }) => new Response(`real ${new URL(url).pathname}`),
  );
  const url = `http://127.0.0.1:${upstream.addr.port}`;
  await using gw = await startServe();
  const file = `${folder.path}/foreign.yaml`;
  await Deno.writeTextFile(file, FOREIGN);
  const refused = await askServe(gw, ["deploy", file]);
  assert.equal(refused.code, 1);
  assert.match(
    refused.stderr,
    /None of the 2 operations .*`gw deploy --mock` and `gw deploy --upstream URL`.*`--overlay FILE`/,
  );

  const tried = await askServe(gw, ["deploy", file, "--mock", "--dry-run"]);
  assert.equal(
    tried.stdout,
    "With this overlay:\noverlay: 1.0.0\ninfo:\n  title: Flags of gw deploy\n  version: 1.0.0\nactions:\n" +
      "  - target: $\n    update:\n      x-svc:\n        mocking: {enabled: true, generate: true}\n" +
      "Could create api default/foreign on fleet default/default.\n",
  );
  assert.equal((await askServe(gw, ["deploy", file, "--mock"])).code, 0);
  assert.ok(Array.isArray(await (await fetch(`${gw.fleet}/pets`)).json()));

  assert.equal((await askServe(gw, ["deploy", file, "--upstream", `${url}/base/`])).code, 0);
  assert.equal(await (await fetch(`${gw.fleet}/pets`)).text(), "real /base/pets");
  assert.equal(await Deno.readTextFile(file), FOREIGN);

  // The flag replaces another upstream at the top; what an operation says itself stays.
  const own = FOREIGN.replace("paths:", "x-svc: {upstreams: [{service: {name: a}, weight: 100}]}\npaths:")
    .replace("post: {", "post: {x-svc: {mocking: {enabled: true}}, ");
  await Deno.writeTextFile(file, own);
  const replaced = await askServe(gw, ["deploy", file, "--upstream", url, "--dry-run"]);
  assert.match(replaced.stdout, /\n {2}- target: \$\['x-svc'\]\.upstreams\n {4}remove: true\n/);
  assert.deepEqual((await askServe(gw, ["deploy", file, "--upstream", url])).stderr, "");
  assert.equal(await (await fetch(`${gw.fleet}/pets`)).text(), "real /pets");
  assert.equal((await fetch(`${gw.fleet}/pets`, { method: "POST" })).status, 204);

  const route = await askServe(gw, ["deploy", file, "--mock", "--static-route"]);
  assert.equal(route.code, 2);
  await Deno.writeTextFile(file, "x-svc: {upstream: {service: {name: a}}}\n");
  assert.match((await askServe(gw, ["deploy", file])).stderr, /an `x-svc` alone, .* --static-route deploys it\./);
});

Deno.test("gw serve names the services without a URL, at the start and at deployments", async () => {
  await using folder = await createFolder();
  const data = `${folder.path}/state`;
  await Deno.mkdir(data);
  await createStore(data);
  const openapi = `${FOREIGN}x-svc: {upstream: {service: {name: far}}}\n`;
  {
    await using gw = await startServe({ data });
    await Deno.writeTextFile(`${folder.path}/a.yaml`, openapi);
    const { stderr } = await askServe(gw, ["deploy", `${folder.path}/a.yaml`]);
    assert.match(stderr, /^! The upstream service default\/far:80 is not known\.\n! Start gw serve with --service /);
    gw.signal("SIGTERM");
    await gw.ended;
  }
  {
    await using gw = await startServe({ data });
    await gw.until(
      /\nno URL for service default\/far, .* --service default\/far=http:\/\/127\.0\.0\.1:3000 names one\n/,
    );
  }
  await using gw = await startServe({ data, args: ["--service", "default/far=http://127.0.0.1:9"] });
  await (await fetch(`${gw.api}/apis`)).body?.cancel();
  await gw.until(/GET \/apis/);
  assert.doesNotMatch(gw.text(), /no URL/);
});

Deno.test("gw deploy bundles references, and shows errors in the files that they refer to", async () => {
  await using folder = await createFolder();
  await using gw = await startServe();
  const main = `openapi: 3.1.0
info: {title: Pets, version: "1"}
x-svc: {mocking: {enabled: true}}
paths:
  /pets:
    $ref: paths/pets.yaml
`;
  const pets = `get:
  responses:
    "200":
      description: The pets.
      content:
        application/json:
          schema: {$ref: "../schemas.json#/Pets"}
          example: [{name: Tom}]
`;
  const schemas = { Pets: { type: "array", items: { $ref: "#/Pet" } }, Pet: { type: "object", required: ["name"] } };
  await Deno.mkdir(`${folder.path}/paths`);
  await Deno.writeTextFile(`${folder.path}/pets.yaml`, main);
  await Deno.writeTextFile(`${folder.path}/paths/pets.yaml`, pets);
  await Deno.writeTextFile(`${folder.path}/schemas.json`, JSON.stringify(schemas));
  const deployed = await askServe(gw, ["deploy", "pets.yaml"], folder.path);
  assert.deepEqual(deployed, {
    code: 0,
    stdout: `Created api default/pets on fleet default/default.\nServed at ${gw.fleet}\n`,
    stderr: "",
  });
  assert.deepEqual(await (await fetch(`${gw.fleet}/pets`)).json(), [{ name: "Tom" }]);

  await Deno.writeTextFile(`${folder.path}/paths/pets.yaml`, pets.replace("description:", "descripton:"));
  const refused = await askServe(gw, ["deploy", "pets.yaml"], folder.path);
  assert.equal(refused.code, 1);
  assert.match(
    refused.stderr,
    /^paths\/pets\.yaml:4:7 error .*descripton.*\n(.*\n)*> 4 \| {7}descripton: The pets/m,
  );
});

Deno.test("gw deploy says of a reference to a file that doesn't exist that it doesn't exist, and where", async () => {
  await using folder = await createFolder();
  await using gw = await startServe();
  const main = `openapi: 3.1.0
info: {title: Pets, version: "1"}
x-svc: {disabled: true}
paths:
  /pets: {$ref: paths/pets.yaml}
  /cats: {get: {responses: {"200": {$ref: lost.yaml}}}}
`;
  await Deno.mkdir(`${folder.path}/paths`);
  await Deno.writeTextFile(`${folder.path}/pets.yaml`, main);
  await Deno.writeTextFile(`${folder.path}/paths/pets.yaml`, `get:\n  responses: {"200": {$ref: gone.yaml}}\n`);
  const { code, stderr } = await askServe(gw, ["deploy", "pets.yaml"], folder.path);
  assert.equal(code, 1);
  assert.match(stderr, /^pets\.yaml:6:43 error .* lost\.yaml leads nowhere: lost\.yaml: there is no such file\.$/m);
  assert.match(
    stderr,
    /^paths\/pets\.yaml:2:29 error .* gone\.yaml leads nowhere: paths\/gone\.yaml: there is no such file\.$/m,
  );
  assert.doesNotMatch(stderr, /a server loads no other texts/);
});

Deno.test("gw deploy says why it can't bundle a reference", async () => {
  await using folder = await createFolder();
  await using gw = await startServe();
  const main = 'openapi: 3.1.0\ninfo: {title: Pets, version: "1"}\nx-svc: {disabled: true}\n' +
    "paths: {/pets: {$ref: pets.json}}\ncomponents: {schemas: {Pet: {$id: pet}}}\n";
  await Deno.writeTextFile(`${folder.path}/main.yaml`, main);
  await Deno.writeTextFile(`${folder.path}/pets.json`, '{"get": {"responses": {"200": {"description": "Pets."}}}}');
  const { code, stderr } = await askServe(gw, ["deploy", "main.yaml"], folder.path);
  assert.equal(code, 1);
  assert.match(stderr, /\nThe other texts of this definition were not sent along, as schemas .* \(\$id, \$anchor\)\./);
});

Deno.test("gw deploy shows warnings as it shows errors: in the file that they are in", async () => {
  await using folder = await createFolder();
  await using gw = await startServe();
  const responses = (example: string): string =>
    `responses: {"200": {description: A., content: {application/json: {schema: {type: integer}, example: ${example}}}}}`;
  const main = `openapi: 3.1.0
info: {title: Pets, version: "1"}
x-svc: {upstream: {service: {name: far}}}
paths:
  /cats: {$ref: cats.yaml}
  /dogs: {get: {${responses("dog")}}}
`;
  await Deno.writeTextFile(`${folder.path}/pets.yaml`, main);
  await Deno.writeTextFile(`${folder.path}/cats.yaml`, `get:\n  ${responses("cat")}\n`);
  const { code, stderr } = await askServe(gw, ["deploy", "pets.yaml"], folder.path);
  assert.equal(code, 0);
  assert.match(
    stderr,
    /^pets\.yaml:6:117 warning deployment-warning: The example .*\n(.*\n)*> 6 \| .*example: dog.*\n {4}\| *\^\^\^$/m,
  );
  assert.match(
    stderr,
    /^cats\.yaml:2:103 warning deployment-warning: The example .*\n(.*\n)*> 2 \| .*\n {4}\| *\^\^\^$/m,
  );
  assert.match(stderr, /^! The upstream service default\/far:80 is not known\.$/m);
});

Deno.test("gw deploy names the command that shows further warnings, also after checks were cut short", async () => {
  await using folder = await createFolder();
  await using gw = await startServe();
  const schemas = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`S${index}`, { type: "integer", example: "no" }]),
  );
  const definition = {
    openapi: "3.1.0",
    info: { title: "A", version: "1" },
    paths: { "/a/": { get: { responses: { 200: { description: "A.", "x-svc": 1 } } } } },
    "x-svc": { disabled: true },
    components: { schemas },
  };
  await Deno.writeTextFile(`${folder.path}/a.json`, JSON.stringify(definition, undefined, 2));
  const { code, stderr } = await askServe(gw, ["deploy", "a.json"], folder.path);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^! There are \d+ more; `gw validate` shows all\.$/m);
});

Deno.test("a refusal advises users of the commands and of the API", async () => {
  await using folder = await createFolder();
  await using gw = await startServe();
  const file = `${folder.path}/pets.json`;
  await Deno.writeTextFile(file, definition("pets"));
  const elsewhere = await askServe(gw, ["deploy", file, "--fleet", "edge"]);
  assert.deepEqual(elsewhere, {
    code: 1,
    stdout: "",
    stderr: "There is no fleet default/edge. Name another by `proxyFleetName` (`gw deploy --fleet`), " +
      "or create it by `POST /fleets` (`gw create fleet`).\n",
  });
  await askServe(gw, ["deploy", file]);
  const deleted = await askServe(gw, ["delete", "fleet", "default"]);
  assert.match(deleted.stderr, / or delete the fleet with `cascade=true` \(`gw delete --cascade`\)\.\n$/);
});

Deno.test("the commands say when there is no server, and when they may not", async () => {
  const unread = await askServe({ api: "http://127.0.0.1:1" }, ["deploy", "nowhere.yaml"]);
  assert.deepEqual(unread, { code: 3, stdout: "", stderr: "Cannot read nowhere.yaml: there is no such file.\n" });
  const { code, stderr } = await askServe({ api: "http://127.0.0.1:1" }, ["get", "apis"]);
  assert.equal(code, 3);
  assert.match(stderr, /^Cannot reach http:\/\/127\.0\.0\.1:1: .*\. Is gw serve running there\?/);
  assert.match((await askServe({ api: "gateway" }, ["get", "apis"])).stderr, /^GW_SERVER gateway: a URL such as /);
  assert.match(
    (await askServe({ api: "127.0.0.1:1" }, ["get", "apis"])).stderr,
    /^Cannot reach http:\/\/127\.0\.0\.1:1: /,
  );
  assert.match((await askServe({ api: "[::1]" }, ["get", "apis"])).stderr, /^Cannot reach http:\/\/\[::1\]:8090: /);
  const flag = ["get", "apis", "--server", "127.0.0.1:1"];
  assert.match((await askServe({ api: "http://127.0.0.1:9" }, flag)).stderr, /^Cannot reach http:\/\/127\.0\.0\.1:1: /);
  assert.equal((await askServe({ api: "http://127.0.0.1:1" }, ["get", "pets"])).code, 2);
  assert.equal((await askServe({ api: "http://127.0.0.1:1" }, ["delete", "service", "x"])).code, 2);
});

Deno.test("gw create makes a fleet, gw get shows it, and gw deploy --static-route sends its requests on", async () => {
  await using folder = await createFolder();
  await using upstream = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    ({ url }) => new Response(`real ${new URL(url).pathname}`),
  );
  await using gw = await startServe({
    args: ["--service", `default/web=http://127.0.0.1:${upstream.addr.port}`],
  });
  const port = freePort();
  const made = await askServe(gw, ["create", "fleet", "edge", "--port", String(port)]);
  assert.deepEqual(made, { code: 0, stdout: `Created fleet default/edge on port ${port}.\n`, stderr: "" });
  const services = await askServe(gw, ["get", "services"]);
  assert.match(
    services.stdout,
    new RegExp(`^default +edge +available +ClusterIP +${port} +http://127\\.0\\.0\\.1:${port}$`, "m"),
  );

  const file = `${folder.path}/rest.yaml`;
  await Deno.writeTextFile(file, "x-svc: {upstream: {service: {name: web}}}\n");
  const deployed = await askServe(gw, ["deploy", file, "--static-route", "--fleet", "edge"]);
  assert.deepEqual(deployed, {
    code: 0,
    stdout: `Created staticroute default/rest on fleet default/edge.\nServed at http://127.0.0.1:${port}\n`,
    stderr: "",
  });
  assert.equal(await (await fetch(`http://127.0.0.1:${port}/any/path`)).text(), "real /any/path");
  assert.match(
    (await askServe(gw, ["deploy", file, "--static-route"])).stdout,
    /^Unchanged: staticroute default\/rest on/,
  );
  assert.equal((await askServe(gw, ["deploy", file])).code, 1);

  assert.equal((await askServe(gw, ["get", "namespaces"])).stdout, "NAME\ndefault\n");
  assert.equal((await askServe(gw, ["get", "namespaces", "default"])).code, 2);
  const again = await askServe(gw, ["create", "fleet", "edge", "--port", String(port)]);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /^There is already the fleet default\/edge/);
  const wrong: [args: string[], message: RegExp][] = [
    [["create", "fleet", "core"], /^Which port does it listen on\? Name one with --port\./],
    [["create", "api", "todo"], /^gw deploy creates what has a definition/],
    [["create", "pet", "tom"], /^What is to be created\? A fleet, not pet: gw create fleet NAME /],
    [["create", "fleet"], /^Which fleet\?/],
  ];
  for (const [args, message] of wrong) {
    const refused = await askServe(gw, args);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, message);
  }
});

Deno.test("PUT /fleets moves the listeners of a fleet, and gives back ports that it can't have", async () => {
  await using gw = await startServe();
  const [first, second] = [freePort(), freePort()];
  await askServe(gw, ["create", "fleet", "edge", "--port", String(first)]);
  await using other = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => new Response());
  const put = (...ports: number[]) =>
    send(`${gw.api}/fleets/default/edge`, "PUT", { serviceType: "ClusterIP", ports: ports.map((port) => ({ port })) });

  const taken = await put(second, other.addr.port);
  assert.equal(taken.status, 409);
  assert.match(await taken.text(), new RegExp(`Port ${other.addr.port} can't be had`));
  await assert.rejects(fetch(`http://127.0.0.1:${second}/`));
  assert.equal((await fetch(`http://127.0.0.1:${first}/`)).status, 404);

  const moved = await put(second);
  assert.equal(moved.status, 200);
  assert.equal((await moved.json()).services[0].status, "available");
  assert.equal((await fetch(`http://127.0.0.1:${second}/`)).status, 404);
  await assert.rejects(fetch(`http://127.0.0.1:${first}/`, { headers: { connection: "close" } }));
});
