import assert from "node:assert/strict";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { createExtensionReader, readExtension } from "../../../../lib/openapi/extension/extension.ts";
import { listOperations, type Operation } from "../../../../lib/openapi/operation.ts";

/** The operation `GET /pets` of a definition whose `x-svc` is given for root, path and operation, as YAML. */
async function operationWith(levels: { root?: string; path?: string; operation?: string }): Promise<Operation> {
  const line = (indent: string, extension: string | undefined): string =>
    extension === undefined ? "" : `${indent}x-svc: ${extension}\n`;
  const document = await parseDocument(
    "openapi: 3.1.0\ninfo: {title: Pets, version: 1.0.0}\n" + line("", levels.root) +
      "paths:\n  /pets:\n" + line("    ", levels.path) +
      "    get:\n" + line("      ", levels.operation) +
      '      responses: {"200": {description: Pets}}\n',
  );
  const [operation] = listOperations(document);
  assert.ok(operation);
  return operation;
}

Deno.test("readExtension() prefers settings of the operation, then of the path, then of the root", async (t) => {
  const cases = [
    {
      name: "key by key",
      given: {
        root: "{mocking: {enabled: true, generate: true}, websocket: true}",
        path: "{disabled: true}",
        operation: "{mocking: {enabled: false}}",
      },
      want: { mocking: { enabled: false }, websocket: true, disabled: true },
    },
    {
      name: "path, qos and cors field by field",
      given: {
        root: "{path: {prefix: /a}, qos: {retries: 1, idle_timeout: 9}, cors: {origins: ['*'], max_age: 1}}",
        path: "{path: {prefix: /b}, qos: {retries: 2}}",
        operation: "{qos: {request_timeout: 3}, cors: {max_age: 2}}",
      },
      want: {
        path: { prefix: "/b" },
        qos: { retries: 2, idle_timeout: 9, request_timeout: 3 },
        cors: { origins: ["*"], max_age: 2 },
      },
    },
    {
      name: "an inner upstream stands for an outer redirect",
      given: { root: "{redirect: {host: a.example.com}}", operation: "{upstream: {service: {name: b}}}" },
      want: { upstream: { service: { name: "b" } } },
    },
    {
      name: "an inner redirect stands for outer upstreams",
      given: {
        root: "{upstreams: [{host: {hostname: a.example.com}, weight: 100}]}",
        path: "{redirect: {path: /b}}",
      },
      want: { redirect: { path: "/b" } },
    },
  ];
  for (const { name, given, want } of cases) {
    await t.step(name, async () => {
      const { settings, diagnostics } = readExtension(await operationWith(given));
      assert.deepEqual(settings, want);
      assert.deepEqual(diagnostics, []);
    });
  }
});

Deno.test("readExtension() gives the origin of each setting", async () => {
  const { origins } = readExtension(
    await operationWith({ root: "{qos: {retries: 1}, websocket: true}", operation: "{qos: {idle_timeout: 1}}" }),
  );
  assert.equal(origins.websocket?.pointer, "/x-svc/websocket");
  assert.equal(origins.qos?.pointer, "/paths/~1pets/get/x-svc/qos");
});

Deno.test("readExtension() accepts fixed, uniform and log-normal delays", async () => {
  for (const delay of ["0", "200", "200-400", "200-200", "200~0.5"]) {
    const { settings, diagnostics } = readExtension(await operationWith({ root: `{mocking: {delay: "${delay}"}}` }));
    assert.deepEqual([settings, diagnostics], [{ mocking: { delay } }, []]);
  }
});

