import assert from "node:assert/strict";
import { checkDeployment, type DeploymentOptions } from "../../../lib/gateway/check_deployment.ts";
import { locateDiagnostics } from "../../../lib/openapi/diagnostic.ts";
import { parseDocument } from "../../../lib/openapi/document.ts";

/** Checks a definition. Returns its diagnostics as texts such as `error code line:column`. */
async function check(text: string, options?: DeploymentOptions): Promise<string[]> {
  const diagnostics = await checkDeployment(await parseDocument(text), options);
  return locateDiagnostics(diagnostics).map(({ severity, code, line, column }) =>
    `${severity} ${code} ${line}:${column}`
  );
}

const HEAD = 'openapi: 3.1.0\ninfo: {title: Pets, version: "1"}\n';
const GET = 'paths:\n  /pets:\n    get:\n      responses:\n        "200":\n          description: Pets.\n';
const UPSTREAM = "x-svc: {upstream: {host: {hostname: pets.example}}}\n";

const cases: { name: string; text: string; options?: DeploymentOptions; want: (string | RegExp)[] }[] = [
  { name: "nothing wrong", text: HEAD + UPSTREAM + GET, want: [] },
  { name: "no text", text: "", want: ["error syntax 1:1"] },
  { name: "no YAML", text: "a: [1\nb: 2", want: ["error syntax 2:1"] },
  { name: "no definition", text: "a: 1", want: ["error not-openapi 1:1"] },
  {
    name: "not as the OpenAPI schema wants it",
    text: `${HEAD}${UPSTREAM}${GET}      operationID: getPets\n`,
    want: ["error unknown-field 10:7"],
  },
  {
    name: "an unknown key",
    text: `${HEAD}x-svc: {upstrem: {}, disabled: true}\n${GET}`,
    want: ["error unknown-extension-key 3:9"],
  },
  {
    name: "a reference to another text",
    text:
      `${HEAD}${UPSTREAM}paths:\n  /pets:\n    get:\n      responses: {"200": {$ref: "http://127.0.0.1:1/r.yaml"}}\n`,
    want: ["error broken-reference 7:34"],
  },
  {
    name: "an operation that nobody answers",
    text: HEAD + GET,
    want: ["error no-action 5:5"],
  },
  {
    name: "operations that nobody answers, beside one that somebody does",
    text: `${HEAD}${GET}    put:\n      x-svc: {disabled: true}\n      responses: {"200": {description: Pets.}}\n` +
      `    post:\n      responses: {"200": {description: Pets.}}\n`,
    want: ["error no-action 5:5", "error no-action 12:5"],
  },
  {
    name: "no operation that somebody answers",
    text: `${HEAD}${GET}    post:\n      responses: {"200": {description: Pets.}}\n`,
    want: ["error no-action 1:1"],
  },
  // What is wrong with an action is the only error of operations that it was meant for.
  ...[
    "upstream: {host: {hostname: http://pets.example}}",
    "upstream: {service: {nmae: pets}}",
    "upstraem: {service: {name: pets}}",
    "upstreams: [{service: {name: pets}, weight: 50}]",
    "redirect: {hsot: pets.example}",
    "mocking: true",
    "mocking: {enabeld: true}",
    "disabled: 'yes'",
  ].flatMap((settings) => [
    {
      name: `${settings} at the top`,
      text: `${HEAD}x-svc: {${settings}}\n${GET}`,
      want: [/^error (?:bad-e|unknown-e)x/],
    },
    {
      name: `${settings} at the top, for two operations`,
      text: `${HEAD}x-svc: {${settings}}\n${GET}    post:\n      responses: {"200": {description: Pets.}}\n`,
      want: [/^error (?:bad-e|unknown-e)x/],
    },
    {
      name: `${settings} of one operation, beside one without`,
      text: `${HEAD}${GET}      x-svc: {${settings}}\n    post:\n      responses: {"200": {description: Pets.}}\n`,
      want: [/^error (?:bad-e|unknown-e)x/, "error no-action 10:5"],
    },
    {
      name: `${settings} of a static route`,
      text: `${HEAD}paths: {}\nx-svc: {${settings}}\n`,
      options: { kind: "static-route" as const },
      want: [/^error (?:bad-e|unknown-e)x/],
    },
  ]),
  {
    name: "another setting that is wrong, and no action",
    text: `${HEAD}x-svc: {qos: {retires: 3}}\n${GET}`,
    want: [/^error unknown-e/, "error no-action 6:5"],
  },
  {
    name: "a misspelt key that is needed",
    text: `${HEAD}x-svc: {mocking: {enabled: true}, rate_limit: {request_per_unit: 5, unit: minute}}\n${GET}`,
    want: ["error unknown-extension-key 3:48"],
  },
  {
    name: "a misspelt x-svc",
    text: `${HEAD}x-scv: {mocking: {enabled: true}}\n${GET}    post:\n      responses: {"200": {description: Pets.}}\n`,
    want: ["error no-action 3:1"],
  },
  {
    name: "credentials for all origins",
    text: `${HEAD}x-svc:\n  mocking: {enabled: true}\n  cors: {origins: ["*"], credentials: true}\n${GET}`,
    want: ["error open-credentials 5:9"],
  },
  {
    name: "credentials of an operation for all origins of the definition",
    text: `${HEAD}x-svc:\n  mocking: {enabled: true}\n  cors: {origins: ["*"]}\n${GET}` +
      `      x-svc: {cors: {credentials: true}}\n`,
    want: ["error open-credentials 12:21"],
  },
  {
    name: "credentials for all origins of a scheme",
    text: `${HEAD}x-svc:\n  mocking: {enabled: true}\n  cors: {origins: ["https://*"], credentials: true}\n${GET}`,
    want: ["error open-credentials 5:9"],
  },
  {
    name: "credentials for some origins, and all origins without",
    text: `${HEAD}x-svc:\n  mocking: {enabled: true}\n  cors: {origins: ["*"]}\n${GET}` +
      `      x-svc: {cors: {origins: ["https://*.example.com"], credentials: true}}\n`,
    want: [],
  },
  {
    name: "credentials for all origins of a static route",
    text: `${HEAD}paths: {}\nx-svc:\n  redirect: {path: /x}\n  cors: {origins: ["*"], credentials: true}\n`,
    options: { kind: "static-route" },
    want: ["error open-credentials 6:9"],
  },
  {
    name: "a rewrite that RE2 doesn't take",
    text: `${HEAD}x-svc:\n  upstream:\n    host: {hostname: pets.example}\n` +
      `    rewrite: {pattern: "^/(?!a)", substitution: /}\n${GET}`,
    want: ["error bad-extension-value 6:25"],
  },
  {
    name: "a rewrite that only RE2 takes",
    text: `${HEAD}x-svc:\n  upstream:\n    host: {hostname: pets.example}\n` +
      `    rewrite: {pattern: "(?i)^/(?P<a>a)", substitution: '/\\1'}\n${GET}`,
    want: [],
  },
  {
    name: "a rewrite of several upstreams that is no regular expression",
    text: `${HEAD}x-svc:\n  upstreams:\n    - {weight: 50, host: {hostname: a.example}}\n` +
      `    - {weight: 50, host: {hostname: b.example}, rewrite: {pattern: "(", substitution: /}}\n${GET}`,
    want: ["error bad-extension-value 6:69"],
  },
  { name: "a disabled operation needs nobody", text: `${HEAD}x-svc: {disabled: true}\n${GET}`, want: [] },
  { name: "a redirected operation needs nobody else", text: `${HEAD}x-svc: {redirect: {path: /x}}\n${GET}`, want: [] },
  { name: "a mocked operation needs nobody else", text: `${HEAD}x-svc: {mocking: {enabled: true}}\n${GET}`, want: [] },
  {
    name: "examples without a schema, mocked",
    text: `${HEAD}x-svc: {mocking: {enabled: true}}\n${GET}          content: {text/plain: {example: x}}\n`,
    want: ["error mocked-without-schema 10:20"],
  },
  {
    name: "a schema without examples, mocked",
    text: `${HEAD}x-svc: {mocking: {enabled: true}}\n${GET}          content: {text/plain: {schema: {type: string}}}\n`,
    want: ["warning mocked-without-body 10:21"],
  },
  {
    name: "a schema without examples, mocked from state",
    text:
      `${HEAD}x-svc: {mocking: {enabled: true, stateful: true}}\n${GET}          content: {text/plain: {schema: {type: string}}}\n`,
    want: [],
  },
  {
    name: "an example that its schema refuses",
    text:
      `${HEAD}${UPSTREAM}${GET}          content: {application/json: {schema: {type: string, maxLength: 1}, example: xy}}\n`,
    want: ["warning bad-example 10:87"],
  },
  {
    name: "mocked and validated",
    text: `${HEAD}x-svc: {mocking: {enabled: true}, validation: {request: {enabled: true}}}\n${GET}`,
    want: ["error mocked-and-validated 3:47"],
  },
  {
    name: "a login at the gateway",
    text:
      `${HEAD}x-svc:\n  upstream: {host: {hostname: pets.example}}\n  auth:\n    oauth2: {issuer: "https://id.example", ` +
      `client_id: a, client_secret_ref: {name: a, key: b}}\n${GET}`,
    want: ["error unsupported-setting 6:5"],
  },
  {
    name: "a login where the gateway can do it",
    text:
      `${HEAD}x-svc:\n  upstream: {host: {hostname: pets.example}}\n  auth:\n    oauth2: {issuer: "https://id.example", ` +
      `client_id: a, client_secret_ref: {name: a, key: b}}\n${GET}`,
    options: { oauth2: true },
    want: [],
  },
  {
    name: "the same request by a prefix",
    text: `${HEAD}${UPSTREAM}paths:\n  /a/b: {get: {responses: {"200": {description: B.}}}}\n  ` +
      `/b: {x-svc: {path: {prefix: /a}}, get: {responses: {"200": {description: B.}}}}\n`,
    want: ["error duplicate-route 6:42"],
  },
  {
    name: "cors without origins, cache without an age",
    text: `${HEAD}x-svc:\n  disabled: true\n  cors: {methods: [GET]}\n  cache: {enabled: true}\n${GET}`,
    want: ["warning cors-without-origins 5:3", "warning cache-without-age 6:3"],
  },
  {
    name: "servers with a base path, without a prefix",
    text: `${HEAD}servers: [{url: "https://a.example/base"}]\n${UPSTREAM}${GET}`,
    want: ["warning unserved-base-path 3:1"],
  },
  {
    name: "servers with a base path, and a prefix",
    text:
      `${HEAD}servers: [{url: /base}]\nx-svc: {mocking: {enabled: true, generate: true}, path: {prefix: /base}}\n${GET}`,
    want: [],
  },
  {
    name: "servers with a base path, one at the root",
    text: `${HEAD}servers: [{url: /base}, {url: "https://a.example"}]\n${UPSTREAM}${GET}`,
    want: [],
  },
  {
    name: "a base path of Swagger",
    text: `swagger: "2.0"\ninfo: {title: A, version: "1"}\nbasePath: /base\n${UPSTREAM}paths:\n  /pets:\n    get:\n` +
      `      responses: {"200": {description: Pets.}}\n`,
    want: ["warning unserved-base-path 3:1"],
  },
  {
    name: "very many retries",
    text: `${HEAD}x-svc: {upstream: {service: {name: a}}, qos: {retries: 11}}\n${GET}`,
    want: ["warning many-retries 3:47"],
  },
  { name: "ten retries", text: `${HEAD}x-svc: {upstream: {service: {name: a}}, qos: {retries: 10}}\n${GET}`, want: [] },
  {
    name: "a required body of GET",
    text:
      `${HEAD}${UPSTREAM}${GET}      requestBody: {required: true, content: {text/plain: {schema: {type: string}}}}\n`,
    want: ["warning ignored-body 10:7"],
  },
  {
    name: "stateful operations of a cluster",
    text: `${HEAD}x-svc:\n  mocking: {enabled: true, stateful: true}\n${GET}`,
    options: { oauth2: true },
    want: ["warning unshared-state 4:3"],
  },
  {
    name: "stateful operations of the embedded gateway",
    text: `${HEAD}x-svc:\n  mocking: {enabled: true, stateful: true}\n${GET}`,
    want: [],
  },
  { name: "a static route", text: `${HEAD}paths: {}\n${UPSTREAM}`, options: { kind: "static-route" }, want: [] },
  {
    name: "a static route to nobody",
    text: `${HEAD}paths: {}\nx-svc: {hosts: [a.example]}\n`,
    options: { kind: "static-route" },
    want: ["error no-action 1:1"],
  },
  {
    name: "a static route with paths",
    text: HEAD + UPSTREAM + GET,
    options: { kind: "static-route" },
    want: ["warning ignored-paths 4:1"],
  },
];

