import assert from "node:assert/strict";
import { KnownSecrets } from "../../../../lib/observe/secrets/known_secrets.ts";
import { createRedactor } from "../../../../lib/observe/secrets/redactor.ts";

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
  { given: "bot call /bot123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-x/getMe", want: "bot call /botREDACTED/getMe" },
  { given: "curl -u ada:hunter2 https://x.example", want: "curl -u ada:REDACTED https://x.example" },
  { given: 'curl -sS --user "ada:hunter 2" x', want: 'curl -sS --user "ada:REDACTED" x' },
  { given: "curl -uada:hunter2 x; curl x", want: "curl -uada:REDACTED x; curl x" },
  { given: "sshpass -p hunter2 ssh ada@x.example", want: "sshpass -p REDACTED ssh ada@x.example" },
  { given: "sshpass -phunter2 ssh x", want: "sshpass -pREDACTED ssh x" },
  { given: "mysql -u root -phunter2 shop", want: "mysql -u root -pREDACTED shop" },
  { given: "docker login -u ada -p hunter2 r.example", want: "docker login -u ada -p REDACTED r.example" },
  { given: "docker run -u 1000:1000 -p 8080:80 x", want: "docker run -u 1000:1000 -p 8080:80 x" },
  { given: "tool --password hunter2 --limit 3", want: "tool --password REDACTED --limit 3" },
  { given: "tool --api-key 'k 1' x", want: "tool --api-key 'REDACTED' x" },
  { given: "tool --token-file /run/t --password --x", want: "tool --token-file /run/t --password --x" },
  { given: "machine x.example login ada password hunter2", want: "machine x.example login ada password REDACTED" },
  {
    given: "machine x.example\n  login ada\n  password hunter2\n",
    want: "machine x.example\n  login ada\n  password REDACTED\n",
  },
  { given: "got <password>hunter2</password> in", want: "got <password>REDACTED</password> in" },
  { given: "got <s:ApiKey a='1'>k-1</s:ApiKey>", want: "got <s:ApiKey a='1'>REDACTED</s:ApiKey>" },
  { given: '{"Name":"DB_PASSWORD","Value":"hunter2"', want: '{"Name":"DB_PASSWORD","Value":"REDACTED"' },
  { given: '{"kty":"OKP","x":"pub","d":"prv-1"', want: '{"kty":"OKP","x":"pub","d":"REDACTED"' },
  {
    given: "to https://x.example/cb?code=SplxlOBe&state=xyz now",
    want: "to https://x.example/cb?code=REDACTED&state=xyz now",
  },
  { given: "grant_type=x&assertion=PHNhbWw", want: "grant_type=x&assertion=REDACTED" },
  { given: "country?code=94105&state=CA", want: "country?code=94105&state=CA" },
  {
    given: "?next=https%3A%2F%2Fada%3Ahunter2%40x.example%2F",
    want: "?next=https%3A%2F%2Fada%3AREDACTED%40x.example%2F",
  },
  {
    given: "?next=https%253A%252F%252Fada%253Ahunter2%2540x",
    want: "?next=https%253A%252F%252Fada%253AREDACTED%2540x",
  },
  { given: `key=${btoa('{"user":"ada","password":"hunter2"}')}`, want: "key=REDACTED" },
  { given: `x ${btoa(btoa('{"password":"hunter2"}'))} y`, want: "x REDACTED y" },
  { given: `x ${btoa('{"user":"ada","age":36}')} y`, want: `x ${btoa('{"user":"ada","age":36}')} y` },
  {
    given: "kind: Secret\nmetadata:\n  name: db\nstringData:\n  foo: hunter2\ntype: Opaque\n",
    want: "kind: Secret\nmetadata:\n  name: db\nstringData:\n  foo: REDACTED\ntype: Opaque\n",
  },
  { given: "kind: ConfigMap\ndata:\n  foo: bar\n", want: "kind: ConfigMap\ndata:\n  foo: bar\n" },
  { given: `glpat-${"aB3".repeat(7)}!`, want: "REDACTED!" },
  { given: `line\\nghp_${"A1b2".repeat(9)}\\n`, want: "line\\nREDACTED\\n" },
  { given: `a%3Dghp_${"A1b2".repeat(9)}`, want: "a%3DREDACTED" },
  { given: `hvs.${"aB3_".repeat(8)} pul-${"a1".repeat(20)}`, want: "REDACTED REDACTED" },
  { given: "The password is hunter2", want: "The password is REDACTED" },
  { given: "The password is required", want: "The password is required" },
  { given: "How to reset your password: a guide", want: "How to reset your password: a guide" },
  { given: "api key: k-1", want: "api key: REDACTED" },
  { given: "password => 'k-1', x := 2", want: "password => 'REDACTED', x := 2" },
  { given: "%22password%22%3A%22k-1%22%2C", want: "%22password%22%3A%22REDACTED%22%2C" },
  { given: 'see <input name="password" value="k-1">', want: 'see <input name="password" value="REDACTED">' },
  { given: "//ada:hunter2@x.example/ and //x.example/", want: "//ada:REDACTED@x.example/ and //x.example/" },
  {
    given: "kubectl create secret generic a --from-literal=b=k-1",
    want: "kubectl create secret generic a --from-literal=b=REDACTED",
  },
  { given: "http -a ada:hunter2 x.example", want: "http -a ada:REDACTED x.example" },
  { given: "Bearer credentials. Basic authentication.", want: "Bearer credentials. Basic authentication." },
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

