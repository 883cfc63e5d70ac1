import assert from "node:assert/strict";
import { createGatewayPlatform } from "../../../../cmd/io/gateway/gateway_platform.ts";
import { MOST_MESSAGE } from "../../../../cmd/io/upstream/websocket_memory.ts";
import { createGateway } from "../../../../lib/gateway/embedded/gateway.ts";
import { definition, plan, serve, to } from "../../../lib/gateway/embedded/fleet.ts";

const MIB = 1024 * 1024;

/** A masked frame of zeros (RFC 6455, section 5.2). The mask is zero. */
function frame(opcode: number, length: number, isLast: boolean): Uint8Array {
  const bytes = new Uint8Array(14 + length);
  bytes[0] = (isLast ? 0x80 : 0) | opcode;
  bytes[1] = 0x80 | 127;
  new DataView(bytes.buffer).setBigUint64(2, BigInt(length));
  return bytes;
}

async function write(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

Deno.test({
  name: "a client's WebSocket message in endless fragments ends the connection",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const ended = Promise.withResolvers<void>();
    await using upstream = serve((request) => {
      const { socket, response } = Deno.upgradeWebSocket(request);
      socket.onclose = () => ended.resolve();
      return response;
    });
    using platform = createGatewayPlatform([], [], () => undefined);
    const gateway = createGateway([await plan(definition(to(upstream, "websocket: true")))], platform);
    await using server = serve(async (request, info) => (await gateway(request, info)).response);
    using client = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
    const head = "GET /pets HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    await write(client, new TextEncoder().encode(head));
    const answer = new Uint8Array(1000);
    await client.read(answer);
    assert.match(new TextDecoder().decode(answer), /^HTTP\/1\.1 101 /);

    let sent = 0;
    const fragment = frame(0, MIB, false);
    await assert.rejects(async () => {
      await write(client, frame(2, MIB, false));
      for (sent = MIB; sent < 100 * MOST_MESSAGE; sent += MIB) await write(client, fragment);
    }, (error) => error instanceof Deno.errors.ConnectionReset || error instanceof Deno.errors.BrokenPipe);
    assert.ok(sent >= MOST_MESSAGE - MIB && sent < 20 * MOST_MESSAGE, `${sent / MIB} MiB`);
    await ended.promise;
  },
});
