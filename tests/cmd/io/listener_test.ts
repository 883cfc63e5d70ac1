import assert from "node:assert/strict";
import { listen } from "../../../cmd/io/listener.ts";

/** Starts a server that answers each request with the client's address. */
function listenAt(host: string) {
  const listening = listen(
    (_, { remoteAddr }) => new Response(remoteAddr.hostname),
    { host, port: 0 },
    (message) => assert.fail(message),
  );
  assert.ok(listening.kind === "listening");
  return listening;
}

async function ask(host: string, port: number): Promise<string> {
  return await (await fetch(`http://${host}:${port}/`, { headers: { connection: "close" } })).text();
}

Deno.test("listen() on :: answers clients of IPv4 and of IPv6, and knows their addresses", async () => {
  const { server, port } = listenAt("::");
  try {
    assert.equal(await ask("127.0.0.1", port), "127.0.0.1");
    assert.equal(await ask("[::1]", port), "::1");
  } finally {
    server.shutdown();
    await server.finished;
  }
});

Deno.test("listen() on :: answers clients of IPv4 on a machine that has no IPv6", async () => {
  const { serve } = Deno;
  const refuseIpv6 = (options: Deno.ServeTcpOptions, handler: Deno.ServeHandler<Deno.NetAddr>) => {
    if (options.hostname === "::") throw new Error("Address family not supported by protocol (os error 97)");
    return serve(options, handler);
  };
  Object.defineProperty(Deno, "serve", { value: refuseIpv6, configurable: true, writable: true });
  try {
    const { server, port } = listenAt("::");
    assert.equal(await ask("127.0.0.1", port), "127.0.0.1");
    server.shutdown();
    await server.finished;
  } finally {
    Object.defineProperty(Deno, "serve", { value: serve, configurable: true, writable: true });
  }
});
