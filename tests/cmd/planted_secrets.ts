/**
 * Requests with secrets of many kinds, planted in every part of a request, and ordinary values beside them.
 *
 * @module
 */

/** A definition with secrets of its own names: API keys, a path parameter, and a parameter with the format of passwords. */
export const DEFINITION = `
openapi: 3.1.0
info: { title: Vault, version: "1" }
security: [{ query: [] }, { header: [] }, { cookie: [] }]
paths:
  /items/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get:
      parameters:
        - { name: limit, in: query, schema: { type: integer, maximum: 9 } }
        - { name: unlock, in: query, schema: { type: string, format: password } }
      responses: { "200": { description: OK, content: { application/json: { schema: { type: object, required: [id] } } } } }
    post:
      requestBody:
        content:
          application/json: { schema: { type: object, properties: { house: { type: string, format: password } } } }
          "*/*": {}
      responses: { "200": { description: OK, content: { application/json: { schema: { type: object, required: [id] } } } } }
  /reset/{token}:
    parameters: [{ name: token, in: path, required: true, schema: { type: string } }]
    get: { responses: { "200": { description: OK, content: { application/json: { schema: { type: object } } } } } }
components:
  securitySchemes:
    query: { type: apiKey, in: query, name: k }
    header: { type: apiKey, in: header, name: X-Vault-Tenant }
    cookie: { type: apiKey, in: cookie, name: jar }
`;

export interface PlantedRequest {
  readonly path: string;
  readonly init: RequestInit;
  /** The secret, as it must not appear in any output. */
  readonly secret: string;
}

/** Texts that aren't secrets, and must stay. */
export const ORDINARY = { name: "Ada Lovelace", zip_code: "89501", country_code: "DE", state: "NV", sku: "chair-0042" };

const LETTERS = "aZ3kQ9xW7bR5tY1mN8cV6pL4";

/** A random-looking text of a length, different for each number. */
function random(number: number, length = 24): string {
  const text = `${LETTERS.slice(number % 24)}${LETTERS}`.repeat(3);
  return `${number}${text}`.slice(0, length);
}