Deno.test("readExtension() leaves out invalid settings", async (t) => {
  const cases = [
    { extension: "{mocking: {enabled: yes please, generate: true}}", want: { mocking: { generate: true } } },
    { extension: "{mocking: on, websocket: true}", want: { websocket: true } },
    {
      extension: "{mocking: {faults: [slow 0, reset 200%, reset 100%, 503 0.5%, slow 010, 50%, 503 x0, nothing]}}",
      want: { mocking: { faults: ["reset 100%", "503 0.5%", "slow 010"] } },
    },
    {
      extension: "{mocking: {sequence: [503 x2, 503 50%, 404 delay 20, truncated 5, ok, example a]}}",
      want: { mocking: { sequence: ["404 delay 20", "truncated 5", "ok", "example a"] } },
    },
    {
      extension: `{mocking: {faults: [${"503 1%, ".repeat(101)}], generate: true}}`,
      want: { mocking: { generate: true } },
    },
    {
      extension: `{mocking: {sequence: [${"ok, ".repeat(1_001)}], generate: true}}`,
      want: { mocking: { generate: true } },
    },
    { extension: "{mocking: {delay: 400-200, enabled: true}}", want: { mocking: { enabled: true } } },
    { extension: "{upstream: {service: {namespace: a}}}", want: {} },
    { extension: "{upstream: {}}", want: {} },
    { extension: "{redirect: {response_code: 302}}", want: {} },
    {
      extension: "{cors: {origins: [https://a.example.com, 7]}}",
      want: { cors: { origins: ["https://a.example.com"] } },
    },
    { extension: "{rate_limit: {requests_per_unit: 5}}", want: {} },
    { extension: "{auth: {jwt: {providers: [{name: a}]}}}", want: {} },
    { extension: "{hosts: ['*']}", want: {} },
    { extension: "{qos: {request_timeout: .inf, retries: 1}}", want: { qos: { retries: 1 } } },
    { extension: "{upstream: {service: {name: a}, host: {hostname: b}}}", want: {} },
    { extension: "{__proto__: {disabled: true}}", want: {} },
    { extension: "{toString: 1}", want: {} },
    { extension: "null", want: {} },
    { extension: "[]", want: {} },
  ];
  for (const { extension, want } of cases) {
    await t.step(extension.slice(0, 100), async () => {
      const { settings, diagnostics } = readExtension(await operationWith({ operation: extension }));
      assert.deepEqual(settings, want);
      assert.notEqual(diagnostics.length, 0);
      assert.equal(({} as Record<string, unknown>)["disabled"], undefined);
    });
  }
});

