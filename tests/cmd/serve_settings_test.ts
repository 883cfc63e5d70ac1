import assert from "node:assert/strict";
import { createGatewayWorld } from "../../cmd/io/gateway_world.ts";
import { SERVE_COMMAND } from "../../cmd/serve_settings.ts";

const { read } = SERVE_COMMAND.flags.service;

Deno.test("--service says where a service is, or one port of it", () => {
  const { resolveService } = createGatewayWorld([
    read("default/todo=http://127.0.0.1:3000"),
    read("default/todo:8443=https://127.0.0.1:3443"),
    read("shop/cart:8080=http://127.0.0.1:4000/v1"),
  ]);
  const table: [namespace: string, name: string, port: number, want: string | undefined][] = [
    ["default", "todo", 80, "http://127.0.0.1:3000/"],
    ["default", "todo", 8443, "https://127.0.0.1:3443/"],
    ["shop", "cart", 8080, "http://127.0.0.1:4000/v1"],
    ["shop", "cart", 80, undefined],
    ["default", "cart", 8080, undefined],
  ];
  for (const [namespace, name, port, want] of table) {
    assert.equal(resolveService(namespace, name, port)?.href, want, `${namespace}/${name}:${port}`);
  }
});

Deno.test("--service takes nothing else", () => {
  for (
    const written of ["todo=http://a", "default/todo", "default/todo=ftp://a", "default/todo:x=http://a", "=http://a"]
  ) {
    assert.throws(() => read(written), /a service and its address are meant here/, written);
  }
});
