import assert from "node:assert/strict";
import { connect } from "node:http2";
import { fileURLToPath } from "node:url";
import { createFolder, TODO } from "./definitions.ts";
import { runGw, startGw } from "./process.ts";

/** A self-signed certificate for localhost, and its key. */
const CERT = fileURLToPath(import.meta.resolve("../data/tls/localhost.cert.pem"));
const KEY = fileURLToPath(import.meta.resolve("../data/tls/localhost.key.pem"));

Deno.test("gw mock answers over HTTPS, by HTTP/2 and HTTP/1.1", async () => {
  await using gw = await startGw({ args: ["mock", TODO, "--tls-cert", CERT, "--tls-key", KEY, "--host", "localhost"] });
  assert.match(gw.url, /^https:\/\//);
  const ca = await Deno.readTextFile(CERT);
  using client = Deno.createHttpClient({ caCerts: [ca], http2: false });
  const response = await fetch(`https://localhost:${gw.port}/todos`, { client });
  assert.match(await response.text(), /Buy milk/);
  assert.deepEqual(await getByHttp2(`https://localhost:${gw.port}`, "/todos", ca), { status: 200, protocol: "h2" });
});

Deno.test("gw proxy tells the upstream the host of a request over HTTP/2", async () => {
  const seen = Promise.withResolvers<Headers>();
  await using upstream = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, ({ headers }) => {
    seen.resolve(headers);
    return new Response();
  });
  const args = ["proxy", TODO, `http://127.0.0.1:${upstream.addr.port}`, "--tls-cert", CERT, "--tls-key", KEY];
  await using gw = await startGw({ args: [...args, "--host", "localhost"] });
  const origin = `https://localhost:${gw.port}`;
  assert.equal((await getByHttp2(origin, "/todos", await Deno.readTextFile(CERT))).protocol, "h2");
  const headers = await seen.promise;
  assert.equal(headers.get("x-forwarded-host"), `localhost:${gw.port}`);
  assert.equal(headers.get("x-forwarded-proto"), "https");
  assert.match(headers.get("forwarded") ?? "", /;host="localhost:\d+";proto=https$/);
});

Deno.test("gw mock explains an invalid certificate", async (t) => {
  await using folder = await createFolder();
  await Deno.writeTextFile(`${folder.path}/empty.pem`, "");
  await Deno.writeTextFile(
    `${folder.path}/broken.pem`,
    "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
  );
  const cases = [
    { cert: "absent.pem", want: /^Cannot read absent\.pem: there is no such file\.\n$/ },
    { cert: "empty.pem", want: /^Cannot use empty\.pem: it does not hold a certificate in PEM\.\n$/ },
    { cert: "broken.pem", want: /^Cannot use the certificate and its key: .+\n$/ },
  ];
  for (const { cert, want } of cases) {
    await t.step(cert, async () => {
      const ended = await runGw({
        args: ["mock", TODO, "--tls-cert", cert, "--tls-key", KEY, "-p", "0"],
        cwd: folder.path,
      });
      assert.match(ended.stderr, want);
      assert.equal(ended.code, 3);
    });
  }
});

function getByHttp2(
  origin: string,
  path: string,
  ca: string,
): Promise<{ status: number; protocol: string | undefined }> {
  return new Promise((resolve, reject) => {
    const session = connect(origin, { ca });
    session.on("error", reject);
    const request = session.request({ ":path": path });
    request.on("response", (headers) => {
      resolve({ status: Number(headers[":status"]), protocol: session.alpnProtocol });
      request.close();
      session.close();
    });
    request.end();
  });
}