const VALUES: readonly { given: unknown; want: unknown }[] = [
  { given: { Name: "password", Value: "hunter2" }, want: { Name: "password", Value: "REDACTED" } },
  { given: { key: "api_key", val: "k-1" }, want: { key: "api_key", val: "REDACTED" } },
  { given: [["token", "t-1"], ["limit", "3"]], want: [["token", "REDACTED"], ["limit", "3"]] },
  { given: ["password", "email"], want: ["password", "email"] },
  {
    given: { kty: "RSA", n: "pub", e: "AQAB", d: "a", p: "b", q: "c", dp: "d", dq: "e", qi: "f", k: "g" },
    want: {
      kty: "RSA",
      n: "pub",
      e: "AQAB",
      ...Object.fromEntries([..."d p q dp dq qi k".split(" ")].map((n) => [n, "REDACTED"])),
    },
  },
  { given: { d: "a", p: "b" }, want: { d: "a", p: "b" } },
  { given: { kind: "Secret", stringData: { a: "b" } }, want: { kind: "Secret", stringData: { a: "REDACTED" } } },
  { given: { code: "SplxlOBe", redirect_uri: "/" }, want: { code: "REDACTED", redirect_uri: "/" } },
  { given: { code: "SplxlOBe", state: "af0ifjsldkj" }, want: { code: "REDACTED", state: "af0ifjsldkj" } },
  { given: { code: "SUMMER2026", state: "active" }, want: { code: "SUMMER2026", state: "active" } },
  { given: { city: "Reno", state: "NV", zip_code: "89501" }, want: { city: "Reno", state: "NV", zip_code: "89501" } },
  { given: { code: 404, status: "error" }, want: { code: 404, status: "error" } },
  {
    given: { country_code: "DE", sku: "SK-12", price: "9.99" },
    want: { country_code: "DE", sku: "SK-12", price: "9.99" },
  },
  {
    given: { secret_answer: "Rex", pwd_reset: "x1", one_time_code: 123456 },
    want: { secret_answer: "REDACTED", pwd_reset: "REDACTED", one_time_code: 0 },
  },
  {
    given: { url: "https://x.example/?code=abc123&state=1" },
    want: { url: "https://x.example/?code=REDACTED&state=1" },
  },
  {
    given: { id: "0f8fad5b-d9cb-469f-a165-70867728950e", sha: "a".repeat(40) },
    want: { id: "0f8fad5b-d9cb-469f-a165-70867728950e", sha: "a".repeat(40) },
  },
];

for (const { given, want } of VALUES) {
  Deno.test(`value() of ${JSON.stringify(given).slice(0, 70)}`, () => {
    assert.deepEqual(createRedactor().value(given).value, want);
  });
}

const SENTENCES = [
  "Request header Authorization must have Bearer credentials.",
  "Request header Authorization must have Basic credentials.",
  "Or: request header Authorization must have Digest credentials.",
  "Request query parameter token must be string.",
  "Request body must have required property 'password'.",
  "Response body property password: must NOT have fewer than 8 characters.",
  "Send the token of --control-token: Authorization: Bearer TOKEN.",
  "Add --password FILE.",
];

for (const sentence of SENTENCES) {
  Deno.test(`sentence() keeps gw's own words: ${sentence}`, () => {
    assert.equal(createRedactor().sentence(sentence), sentence);
  });
}