Deno.test("readExtension() reports values beyond the bounds of Kubernetes' kinds, and keeps the nearest within", async (t) => {
  const jwt = (name: string): string => `{auth: {jwt: {providers: [{name: ${name}, jwks_uri: "https://a.example"}]}}}`;
  const INT32 = 2147483647;
  const cases: { extension: string; want: unknown; message: RegExp | undefined }[] = [
    {
      extension: "{qos: {request_timeout: 0.0001, retries: 1}}",
      want: { qos: { request_timeout: 0.001, retries: 1 } },
      message: /`x-svc.qos.request_timeout` must be 0, or a number from 0.001 to 359996400, not 0.0001/,
    },
    { extension: "{qos: {idle_timeout: 1e9}}", want: { qos: { idle_timeout: 359996400 } }, message: /not 1000000000/ },
    {
      extension: "{qos: {retries: 2147483648}}",
      want: { qos: { retries: INT32 } },
      message: /retries` must be a whole number from 0 to 2147483647, not 2147483648/,
    },
    {
      extension: "{cors: {origins: ['*'], max_age: 1e12}}",
      want: { cors: { origins: ["*"], max_age: INT32 } },
      message: /max_age/,
    },
    {
      extension: "{cache: {enabled: true, max_age: 1e21}}",
      want: { cache: { enabled: true, max_age: INT32 } },
      message: /max_age/,
    },
    {
      extension: "{rate_limit: {requests_per_unit: 4294967296, unit: hour}}",
      want: { rate_limit: { requests_per_unit: 4294967295, unit: "hour" } },
      message: /requests_per_unit` must be a whole number from 1 to 4294967295/,
    },
    {
      extension: "{rate_limit: {requests_per_unit: 123456789012345678901234567890, unit: hour}}",
      want: { rate_limit: { requests_per_unit: 4294967295, unit: "hour" } },
      message: /requests_per_unit/,
    },
    {
      extension: jwt("a".repeat(254)),
      want: { auth: { jwt: { providers: [{ name: "a".repeat(253), jwks_uri: "https://a.example" }] } } },
      message: /providers\[0\]\.name` must be a string of 1 to 253 characters/,
    },
    { extension: "{qos: {request_timeout: 0}}", want: { qos: { request_timeout: 0 } }, message: undefined },
    { extension: "{qos: {request_timeout: 0.001}}", want: { qos: { request_timeout: 0.001 } }, message: undefined },
    { extension: `{qos: {retries: ${INT32}}}`, want: { qos: { retries: INT32 } }, message: undefined },
    { extension: "{cache: {max_age: 0}}", want: { cache: { max_age: 0 } }, message: undefined },
  ];
  for (const { extension, want, message } of cases) {
    await t.step(extension.slice(0, 80), async () => {
      const { settings, diagnostics } = readExtension(await operationWith({ operation: extension }));
      assert.deepEqual(settings, want);
      assert.equal(diagnostics.length, message === undefined ? 0 : 1);
      if (message !== undefined) assert.match(diagnostics[0]?.message ?? "", message);
    });
  }
});

Deno.test("createExtensionReader() reads the x-svc of a path once for all its operations", async () => {
  const document = await parseDocument(`
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
x-svc: {mockng: {}}
paths:
  /pets:
    x-svc: {cache: {}, unknown: 1}
    get: {}
    put: {}
  /shops:
    get: {}
`);
  const read = createExtensionReader(document, "warning");
  const diagnostics = listOperations(document).map((operation) => read(operation).diagnostics);
  assert.equal(diagnostics.length, 3);
  assert.equal(new Set(diagnostics.flat()).size, 2);
  assert.ok(diagnostics.flat().every(({ severity }) => severity === "warning"));
});

Deno.test("createExtensionReader() gives all operations without x-svc one object", async () => {
  const document = await parseDocument("openapi: 3.1.0\ninfo: {}\npaths: {/a: {get: {}, put: {}}}");
  const read = createExtensionReader(document);
  const [one, other] = listOperations(document).map(read);
  assert.equal(one, other);
  assert.deepEqual(one, { settings: {}, origins: {}, diagnostics: [] });
});

Deno.test("createExtensionReader() prefers a path's own x-svc to that of its $ref", async () => {
  const document = await parseDocument(`
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
paths:
  /pets:
    $ref: "#/components/pathItems/Pets"
    x-svc: {disabled: false}
components:
  pathItems:
    Pets:
      x-svc: {disabled: true, websocket: true}
      get: {}
`);
  const [operation] = listOperations(document);
  assert.ok(operation);
  assert.deepEqual(readExtension(operation).settings, { disabled: false, websocket: true });
});

Deno.test("readExtension() reports a path with a query, a fragment or a dot segment, and keeps it for what is stored", async () => {
  const paths: Readonly<Record<string, "fine" | "reported">> = {
    "/": "fine",
    "/api/v1": "fine",
    "/.well-known/v1.2": "fine",
    "/a b/%20/...": "fine",
    "/a%2Fb;v=1": "fine",
    "/a?b": "reported",
    "/a#b": "reported",
    "/a/../b": "reported",
    "/.": "reported",
    "/a/..": "reported",
    "/a/%2e%2E/b": "reported",
    "/a/%2e": "reported",
    "/a\\\\..\\\\b": "reported",
    "/a/..%2Fb": "reported",
    "/a/..;/b": "reported",
    "/a%00": "reported",
  };
  for (const [path, want] of Object.entries(paths)) {
    const settings = {
      path: `{path: {prefix: "${path}"}}`,
      redirect: `{redirect: {path: "${path}"}}`,
      custom: `{auth: {custom: {host: {hostname: a.example}, path: "${path}"}}}`,
    };
    for (const [name, extension] of Object.entries(settings)) {
      const { settings, diagnostics } = readExtension(
        await operationWith({ [name === "path" ? "root" : "operation"]: extension }),
      );
      const read = settings.path?.prefix ?? settings.redirect?.path ?? settings.auth?.custom?.path;
      assert.equal(read, path.replaceAll("\\\\", "\\"), path);
      assert.deepEqual(
        diagnostics.map(({ code, severity }) => `${severity} ${code}`),
        want === "fine" ? [] : ["error bad-extension-value"],
        path,
      );
    }
  }
});

Deno.test("readExtension() reads the x-svc of another text", async () => {
  const document = await parseDocument(
    'openapi: 3.1.0\ninfo: {}\npaths: {/pets: {$ref: "pets.yaml"}}',
    {
      uri: "file:///api.yaml",
      load: () => Promise.resolve(new TextEncoder().encode("x-svc: {disabled: true, unknown: 1}\nget: {}")),
    },
  );
  const [operation] = listOperations(document);
  assert.ok(operation);
  const { settings, diagnostics } = readExtension(operation);
  assert.deepEqual(settings, { disabled: true });
  assert.deepEqual(diagnostics.map(({ code }) => code), ["unknown-extension-key"]);
});

Deno.test("readExtension() reads the x-svc of each place that a $ref leads to", async (t) => {
  const cases = [
    { name: "an item of a list", reference: "paths.yaml#/0", text: "- get: {x-svc: {disabled: true}}" },
    { name: "an example", reference: "paths.yaml#/example", text: "example: {get: {x-svc: {disabled: true}}}" },
    {
      name: "a part of a value",
      reference: "paths.yaml#/a/value/b",
      text: "a: {value: {b: {x-svc: {disabled: true}, get: {}}}}",
    },
  ];
  for (const { name, reference, text } of cases) {
    await t.step(name, async () => {
      const load = () => Promise.resolve(new TextEncoder().encode(text));
      const paths = `paths: {/pets: {$ref: "${reference}"}}`;
      const document = await parseDocument(`openapi: 3.1.0\ninfo: {}\n${paths}`, { uri: "file:///api.yaml", load });
      const [operation] = listOperations(document);
      assert.ok(operation);
      assert.deepEqual(readExtension(operation).settings, { disabled: true });
    });
  }
});