Deno.test("checkDeployment() finds errors and warnings", async (t) => {
  for (const { name, text, options, want } of cases) {
    await t.step(name, async () => {
      const found = await check(text, options);
      assert.equal(found.length, want.length, found.join(", "));
      for (const wanted of want) {
        const isMeant = (one: string): boolean => typeof wanted === "string" ? one === wanted : wanted.test(one);
        assert.ok(found.some(isMeant), found.join(", "));
      }
    });
  }
});

Deno.test("checkDeployment() advises how to mend an error", async () => {
  const [diagnostic] = await checkDeployment(await parseDocument(HEAD + GET));
  assert.match(diagnostic?.message ?? "", /^`GET \/pets` has no action: give it `x-svc\.upstream`/);
  const two = `${HEAD}${GET}    post:\n      responses: {"200": {description: Pets.}}\n`;
  const [ofAll] = await checkDeployment(await parseDocument(two));
  assert.match(
    ofAll?.message ?? "",
    /^None of the 2 operations has an action: .*`x-svc: \{mocking: \{enabled: true\}\}`/,
  );
});

Deno.test("of very many problems the first are told, errors before warnings", async (t) => {
  const media = (index: number): string => `"application/x${index}+json": {schema: {type: integer}, example: a}`;
  const examples = (count: number): string =>
    `responses: {"200": {description: "", content: {${Array.from({ length: count }, (_, index) => media(index))}}}}`;
  const parameters = `parameters: [${Array(1200).fill("{}")}], `;
  await t.step("many errors: none that follow from them are looked for", async () => {
    const found = await check(`${HEAD}paths: {/pets: {get: {${parameters}${examples(1)}}}}`);
    assert.equal(found.length, 1001);
    assert.ok(found.includes("error too-many-problems 1:1"));
  });
  await t.step("many warnings: the definition can be deployed", async () => {
    const found = await check(`${HEAD}${UPSTREAM}paths: {/pets: {get: {${examples(1200)}}}}`);
    assert.ok(
      found.length > 10 && found.every((diagnostic) => diagnostic.startsWith("warning ")),
      found.slice(0, 5).join(),
    );
    assert.ok(found.some((diagnostic) => diagnostic.startsWith("warning unchecked-examples")));
  });
  await t.step("the message about unchecked examples names the command that checks them", async () => {
    const text = `${HEAD}${UPSTREAM}paths: {/pets: {get: {${examples(1200)}}}}`;
    const cut = (await checkDeployment(await parseDocument(text))).find(({ code }) => code === "unchecked-examples");
    assert.match(cut?.message ?? "", / `gw validate` takes longer, and checks more\.$/);
  });
});
