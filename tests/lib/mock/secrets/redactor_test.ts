import assert from "node:assert/strict";
import { KnownSecrets } from "../../../../lib/mock/secrets/known_secrets.ts";
import { createRedactor } from "../../../../lib/mock/secrets/redactor.ts";
import { redactUrl } from "../../../../lib/mock/secrets/redact_url.ts";

// Assembled from parts, so that tools that search for secrets find none in this file.
const GITHUB = `ghp_${"A1b2".repeat(9)}`;
const STRIPE = `sk_live_${"4eC39HqLyjWDarjtT1zdp7dc"}`;
const AWS = `AKIA${"IOSFODNN7EXAMPLE"}`;
const JWT = ["eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxIn0", "c2lnbmF0dXJl"].join(".");
const PEM = "-----BEGIN RSA PRIVATE " + "KEY-----\nMIIEow\nIBAAKCAQEA\n-----END RSA PRIVATE " + "KEY-----";

const TEXTS: readonly { given: string; want: string }[] = [
  { given: `see ${GITHUB}.`, want: "see REDACTED." },
  { given: `(${STRIPE})`, want: "(REDACTED)" },
  { given: `id=${AWS}, ok`, want: "id=REDACTED, ok" },
  { given: `a ${JWT} b`, want: "a REDACTED b" },
  { given: `before\n${PEM}\nafter`, want: "before\nREDACTED\nafter" },
  { given: PEM.slice(0, 40), want: "REDACTED" },
  { given: `key ${btoa(PEM)}`, want: "key REDACTED" },
  { given: "Authorization: Bearer abcd1234efgh", want: "Authorization: REDACTED" },
  { given: "sent Bearer abcd1234efgh to it", want: "sent Bearer REDACTED to it" },
  { given: "Basic dXNlcjpwYXNz", want: "Basic REDACTED" },
  { given: "Basic authentication is needed", want: "Basic authentication is needed" },
  { given: 'Bearer realm="pets", error="invalid_token"', want: 'Bearer realm="pets", error="invalid_token"' },
  { given: "https://ada:hunter2@example.com/", want: "https://ada:REDACTED@example.com/" },
  { given: "password=hunter2&limit=3", want: "password=REDACTED&limit=3" },
  { given: "user[password]=hunter2", want: "user[password]=REDACTED" },
  { given: '{"api_key": "a b\\"c", "x": 1', want: '{"api_key": "REDACTED", "x": 1' },
  { given: '{\\"password\\":\\"hunter2\\",\\"x\\":1}', want: '{\\"password\\":\\"REDACTED\\",\\"x\\":1}' },
  { given: "db_password: hunter2\nhost: db", want: "db_password: REDACTED\nhost: db" },
  { given: "Cookie: a=1; b=2\nHost: x", want: "Cookie: REDACTED\nHost: x" },
  {
    given: "next=https%3A%2F%2Fx%3Faccess_token%3Dabc123&y=1",
    want: "next=https%3A%2F%2Fx%3Faccess_token%3DREDACTED&y=1",
  },
  { given: '<db password="hunter2" host="x"/>', want: '<db password="REDACTED" host="x"/>' },
  { given: "token=true", want: "token=true" },
  { given: "the token is missing", want: "the token is missing" },
];

for (const { given, want } of TEXTS) {
  Deno.test(`text() of ${JSON.stringify(given.slice(0, 60))}`, () => assert.equal(createRedactor().text(given), want));
}

Deno.test("value() redacts by the field's name, the form of the value, and a naming sibling", () => {
  const given = {
    id: 7,
    password: "hunter2",
    pin: 1234,
    hasPassword: true,
    tokens: 12,
    credentials: { user: "ada", parts: ["x", "y"] },
    env: [{ name: "DB_PASSWORD", value: "hunter2" }, { name: "HOST", value: "db" }],
    note: `use ${GITHUB}`,
    [STRIPE]: 1,
    nested: JSON.stringify({ a: { secret: "s3cret" } }),
    xml: "<a><password>hunter2</password></a>",
    kind: "Secret",
    data: { foo: "YmFy" },
    "__proto__x": 1,
  };
  const { value, paths } = createRedactor().value(given);
  assert.deepEqual(value, {
    id: 7,
    password: "REDACTED",
    pin: 0,
    hasPassword: true,
    tokens: 12,
    credentials: { user: "REDACTED", parts: ["REDACTED", "REDACTED"] },
    env: [{ name: "DB_PASSWORD", value: "REDACTED" }, { name: "HOST", value: "db" }],
    note: "use REDACTED",
    REDACTED: 1,
    nested: '{"a":{"secret":"REDACTED"}}',
    xml: "<a><password>REDACTED</password></a>",
    kind: "Secret",
    data: { foo: "REDACTED" },
    "__proto__x": 1,
  });
  assert.deepEqual(paths.map((path) => path.join("/")), [
    ...["password", "pin", "credentials/user", "credentials/parts/0", "credentials/parts/1", "env/0/value", "note"],
    ...["nested", "xml", "data/foo"],
  ]);
});

Deno.test("value() keeps a member that is called __proto__", () => {
  const given: unknown = JSON.parse('{"__proto__":{"password":"hunter2"}}');
  assert.equal(JSON.stringify(createRedactor().value(given).value), '{"__proto__":{"password":"REDACTED"}}');
});

