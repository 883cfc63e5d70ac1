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

/** What each page needs, by the path of the page. */
export const SETUPS: Readonly<Record<string, Setup>> = {
  "README.md": { upstream: createdTodo },
  "docs/cluster.md": { files: sampleFiles },
  "docs/gateway.md": { files: sampleFiles, upstream: createdTodo, tools: ["jq"] },
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
