/**
 * Real servers that read paths in their own ways, as upstreams: nginx and Express. They answer the paths of `REFUSED`
 * with `SECRET`, and others with the path that they got.
 *
 * @module
 */
import { createServer } from "node:http";
import express from "express";
import { REFUSED, SECRET } from "./spellings.ts";

export interface PathServer extends AsyncDisposable {
  readonly port: number;
}

interface ExpressRequest {
  readonly url: string;
}

interface ExpressResponse {
  type(name: string): ExpressResponse;
  send(body: string): void;
}

export const SERVERS: Readonly<Record<string, (address: string) => Promise<PathServer>>> = {
  nginx: startNginx,
  express: startExpress,
};

/** Starts nginx, which decodes a path and resolves its dot segments and slashes before it looks for a location. */
async function startNginx(address: string): Promise<PathServer> {
  const folder = await Deno.makeTempDir();
  const port = freePort(address);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`);
  const locations = REFUSED.map((path) => path.replace("/a/b/", "/[^/]+/[^/]+/"))
    .map((path) => `location ~ ^${path}/?$ { return 200 ${SECRET}; }`);
  await Deno.writeTextFile(
    `${folder}/nginx.conf`,
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/log;
    events {}
    http {
      access_log off; ${temporary.join(" ")}
      server { listen ${address}:${port}; ${locations.join(" ")} location / { return 200 $request_uri; } }
    }`,
  );
  const child = new Deno.Command("nginx", {
    args: ["-c", `${folder}/nginx.conf`, "-p", folder, "-e", `${folder}/log`],
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  await untilListening(address, port);
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.status;
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/**
 * Starts Express, which splits a path at its slashes as written, and decodes the parameters. By default it ignores case;
 * `docs/x-svc.md` says that an upstream must not.
 */
async function startExpress(address: string): Promise<PathServer> {
  const app = express();
  app.set("case sensitive routing", true);
  const refuse = (_: ExpressRequest, response: ExpressResponse): void => response.send(SECRET);
  for (const path of REFUSED) app.all(path.replace("/a/b/", "/:a/:b/"), refuse);
  app.use((request: ExpressRequest, response: ExpressResponse) => response.type("text").send(request.url));
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const bound = server.address();
  return {
    port: typeof bound === "object" ? bound?.port ?? 0 : 0,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function freePort(hostname: string): number {
  using listener = Deno.listen({ hostname, port: 0 });
  return listener.addr.port;
}

async function untilListening(hostname: string, port: number): Promise<void> {
  for (let attempt = 0;; attempt++) {
    try {
      (await Deno.connect({ hostname, port })).close();
      return;
    } catch (error) {
      if (attempt === 500) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
