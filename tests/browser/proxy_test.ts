/**
 * CORS in a real browser: pages of other origins send requests to `gw mock --proxy`, both for mocked operations and for
 * operations with an upstream. Needs Chromium, so it isn't one of the fast tests. Without Chromium it is skipped; with
 * `CI=true` it fails.
 *
 * @module
 */
import assert from "node:assert/strict";
import { type Running, startGw } from "../cmd/process.ts";
import { CHROMIUM, ELSEWHERE, serveSite } from "./chromium.ts";

const DEFINITION = `
openapi: 3.1.0
info: {title: Half real, version: 1.0.0}
paths:
  /mocked:
    get: {responses: {"200": {description: "", content: {application/json: {example: mocked}}}}}
    put:
      x-svc: {mocking: {enabled: false}}
      responses: {"200": {description: ""}}
  /real:
    x-svc: {mocking: {enabled: false}}
    get: {responses: {"200": {description: ""}}}
  /own:
    x-svc: {mocking: {enabled: false}}
    put: {responses: {"200": {description: ""}}}
`;

/**
 * A script that sends requests to the server `gw`, and to the server `lost`, whose upstream can't be reached. It
 * returns the parts of the responses that a page can read.
 */
const scriptFor = (gw: string, lost: string): string => `
  const ask = async (path, init = {}, gw = "${gw}") => {
    try {
      const response = await fetch(gw + path, { credentials: "include", ...init });
      return response.status + " " + (response.headers.get("x-real") ?? "-") + " " + (await response.text()).slice(0, 23);
    } catch (error) { return error.name; }
  };
  const json = { method: "PUT", headers: { "content-type": "application/json" }, body: "{}" };
  return {
    mocked: await ask("/mocked"),
    real: await ask("/real"),
    preflighted: await ask("/mocked", json),
    own: await ask("/own", { ...json, credentials: "omit" }),
    gone: await ask("/mocked", json, "${lost}"),
  };
`;

const READ = {
  mocked: '200 - "mocked"',
  real: "200 1 GET /real",
  preflighted: "200 1 PUT /mocked",
  own: "200 - PUT /own",
  gone: '502 - {"title":"Bad Gateway",',
};
const HIDDEN = { ...READ, real: "TypeError", preflighted: "TypeError", gone: "TypeError" };

const CASES: { name: string; host: string; permitted?: boolean; want: unknown }[] = [
  { name: "of this machine may read all answers", host: "localhost", want: READ },
  { name: "of another site may read what is mocked, or open by itself", host: ELSEWHERE, want: HIDDEN },
  { name: "of a permitted site may read all answers", host: ELSEWHERE, permitted: true, want: READ },
];

for (const { name, host, permitted = false, want } of CASES) {
  Deno.test({
    name: `pages ${name}`,
    ignore: CHROMIUM === undefined && Deno.env.get("CI") !== "true",
    async fn() {
      await using upstream = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, answerUpstream);
      await using site = serveSite(host);
      const cors = permitted ? ["--cors-origin", site.origin] : [];
      const start = (proxy: string): Promise<Running> =>
        startGw({ args: ["mock", "-", "--proxy", proxy, ...cors], stdin: DEFINITION });
      await using gw = await start(`http://127.0.0.1:${upstream.addr.port}`);
      await using lost = await start(`http://127.0.0.1:${closedPort()}`);
      assert.deepEqual(await site.run(scriptFor(gw.url, lost.url)), want);
    },
  });
}

/** A port that nothing listens on. */
function closedPort(): number {
  using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  return listener.addr.port;
}

/** The upstream. It sends CORS headers only for the path `/own`. */
async function answerUpstream(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  await request.body?.cancel();
  if (pathname === "/own") {
    const headers = {
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "PUT",
      "access-control-allow-headers": "content-type",
    };
    return new Response(`${request.method} ${pathname}`, { headers });
  }
  if (request.method === "OPTIONS") return new Response(null, { status: 405 });
  return new Response(`${request.method} ${pathname}`, { headers: { "x-real": "1" } });
}
