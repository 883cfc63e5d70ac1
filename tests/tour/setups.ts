/**
 * The requirements of pages of the documentation. A page without a row has none.
 *
 * @module
 */
import { TODO } from "../cmd/definitions.ts";

/** The programs and files that the examples of a page need. */
export interface Setup {
  /** The backend on port 3000. */
  upstream?: (request: Request) => Response | Promise<Response>;
  /** Files that the reader has in the page's folder. */
  files?: () => Promise<Record<string, string>>;
  /** Environment variables that replace the reader's. */
  env?: Readonly<Record<string, string>>;
  /** Programs that the page's commands call, besides sh and curl. */
  tools?: readonly string[];
}

/** The requirements of each page, by its path. */
export const SETUPS: Readonly<Record<string, Setup>> = {
  "README.md": { upstream: createdTodo },
  "docs/cluster.md": { files: sampleFiles },
  "docs/gateway.md": { files: sampleFiles, upstream: createdTodo, tools: ["jq"] },
  "docs/mocking.md": { files: sampleFiles, upstream: createdTodo, tools: ["openssl"] },
  "docs/proxy.md": { upstream: brokenPets },
  "docs/recipes.md": { tools: ["npm"] },
  "docs/record.md": { upstream: recordedPets },
};

/** The sample, and the sample with a misspelt key. */
async function sampleFiles(): Promise<Record<string, string>> {
  const todo = await Deno.readTextFile(TODO);
  return { "todo.yaml": todo, "broken.yaml": todo.replace("mocking:", "mokcing:") };
}

/** A backend that creates todos, and answers other requests with their method and path. */
async function createdTodo(request: Request): Promise<Response> {
  const text = await request.text();
  if (request.method === "POST") return Response.json({ id: 3, ...JSON.parse(text) }, { status: 201 });
  return new Response(`real ${request.method} ${new URL(request.url).pathname}`);
}

/** The server of docs/proxy.md. */
async function brokenPets(request: Request): Promise<Response> {
  await request.text();
  const { pathname } = new URL(request.url);
  if (pathname === "/dogs") return Response.json(["Rex"]);
  if (request.method === "PUT") return new Response(null, { status: 204 });
  return Response.json({ name: "Puma", born: "1.4.2024" });
}

/** The server of docs/record.md. */
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
