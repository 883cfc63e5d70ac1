import assert from "node:assert/strict";
import { createHostGuard, NO_GUARD, type OutsideSource } from "../../../cmd/io/host_guard.ts";

/** Hosts as clients write them, and whether a server of this machine with an upstream answers them. */
const CASES: readonly [host: string, isAnswered: boolean][] = [
  ["localhost:8080", true],
  ["LOCALHOST.", true],
  ["gw.localhost:8080", true],
  ["127.0.0.1:8080", true],
  ["127.1.2.3", true],
  ["[::1]:8080", true],
  ["[0:0::1]", true],
  ["[::ffff:127.0.0.1]", true],
  ["host.docker.internal:8080", true],
  ["host.containers.internal", true],
  ["api.example.com", true],
  ["API.example.com.:8080", true],
  ["a.dev.example", true],
  ["a.b.dev.example", true],
  ["upstream.example", true],
  ["dev.example", false],
  ["evildev.example", false],
  ["evil.example", false],
  ["evil.example:8080", false],
  ["www.api.example.com", false],
  ["localhost.evil.example", false],
  ["127.0.0.1.evil.example", false],
  ["host.docker.internal.evil.example", false],
  ["192.0.2.1", false],
  ["0.0.0.0", false],
  ["[2001:db8::1]", false],
];

const HOSTS = (): string[] => ["api.example.com", "*.dev.example", "upstream.example."];

/** A request with the URL that Deno makes of `Host`: it has the host as written. */
function requestFor(host: string): Request {
  const request = new Request("http://localhost/", { headers: { host } });
  Object.defineProperty(request, "url", { value: `http://${host}/pets` });
  return request;
}

Deno.test("a server of this machine with an upstream answers only hosts of this machine and those that its user names", () => {
  const guard = createHostGuard({ sources: new Set(["upstream"]), hosts: HOSTS });
  for (const [host, isAnswered] of CASES) {
    // The second time, the guard knows the last host.
    for (const request of [requestFor(host), requestFor(host)]) {
      assert.equal(guard.refusalOf(request)?.status, isAnswered ? undefined : 421, host);
      assert.equal(guard.isOwnHost(request), isAnswered, host);
    }
  }
  assert.equal(guard.refusalOf(requestFor("a/b")), undefined, "400 is for the server to say");
  assert.equal(
    guard.refusalOf(requestFor("evil.example:80"))?.detail,
    "This server is for clients of its machine and passes requests on to an upstream. The host evil.example isn't a name " +
      "of this machine, and may be an attack of a web page (DNS rebinding). --allow-host evil.example has it answered.",
  );
});

Deno.test("a server without a source outside of its definitions answers every host, until it has one", () => {
  const sources = new Set<OutsideSource>();
  const guard = createHostGuard({ sources, hosts: HOSTS });
  const request = requestFor("evil.example");
  assert.equal(guard.refusalOf(request), undefined);
  assert.equal(guard.isOwnHost(request), false);
  sources.add("reference");
  assert.equal(guard.refusalOf(request)?.status, 421);
  sources.clear();
  assert.equal(guard.refusalOf(request), undefined);
});

Deno.test("a server for other machines answers every host", () => {
  assert.equal(NO_GUARD.refusalOf(requestFor("evil.example")), undefined);
  assert.equal(NO_GUARD.isOwnHost(requestFor("evil.example")), true);
});