Deno.test("sentence() redacts known secrets, tokens and passwords of URLs", () => {
  const known = new KnownSecrets();
  known.add("s3cret-value");
  assert.equal(
    createRedactor({ known }).sentence(
      `The upstream https://ada:pass@x.example did not take s3cret-value and ${GITHUB}.`,
    ),
    "The upstream https://ada:REDACTED@x.example did not take REDACTED and REDACTED.",
  );
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
  Deno.test(`url() of ${given.slice(0, 40)}`, () => assert.equal(createRedactor().url(given), want));
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

/** The most characters of a hostile text. */
const MOST = 250_000;

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
  { name: "URLs in URLs", text: "http://x?u=".repeat(90_000) },
  { name: "encoded URLs", text: "%3A%2F%2Fa".repeat(100_000) },
  { name: "commands", text: "curl -u a: ".repeat(90_000) },
  { name: "commands on one line", text: "docker login ".repeat(80_000) },
  { name: "flags", text: "--password ".repeat(90_000) },
  { name: "elements", text: "<password a".repeat(90_000) },
  { name: "open elements", text: "<password>".repeat(90_000) },
  { name: "named values", text: '"name":"password","value":'.repeat(40_000) },
  { name: "codes", text: "&code=a&state=b".repeat(60_000) },
  {
    name: "codes of many names",
    text: Array.from({ length: 60_000 }, (_, index) => `&code=${index}&n${index}=b`).join(""),
  },
  { name: "base64", text: btoa('{"a":"b"}'.repeat(90_000)) },
  { name: "words of base64", text: `${btoa('{"a":"bcdefgh"}')} `.repeat(40_000) },
  { name: "prefixes of tokens", text: "sk-proj-".repeat(120_000) },
  { name: "bots", text: "123456789:A".repeat(90_000) },
  { name: "statements", text: "token is ".repeat(30_000) },
  { name: "attributes", text: ' name="password" a'.repeat(20_000) },
  { name: "slashes", text: "//a".repeat(90_000) },
  { name: "logins", text: "login ".repeat(170_000) },
  { name: "Secrets of Kubernetes", text: `kind: Secret\n${"data:\n a: b\n".repeat(70_000)}` },
  { name: "schemes", text: "bearer aaaaaaaaaaaaaaa ".repeat(40_000) },
  { name: "a secret again and again", text: "a".repeat(1_000_000), known: ["a".repeat(8_000), `${"a".repeat(500)}b`] },
];

for (const { name, text, known: secrets = [] } of HOSTILE) {
  Deno.test(`text() takes linear time: ${name}`, () => {
    const known = new KnownSecrets();
    for (const secret of secrets) known.add(secret);
    createRedactor({ known }).text(text.slice(0, MOST));
  });
}

for (const { name, text } of HOSTILE.filter(({ known }) => known === undefined)) {
  Deno.test(`value() and url() take linear time: ${name}`, () => {
    createRedactor().value({ text: text.slice(0, MOST) });
    createRedactor().url(`/x?q=${text.slice(0, MOST)}`);
  });
}

Deno.test("value() takes linear time: spellings of code", () => {
  const spellings = Array.from({ length: 20_000 }, (_, index) => [`code${"_".repeat(index % 30)}${index}`, "abc123"]);
  createRedactor().value({ ...Object.fromEntries(spellings), grant_type: "x" });
});

Deno.test("value() takes linear time: names that become equal when they are redacted", () => {
  const given = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`${GITHUB}${index}`, index]));
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

Deno.test("url() redacts what follows the name of a link or webhook in a path, if it looks random", () => {
  const redactor = createRedactor();
  const token = "4fTq9ZkLw2Xv8BnM7cRs1YhD";
  const secret = [
    `/reset-password/${token}`,
    `https://app.example/auth/password_resets/${token}?lang=en`,
    `/magic-links/${token.toLowerCase()}`,
    `/verify-email/${token}`,
    `/unsubscribe/${token}`,
    `/users/7/acceptInvite/${token}`,
    `https://hooks.slack.com/services/T00000000/B00000000/${token}`,
    `/api/webhooks/123456789012345678/${token}${token}`,
  ];
  for (const url of secret) {
    const redacted = redactor.url(url);
    assert.match(redacted, /\/REDACTED(?:\?lang=en)?$/, url);
    assert.ok(!redacted.toLowerCase().includes(token.toLowerCase()), url);
  }
  const plain = [
    "/reset-password/confirmation",
    "/reset-password/send-a-new-mail-please",
    "/webhooks/7f1d2a90-5c1e-4d7a-9a39-0d6f2c1b8e44/deliveries",
    "/services/payments-gateway-v2/instances",
    `/pets/${token}`,
  ];
  for (const url of plain) assert.equal(redactor.url(url), url);
});
