/**
 * What the pages of the documentation need beside their blocks. A page that isn't listed needs nothing.
 *
 * @module
 */
import { TODO } from "../cmd/definitions.ts";

/** What a page needs. */
export interface Setup {
  /** Answers the requests to the backend on port 3000. */
  upstream?: (request: Request) => Response | Promise<Response>;
  /** The files that the reader already has in the folder of the page. */
  files?: () => Promise<Record<string, string>>;
  /** Environment variables of the page's commands. */
  env?: Readonly<Record<string, string>>;
  /** Programs that the commands call, besides sh and curl. */
  tools?: readonly string[];
}

/**
 * A token for docs/gateway.md, which expires in 2100, and the public key of its issuer. Nobody keeps the private key.
 */
const TOKEN = "eyJhbGciOiJFZERTQSIsImtpZCI6ImRvY3MifQ." +
  "eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUuY29tIiwiYXVkIjoic2hvcCIsInN1YiI6ImFkYSIsImV4cCI6NDEwMjQ0NDgwMH0." +
  "cE3lyPaiQ0HK11L_B4qDUmWXzPhwfhs0fOPZNxAn7YEZRPYO5eTgixwMSQRNaep5v6eqaVFT_DY8bkvkbxQ5Ag";
const KEY = { kty: "OKP", crv: "Ed25519", x: "8YH-be1KyKwDLvtav2Vmbl_Krs8dabiCZmXAnEZxge0", kid: "docs", alg: "EdDSA" };

/** What each page needs, by the path of the page. */
export const SETUPS: Readonly<Record<string, Setup>> = {
  "README.md": { upstream: createdTodo },
  "docs/cluster.md": { files: sampleFiles },
  "docs/gateway.md": { files: sampleFiles, upstream: guardedShop, tools: ["jq"], env: { TOKEN } },
  "docs/mocking.md": { files: sampleFiles, upstream: createdTodo, tools: ["openssl"] },
  "docs/proxy.md": { upstream: brokenPets },
  "docs/recipes.md": { tools: ["npm"] },
  "docs/record.md": { upstream: recordedPets },
};

/** The sample definition, and a copy with a misspelt key. */
async function sampleFiles(): Promise<Record<string, string>> {
  const todo = await Deno.readTextFile(TODO);
  return { "todo.yaml": todo, "broken.yaml": todo.replace("mocking:", "mokcing:") };
}

/** The backend. It creates todos; to other requests it answers with their method and path. */
async function createdTodo(request: Request): Promise<Response> {
  const text = await request.text();
  if (request.method === "POST") return Response.json({ id: 3, ...JSON.parse(text) }, { status: 201 });
  return new Response(`real ${request.method} ${new URL(request.url).pathname}`);
}

/** The backend of docs/gateway.md, which also has the keys of an issuer of tokens. */
async function guardedShop(request: Request): Promise<Response> {
  return new URL(request.url).pathname === "/jwks.json" ? Response.json({ keys: [KEY] }) : await createdTodo(request);
}

/** The backend of docs/proxy.md, whose responses violate the definition. */
async function brokenPets(request: Request): Promise<Response> {
  await request.text();
  const { pathname } = new URL(request.url);
  if (pathname === "/dogs") return Response.json(["Rex"]);
  if (request.method === "PUT") return new Response(null, { status: 204 });
  return Response.json({ name: "Puma", born: "1.4.2024" });
}

/** The backend of docs/record.md. */
function recordedPets(request: Request): Response {
  const credential = request.headers.get("authorization")?.replace("Bearer ", "");
  switch (new URL(request.url).pathname) {
    case "/pets/1": {
      const owner = { email: "ada@example.com" };
      return Response.json({ id: 1, name: "Puma", code: "s3cr3t", owner, log: `asked with ${credential}` });
    }
    case "/pets/2":
      return Response.json({ id: 2, name: "Otter" });
    default:
      return Response.json({ title: "There is no pet 9." }, {
        status: 404,
        headers: { "content-type": "application/problem+json" },
      });
  }
}