/** Makes all requests. Secrets are made from parts, so that tools that search for secrets find none in this file. */
export function plantSecrets(): PlantedRequest[] {
  let number = 100;
  const planted: PlantedRequest[] = [];
  const plant = (
    make: (secret: string) => { path?: string; init?: RequestInit },
    secret = `s${random(++number)}`,
  ): void => {
    const { path = "/items/1", init = {} } = make(secret);
    planted.push({ path, init, secret });
  };
  const post = (type: string, body: BodyInit): { init: RequestInit } => ({
    init: { method: "POST", headers: { "content-type": type }, body },
  });
  const json = (value: unknown): { init: RequestInit } => post("application/json", JSON.stringify(value));
  const text = (body: string): { init: RequestInit } => post("text/plain", body);
  const header = (name: string, value: string): { init: RequestInit } => ({ init: { headers: { [name]: value } } });

  const tokens = [
    ["ghp_", 36],
    ["glpat-", 20],
    ["sk_live_", 24],
    ["xoxb-", 24],
    ["AKIA", 0],
    ["hvs.", 92],
    ["sk-ant-api03-", 40],
    ["dckr_pat_", 24],
  ] as const;
  for (const [prefix, length] of tokens) {
    const token = (): string => prefix + (length === 0 ? "Q7RTZ5MNPW3LKJH2" : random(++number, length));
    plant((secret) => ({ path: `/items/1?q=${secret}` }), token());
    plant((secret) => ({ path: `/other/${secret}/x` }), `${token()}p`.replace(/^(AKIA.{16})p$/, "$1"));
    plant((secret) => text(`used ${secret}.`), `${token()}t`.replace(/^(AKIA.{16})t$/, "$1"));
  }
  const bot = (): string => `123456789:AA${random(++number, 33)}`;
  plant((secret) => ({ path: `/bot${secret}/getMe` }), bot());
  plant((secret) => json({ note: `bot ${secret}` }), bot());

  for (
    const name of [
      ...[
        "access_token",
        "client_secret",
        "X-Amz-Signature",
        "password",
        "api_key",
        "sig",
        "k",
        "unlock",
        "secret_answer",
      ],
      ...["pwd_reset", "one_time_code", "user[password]"],
    ]
  ) {
    plant((secret) => ({ path: `/items/1?limit=99&${encodeURIComponent(name)}=${secret}` }));
  }
  plant((secret) => ({ path: `/unknown?k=${secret}` }));
  plant((secret) => ({ path: `/items/1?code=${secret}&state=xyz` }));
  plant((secret) => ({ path: `/reset/${secret}` }));
  plant((secret) => ({ path: `/items/1?next=${encodeURIComponent(`https://ada:${secret}@x.example/`)}` }));
  plant((secret) => ({ path: `/items/1?next=${encodeURIComponent(`/cb?access_token=${secret}`)}` }));
  plant((secret) => ({ path: `/items/1?next=${encodeURIComponent(`https://x/cb?code=${secret}&state=1`)}` }));
  plant((secret) => ({ path: `/items/1?q=${encodeURIComponent(JSON.stringify({ password: secret }))}` }));
  plant((secret) => ({ path: `/items/1?q=${encodeURIComponent(btoa(JSON.stringify({ password: secret })))}` }));

  plant((secret) => header("authorization", `Bearer ${secret}`));
  plant((secret) => header("authorization", `Basic ${btoa(`ada:${secret}`)}`));
  plant((secret) => header("authorization", secret));
  for (const name of ["x-api-key", "x-vault-tenant", "x-auth-token", "x-csrf-token", "proxy-authorization"]) {
    plant((secret) => header(name, secret));
  }
  plant((secret) => header("referer", `https://x.example/?access_token=${secret}`));
  plant((secret) => header("x-trace", `password=${secret}`));
  for (const name of ["session", "jar", "remember"]) {
    plant((secret) => header("cookie", `theme=dark; ${name}=${secret}`));
  }

  const form = "application/x-www-form-urlencoded";
  plant((secret) => post(form, `user=ada&password=${secret}`));
  plant((secret) => post(form, `grant_type=authorization_code&code=${secret}`));
  plant((secret) => post(form, `grant_type=jwt-bearer&assertion=${secret}`));
  plant((secret) => post(form, `code=${secret}&state=x`));
  const parts = (name: string, type: string, body: string): { init: RequestInit } =>
    post(
      "multipart/form-data; boundary=b",
      `--b\r\ncontent-disposition: form-data; name="${name}"\r\ncontent-type: ${type}\r\n\r\n${body}\r\n--b--\r\n`,
    );
  plant((secret) => parts("password", "text/plain", secret));
  plant((secret) => parts("data", "application/json", JSON.stringify({ token: secret })));
  plant((secret) => parts("file", "text/plain", `password: ${secret}`));

  for (
    const make of [
      (secret: string) => ({ password: secret }),
      (secret: string) => ({ house: secret }),
      (secret: string) => ({ user: { credentials: { a: [secret] } } }),
      (secret: string) => ({ env: [{ Name: "DB_PASSWORD", Value: secret }] }),
      (secret: string) => ({ tags: [{ key: "api_key", val: secret }] }),
      (secret: string) => ({ headers: [["Authorization", secret], ["Accept", "x"]] }),
      (secret: string) => ({ kty: "RSA", n: "public", e: "AQAB", d: secret }),
      (secret: string) => ({ kty: "oct", k: secret }),
      (secret: string) => ({ kind: "Secret", stringData: { a: secret } }),
      (secret: string) => ({ kind: "Secret", data: { a: btoa(secret) } }),
      (secret: string) => ({ code: secret, redirect_uri: "https://x.example" }),
      (secret: string) => ({ url: `https://ada:${secret}@x.example/` }),
      (secret: string) => ({ url: `https://x.example/cb?access_token=${secret}` }),
      (secret: string) => ({ url: `https://x.example/cb#access_token=${secret}` }),
      (secret: string) => ({ blob: btoa(JSON.stringify({ user: "ada", password: secret })) }),
      (secret: string) => ({ inner: JSON.stringify({ client_secret: secret }) }),
      (secret: string) => ({ xml: `<a><password>${secret}</password></a>` }),
      (secret: string) => ({ log: `POST /login password=${secret} 200` }),
      (secret: string) => ({ secret_answer: secret, pwd_reset: "x" }),
      (secret: string) => ({ SecretString: secret }),
    ]
  ) plant((secret) => json(make(secret)));
  plant((secret) => post("application/json", `{"password": "${secret}", "broken": `));
  plant((secret) => post("application/json", `{"Name": "password", "Value": "${secret}", `));
  plant((secret) => post("application/x-ndjson", `{"a":1}\n{"password":"${secret}"}\n`));

  plant((secret) => post("application/xml", `<a><apiKey>${secret}</apiKey></a>`));
  plant((secret) => post("application/xml", `<a><p password="${secret}"/></a>`));
  plant((secret) => post("application/xml", `<e><Name>password</Name><Value>${secret}</Value></e>`));
  plant((secret) => post("application/xml", `<a><secret><![CDATA[${secret}]]></secret></a>`));
  plant((secret) => post("text/csv", `name,password\nada,${secret}\n`));
  plant((secret) => post("text/csv", `name,value\npassword,${secret}\n`));
  plant((secret) => post("application/yaml", `db:\n  password: ${secret}\n`));
  plant((secret) => post("application/yaml", `kind: Secret\nstringData:\n  a: ${secret}\n---\nkind: ConfigMap\n`));

  for (
    const line of [
      (secret: string) => `curl -u ada:${secret} https://x.example`,
      (secret: string) => `curl -H 'Authorization: Bearer ${secret}' https://x.example`,
      (secret: string) => `sshpass -p ${secret} ssh ada@x.example`,
      (secret: string) => `mysql -u root -p${secret} shop`,
      (secret: string) => `tool --password ${secret} --limit 3`,
      (secret: string) => `machine x.example login ada password ${secret}`,
      (secret: string) => `PGPASSWORD=${secret} psql`,
      (secret: string) => `got <password>${secret}</password> here`,
      (secret: string) => `to https://ada:${secret}@x.example/`,
      (secret: string) => `kind: Secret\nstringData:\n  a: ${secret}\n`,
      (secret: string) => `-----BEGIN PRIVATE ${"KEY"}-----\n${secret}\n-----END PRIVATE ${"KEY"}-----`,
      (secret: string) => btoa(`password: ${secret}, user: ada`),
      (secret: string) => `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${secret}`,
    ]
  ) plant((secret) => text(line(secret)));

  const bytes = (body: string): Uint8Array<ArrayBuffer> =>
    Uint8Array.from([0, 0, 0, 0, body.length + 2, 10, body.length, ...new TextEncoder().encode(body), 0xFF]);
  plant((secret) => post("application/grpc", bytes(`ghp_${secret}`)), random(++number, 36));
  plant((secret) => post("application/grpc", bytes(`password=${secret}`)));
  return planted;
}