const URLS: readonly { given: string; want: string }[] = [
  { given: "http://x/pets?limit=3", want: "http://x/pets?limit=3" },
  { given: "/pets?api%5Fkey=a%26b&q=1", want: "/pets?api%5Fkey=REDACTED&q=1" },
  { given: `/keys/${GITHUB}/x`, want: "/keys/REDACTED/x" },
  { given: `/keys/${GITHUB.replace("_", "%5F")}/x`, want: "/keys/REDACTED/x" },
  { given: "/cb#access_token=abc", want: "/cb#access_token=REDACTED" },
  { given: "/pets?next=%2Fx%3Ftoken%3Dabc", want: "/pets?next=%2Fx%3Ftoken%3DREDACTED" },
];

for (const { given, want } of URLS) {
  Deno.test(`redactUrl() of ${given.slice(0, 40)}`, () => assert.equal(redactUrl(given), want));
}

Deno.test("KnownSecrets finds secrets in every encoding", () => {
  const known = new KnownSecrets();
  const secret = 'hünter"2 & <more>/x';
  known.add(secret);
  const redactor = createRedactor({ known });
  const bytes = new TextEncoder().encode(secret);
  const within = (before: string): string => new TextEncoder().encode(`${before}${secret}!`).toBase64();
  const forms = [
    secret,
    JSON.stringify(secret),
    JSON.stringify(JSON.stringify(secret)),
    encodeURIComponent(secret),
    encodeURIComponent(secret).toLowerCase(),
    new URLSearchParams({ q: secret }).toString().slice(2),
    "hünter&quot;2 &amp; &lt;more&gt;/x",
    bytes.toBase64(),
    bytes.toBase64({ alphabet: "base64url" }),
    within("a"),
    within("ab"),
    within("user:"),
  ];
  for (const form of forms) {
    const found = redactor.text(`- ${form} -`);
    assert.match(found, /REDACTED/, form);
    assert.doesNotMatch(found, /more|nter/, form);
  }
});

Deno.test("KnownSecrets also finds the decoded text of a secret in base64", () => {
  const known = new KnownSecrets();
  known.add(btoa("plain-text-77"));
  assert.equal(createRedactor({ known }).text("got plain-text-77"), "got REDACTED");
});

Deno.test("KnownSecrets finds secrets with a common prefix up to their end", () => {
  const known = new KnownSecrets();
  const start = "correct horse battery staple ";
  for (const end of ["one two", "three four"]) known.add(`${start}${end}`);
  const text = createRedactor({ known }).text(`a ${start}one two, ${start}three four, ${start.trim()}-five`);
  assert.equal(text, "a REDACTED, REDACTED, REDACTED");
});

Deno.test("KnownSecrets ignores short texts and drops the oldest secrets", () => {
  const known = new KnownSecrets();
  known.add("short");
  assert.deepEqual(known.find("short"), []);
  for (let index = 0; index <= 1_000; index++) known.add(`secret-${index}-`);
  assert.deepEqual(known.find("secret-0-"), []);
  assert.equal(known.find("secret-1000-").length, 1);
});

/** Texts that would take minutes to redact if the time grew quadratically. */
const HOSTILE: readonly { name: string; text: string; known?: string[] }[] = [
  { name: "starts of JWTs", text: "eyJ-".repeat(250_000) },
  { name: "dots", text: "eyJ.".repeat(250_000) },
  { name: "starts of keys", text: "-----BEGIN PRIVATE KEY ".repeat(40_000) },
  { name: "base64 of starts", text: "LS0tLS1CRUdJTi".repeat(70_000) },
  { name: "URLs", text: "://".repeat(330_000) },
  { name: "users", text: "://a:".repeat(200_000) },
  { name: "separators", text: "token=".repeat(170_000) },
  { name: "quotes", text: 'token="'.repeat(140_000) },
  { name: "schemes", text: "bearer aaaaaaaaaaaaaaa ".repeat(40_000) },
  { name: "a secret again and again", text: "a".repeat(1_000_000), known: ["a".repeat(8_000), `${"a".repeat(500)}b`] },
];

for (const { name, text, known: secrets = [] } of HOSTILE) {
  Deno.test(`text() takes linear time: ${name}`, () => {
    const known = new KnownSecrets();
    for (const secret of secrets) known.add(secret);
    createRedactor({ known }).text(text);
  });
}

Deno.test("value() takes linear time: names that become equal when they are redacted", () => {
  const given = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`${GITHUB}${index}`, index]));
  const { value } = createRedactor().value(given);
  assert.deepEqual(Object.keys(value as object).slice(0, 3), ["REDACTED", "REDACTED-2", "REDACTED-3"]);
});

Deno.test("value() takes linear time: many deeply nested values", () => {
  const deep = `${"[".repeat(390)}${Array(100_000).fill('{"pin":1}').join()}${"]".repeat(390)}`;
  const { paths } = createRedactor().value(JSON.parse(deep));
  assert.equal(paths.length, 1_000);
  assert.equal(paths[0]?.length, 391);
});

Deno.test("header() redacts the value of each cookie in Set-Cookie", () => {
  const redactor = createRedactor();
  assert.equal(
    redactor.header("Set-Cookie", "a=x,y; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/, sid=z; Secure, b=c"),
    "a=REDACTED; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/, sid=REDACTED; Secure, b=REDACTED",
  );
});
