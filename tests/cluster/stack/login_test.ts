/**
 * Logins by OpenID Connect (`auth.oauth2`) through a real Envoy, with a simulated browser: from the first request to
 * the provider, back to the gateway, and to the answer. A client without a valid login gets no answer.
 *
 * @module
 */
import assert from "node:assert/strict";
import { LABELS } from "../../../lib/cluster/names.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import type { ApiServer } from "../support/api_server.ts";
import { ask } from "../support/ask.ts";
import { type Browser, createBrowser, type Page } from "../support/browser.ts";
import { createServerCertificate } from "../support/certificates.ts";
import { apiObject, deployFleet, untilTrue } from "../support/deploy.ts";
import { startIntruder } from "../support/intruder.ts";
import { type OpenIdProvider, startOpenIdProvider } from "../support/openid_provider.ts";
import { takeStack } from "../support/stack.ts";
import { until } from "../support/until.ts";
import { type Echo, serviceObjects, startUpstream } from "../support/upstream.ts";
import { freePort } from "../../free_port.ts";

const HOSTS = { shop: "shop.example.com", desk: "desk.example.com", keyless: "keyless.example.com" };

/** Milliseconds that closing routes, changing policies and draining connections may take. */
const TIMEOUT = 60_000;

/** Milliseconds until all threads of an Envoy have a configuration that one of them has. */
const SPREAD = 200;

const SECRET = crypto.randomUUID();

Deno.test("users log in at a provider, and nobody else gets in", async (t) => {
  await using stack = await takeStack();
  await stack.installGw();
  const { api } = stack;
  const namespace = await api.createNamespace();
  await using provider = await startOpenIdProvider(`${api.folder}/pki`);
  await using upstream = startUpstream("web");
  const port = freePort();
  const [plainPort, origins] = [freePort(), mapHosts((host) => `https://${host}:${port}`)];
  provider.clients.push(
    { id: "shop", secret: SECRET, redirectUris: [`${origins.shop}/v1/oauth2/callback`] },
    { id: "desk", secret: SECRET, redirectUris: [`${origins.desk}/back`] },
  );
  await api.apply(
    ...serviceObjects({ namespace, name: "web", endpoints: [upstream] }),
    await certificate(api, namespace),
    clientSecret(namespace, "login"),
    clientSecret(namespace, "desk"),
  );
  await deployFleet(stack, namespace, {
    service: { type: "ClusterIP", ports: [{ name: "https", port }, { name: "http", port: plainPort }] },
    tls: { certificateRefs: [{ name: "tls" }] },
  });
  const shop = apiObject({ namespace, name: "shop", definition: shopOf(provider, "login") });
  const desk = apiObject({ namespace, name: "desk", definition: deskOf(provider) });
  const keyless = apiObject({ namespace, name: "keyless", definition: shopOf(provider, "later", "keyless") });
  // A login by another client ID, on the same host as the API `shop`.
  const guestLogin = loginAt(provider, "guest", "login", {
    redirect_url: `${origins.shop}/guest`,
    logout_path: "/bye",
  });
  const guest = apiObject({ namespace, name: "guest", definition: plainOf(HOSTS.shop, "/visit", guestLogin) });

  const open = (path: string): KubernetesObject =>
    apiObject({ namespace, name: "open", definition: plainOf("open.example.com", path) });
  const late = (auth?: unknown): KubernetesObject =>
    apiObject({ namespace, name: "late", definition: plainOf("late.example.com", "/", auth) });

  await t.step("nobody gets past a login while it is deployed, or put before what was open", async () => {
    await api.apply(open("/"), late());
    await until(() => isAnswered("/"), { within: TIMEOUT });
    await until(() => isAnswered("/", "late.example.com"), { within: TIMEOUT });
    const intruders = [
      startIntruder(plainPort, HOSTS.shop, "/v1/account"),
      startIntruder(plainPort, "late.example.com", "/"),
    ] as const;
    try {
      await api.apply(shop, desk, keyless, late(loginAt(provider, "late", "login")));
      for (const one of [shop, desk, late()]) await untilTrue(api, one, "Programmed", TIMEOUT);
    } finally {
      await Promise.all(intruders.map((intruder) => intruder.stop()));
    }
    const [ofShop, ofLate] = intruders.map(({ answers }) => answers.toSorted((a, b) => a.received - b.received));
    assert.deepEqual(ofShop?.filter(({ status }) => status === 200), []);
    const closed = ofLate?.find(({ status }) => status !== 200)?.received ?? Infinity;
    assert.deepEqual(ofLate?.filter(({ sent, status }) => status === 200 && sent > closed + SPREAD), []);
    for (const answers of [ofShop, ofLate]) assert.equal(answers?.at(-1)?.status, 302);
  });

  const browser = createBrowser(provider.authority);

  await t.step("a browser without a session is sent to the provider, and comes back with one", async () => {
    const url = `${origins.shop}/v1/account?page=1&tag=a%2Fb`;
    const [first, atProvider, back, last, ...others] = await browser.open(url);
    assert.deepEqual(
      [first, atProvider, back, last].map((page) => page?.status),
      [302, 302, 302, 200],
      last?.text ?? "",
    );
    assert.deepEqual(others, []);
    const asked = new URL(atProvider?.url ?? "");
    assert.equal(asked.origin + asked.pathname, `${provider.issuer}/authorize`);
    assert.equal(asked.searchParams.get("client_id"), "shop");
    assert.equal(asked.searchParams.get("response_type"), "code");
    assert.equal(asked.searchParams.get("scope"), "openid email");
    assert.equal(asked.searchParams.get("redirect_uri"), `${origins.shop}/v1/oauth2/callback`);
    assert.equal(asked.searchParams.get("code_challenge_method"), "S256");
    assert.notEqual(asked.searchParams.get("state") ?? "", "");
    assert.match(back?.url ?? "", /\/v1\/oauth2\/callback\?/);
    // Cookies with secrets must be unreadable to scripts (`HttpOnly`), and never be sent unencrypted (`secure`).
    for (const line of back?.headers.getSetCookie() ?? []) {
      if (!/=deleted;/.test(line)) assert.match(line, /;secure;HttpOnly/);
    }
    assert.equal(last?.url, url);
    assert.equal(echoOf(last).url, "/v1/account?page=1&tag=a%2Fb");
  });

  await t.step("with its session it gets answers at once, from the upstream and from the mocks", async () => {
    const proxied = await browser.get(`${origins.shop}/v1/account`);
    assert.equal(echoOf(proxied).upstream, "web");
    const { authorization, cookie = "" } = echoOf(proxied).headers;
    assert.equal(authorization, undefined);
    // Envoy passes these cookies on to the upstream, but not the ones that prove or renew a session.
    assert.deepEqual(cookie.match(/\b\w+(?=-[0-9a-f]+=)/g)?.sort(), ["AccessToken", "IdToken"]);
    const mocked = await browser.get(`${origins.shop}/v1/profile`);
    assert.equal(mocked.status, 200);
    assert.equal(mocked.headers.get("x-svc-mocked"), "true");
    assert.deepEqual(mocked.json(), { name: "Jane" });
  });

  await t.step("requests are looked at, behind a login too", async () => {
    const page = await browser.get(`${origins.shop}/v1/account?page=one`);
    assert.equal(page.status, 400);
    assert.match(page.text, /validation/);
  });

  await t.step("what isn't behind the login needs none", async () => {
    assert.equal((await createBrowser(provider.authority).get(`${origins.shop}/v1/news`)).status, 200);
  });

  await t.step("cookies that were tampered with are no session", async () => {
    for (const name of namesOf(browser, HOSTS.shop, /^(?:OauthHMAC|OauthExpires|AccessToken|IdToken)-/)) {
      const forger = createBrowser(provider.authority);
      const jar = new Map(browser.cookies.get(HOSTS.shop));
      jar.set(name, changed(jar.get(name) ?? ""));
      // Remove the refresh token: with this token alone, Envoy would get a new session from the provider.
      for (const other of jar.keys()) if (other.startsWith("RefreshToken")) jar.delete(other);
      forger.cookies.set(HOSTS.shop, jar);
      const page = await forger.get(`${origins.shop}/v1/account`);
      assert.equal(page.status, 302, name);
      assert.equal(new URL(page.headers.get("location") ?? "").origin, provider.issuer, name);
    }
  });

  await t.step("a browser can't complete a login that it hasn't begun, or with the code of another", async () => {
    const victim = createBrowser(provider.authority);
    const [, , back] = await createBrowser(provider.authority).open(`${origins.shop}/v1/account`);
    assert.equal((await victim.get(back?.url ?? "")).status, 401);
    const begun = await victim.get(`${origins.shop}/v1/account`);
    const state = new URL(begun.headers.get("location") ?? "").searchParams.get("state") ?? "";
    const made = new URLSearchParams({ code: "made-up", state });
    assert.equal((await victim.get(`${origins.shop}/v1/oauth2/callback?${made}`)).status, 401);
    assert.deepEqual(namesOf(victim, HOSTS.shop, /^OauthHMAC-/), []);
  });

  await t.step("a session of one host is none on another", async () => {
    const guestBrowser = createBrowser(provider.authority);
    await guestBrowser.open(`${origins.desk}/tickets`);
    const [suffix] = namesOf(browser, HOSTS.shop, /^OauthHMAC-/).map((name) => name.slice("OauthHMAC-".length));
    const [other] = namesOf(guestBrowser, HOSTS.desk, /^OauthHMAC-/).map((name) => name.slice("OauthHMAC-".length));
    const jar = [...guestBrowser.cookies.get(HOSTS.desk) ?? []].filter(([name]) => !name.startsWith("RefreshToken"));
    const forger = createBrowser(provider.authority);
    forger.cookies.set(
      HOSTS.shop,
      new Map(jar.map(([name, value]) => [name.replace(other ?? "", suffix ?? ""), value])),
    );
    assert.equal((await forger.get(`${origins.shop}/v1/account`)).status, 302);
  });

  await t.step("another client's login on the same host is refused, as its sessions would be the same", async () => {
    // The webhook reports the conflict. If the API server can't reach the webhook yet, the API's status does.
    const told = await api.apply(guest).then(
      () =>
        until(async () => conditionsOf(await api.read(guest)).find(({ reason }) => reason === "Conflicted")?.message),
      String,
    );
    assert.match(told, /log in as another client than those of the API \S+\/shop\b/);
    assert.equal((await browser.get(`${origins.shop}/visit`)).status, 404);
  });

  await t.step("programs are told 401, not sent to a page", async () => {
    const cases: Record<string, string>[] = [
      { accept: "application/json" },
      { authorization: `Bearer ${await provider.sign("shop")}` },
      { "sec-fetch-mode": "cors" },
      { "x-requested-with": "XMLHttpRequest" },
    ];
    for (const headers of cases) {
      const page = await createBrowser(provider.authority).get(`${origins.shop}/v1/account`, headers);
      assert.equal(page.status, 401, JSON.stringify(headers));
      assert.equal(page.headers.get("location"), null);
    }
    // A request by a script of a page is accepted if the browser has a session.
    assert.equal((await browser.get(`${origins.shop}/v1/account`, { "sec-fetch-mode": "cors" })).status, 200);
  });

  await t.step("beside auth.jwt, programs show a token, and users log in", async () => {
    const user = createBrowser(provider.authority);
    const last = (await user.open(`${origins.desk}/tickets`)).at(-1);
    assert.equal(last?.status, 200, last?.text ?? "");
    // `forward_access_token: true` sends the access token to the upstream.
    assert.match(echoOf(last).headers["authorization"] ?? "", /^Bearer ey/);
    const cases: { token: string; status: number }[] = [
      { token: await provider.sign("desk"), status: 200 },
      { token: await provider.sign("shop"), status: 403 },
      { token: changed(await provider.sign("desk")), status: 401 },
      { token: "x.y.z", status: 401 },
    ];
    for (const { token, status } of cases) {
      const headers = { authorization: `Bearer ${token}` };
      const page = await createBrowser(provider.authority).get(`${origins.desk}/tickets`, headers);
      assert.equal(page.status, status, page.text);
    }
  });

  await t.step("a session outlives its tokens as long as the provider renews them", async () => {
    provider.lifetime = 1;
    const user = createBrowser(provider.authority);
    await user.open(`${origins.shop}/v1/account`);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    assert.equal((await user.get(`${origins.shop}/v1/account`)).status, 200);
    provider.isRefreshing = false;
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    assert.equal((await user.get(`${origins.shop}/v1/account`)).status, 302);
    assert.equal((await user.get(`${origins.shop}/v1/account`, { accept: "application/json" })).status, 401);
    Object.assign(provider, { lifetime: 3600, isRefreshing: true });
  });

  await t.step("the logout path ends the session, here and at the provider", async () => {
    const user = createBrowser(provider.authority);
    await user.open(`${origins.shop}/v1/account`);
    const page = await user.get(`${origins.shop}/v1/oauth2/logout`);
    assert.equal(page.status, 302);
    assert.match(page.headers.get("location") ?? "", new RegExp(`^${provider.issuer}/logout\\?id_token_hint=ey`));
    assert.deepEqual(namesOf(user, HOSTS.shop, /./), []);
    assert.equal((await user.get(`${origins.shop}/v1/account`)).status, 302);
  });

  await t.step("without the client's secret an API is closed and says so, until the secret is there", async () => {
    await until(() => waitsFor(keyless, / secret \S+\/later does not exist\.$/), { within: TIMEOUT });
    const page = await createBrowser(provider.authority).get(`${origins.keyless}/v1/account`);
    assert(page.status >= 500, String(page.status));
    await api.apply(clientSecret(namespace, "later"));
    await until(() => waitsFor(keyless, /being drained/));
  });

  await t.step("a secret that is deleted closes what is behind its login, for users with a session too", async () => {
    await api.delete(clientSecret(namespace, "login"));
    await until(async () => (await browser.get(`${origins.shop}/v1/account`)).status >= 500);
    await until(() => waitsFor(shop, / secret \S+\/login does not exist\.$/));
    assert.equal((await browser.get(`${origins.shop}/v1/news`)).status, 200);
    assert.equal((await browser.get(`${origins.keyless}/v1/news`)).status, 200);
  });

  await t.step(
    "a provider that can't be asked closes what is behind its login until it can be asked again",
    async () => {
      provider.isAway = true;
      // This change makes Envoy Gateway ask the provider again: it does so at every change.
      await api.apply(open("/other"));
      await until(() => waitsFor(desk, /openid-configuration/), { within: TIMEOUT });
      await until(async () => [403, 500, 503].includes((await browser.get(`${origins.desk}/tickets`)).status));
      const policies = ["get", "securitypolicy", "--namespace", namespace, "--selector", `${LABELS.api}=desk`];
      await until(async () => (await api.kubectl([...policies, "--output", "yaml"])).includes("Deny"), {
        within: TIMEOUT,
        what: "a policy that is put aside",
      });
      // gw has put the policy aside that names the provider, so further changes don't wait for the provider.
      await until(() => isAnswered("/other"), { within: TIMEOUT });
      provider.isAway = false;
      await until(() => waitsFor(desk, /being drained/), { within: TIMEOUT, what: "a policy in force" });
    },
  );

  await t.step("Envoy has taken every configuration", async () => {
    assert.doesNotMatch(await stack.logOfEnvoys(), /rejected/);
  });

  // While a policy names a provider that doesn't answer, Envoy Gateway needs 5 seconds for each change in the cluster.
  await t.step("APIs with logins are deleted, with all that asks the provider", async () => {
    for (const one of [shop, desk, keyless, guest, late()]) await api.delete(one);
    const policies = ["get", "securitypolicy", "--namespace", namespace, "--output", "yaml"];
    let left = "";
    await until(async () => !/^ +oidc:/m.test(left = await api.kubectl(policies)), {
      within: TIMEOUT,
      what: () => left,
    });
  });

  async function isAnswered(path: string, host = "open.example.com"): Promise<boolean> {
    return (await ask(plainPort, { host, path })).status === 200;
  }

  /** Tells whether the status of an API says that it is closed, for a reason that matches. */
  async function waitsFor(object: KubernetesObject, pattern: RegExp): Promise<boolean> {
    const { reason, message = "" } = conditionsOf(await api.read(object)).find(({ type }) => type === "Programmed") ??
      {};
    return reason === "WaitingForProtection" && pattern.test(message);
  }
});

const OK = { responses: { 200: { description: "Fine." } } };

/** A definition with one operation that is sent to the upstream. */
function plainOf(host: string, path: string, auth?: unknown): unknown {
  const protection = auth === undefined ? {} : { auth };
  return {
    openapi: "3.1.0",
    info: { title: "Plain", version: "1" },
    "x-svc": { hosts: [host], upstream: { service: { name: "web" } } },
    // The API declares these paths. No route matches others.
    paths: {
      [path]: { get: { "x-svc": protection, ...OK } },
      "/elsewhere": { get: { "x-svc": { redirect: { host: HOSTS.shop } }, ...OK } },
    },
  };
}

/** The settings of `auth.oauth2` for a client of the provider. `name` is the Secret with the client's secret. */
function loginAt({ issuer }: OpenIdProvider, client: string, name: string, more: object = {}): unknown {
  return { oauth2: { issuer, client_id: client, client_secret_ref: { name, key: "client-secret" }, ...more } };
}

/** A definition in which some operations need a login. */
function shopOf(provider: OpenIdProvider, secret: string, client: "shop" | "keyless" = "shop"): unknown {
  // Some providers write their issuer with a slash at its end.
  const auth = loginAt(provider, client, secret, { issuer: `${provider.issuer}/`, scopes: ["openid", "email"] });
  const content = { "application/json": { schema: { type: "object" }, example: { name: "Jane" } } };
  return {
    openapi: "3.1.0",
    info: { title: "Shop", version: "1" },
    "x-svc": { hosts: [HOSTS[client]], path: { prefix: "/v1" }, upstream: { service: { name: "web" } } },
    paths: {
      "/account": {
        get: {
          "x-svc": { auth, validation: { request: { enabled: true } } },
          parameters: [{ name: "page", in: "query", schema: { type: "integer" } }],
          ...OK,
        },
      },
      "/profile": {
        get: {
          "x-svc": { auth, mocking: { enabled: true } },
          responses: { 200: { description: "Who you are.", content } },
        },
      },
      "/news": { get: OK },
    },
  };
}

/** A definition in which all operations need a login or a token. */
function deskOf(provider: OpenIdProvider): unknown {
  const { issuer } = provider;
  const login = loginAt(provider, "desk", "desk", {
    redirect_url: "%REQ(x-forwarded-proto)%://%REQ(:authority)%/back",
    forward_access_token: true,
  });
  const jwt = { providers: [{ name: "id", issuer, audiences: ["desk"], jwks_uri: `${issuer}/keys` }] };
  return {
    openapi: "3.1.0",
    info: { title: "Desk", version: "1" },
    "x-svc": { hosts: [HOSTS.desk], upstream: { service: { name: "web" } }, auth: { ...Object(login), jwt } },
    paths: { "/tickets": { get: OK } },
  };
}

/** The Secret with the certificate of the fleet. */
async function certificate(api: ApiServer, namespace: string): Promise<KubernetesObject> {
  const pki = `${api.folder}/pki`;
  await createServerCertificate(pki, "login-fleet", Object.values(HOSTS));
  const [crt, key] = await Promise.all(["crt", "key"].map((end) => Deno.readTextFile(`${pki}/login-fleet.${end}`)));
  return secret(namespace, "tls", "kubernetes.io/tls", { "tls.crt": crt ?? "", "tls.key": key ?? "" });
}

function clientSecret(namespace: string, name: string): KubernetesObject {
  return secret(namespace, name, "Opaque", { "client-secret": SECRET });
}

function secret(namespace: string, name: string, type: string, data: Record<string, string>): KubernetesObject {
  const stringData: Partial<KubernetesObject> & Record<string, unknown> = { type, stringData: data };
  return { apiVersion: "v1", kind: "Secret", metadata: { namespace, name }, ...stringData };
}

function mapHosts<Value>(make: (host: string) => Value): Record<keyof typeof HOSTS, Value> {
  return { shop: make(HOSTS.shop), desk: make(HOSTS.desk), keyless: make(HOSTS.keyless) };
}

/** The request that the upstream got, as its response describes it. */
function echoOf(page: Page | undefined): Echo {
  assert.equal(page?.status, 200, page?.text ?? "");
  return Object(page?.json());
}

function namesOf({ cookies }: Browser, host: string, pattern: RegExp): string[] {
  return [...cookies.get(host)?.keys() ?? []].filter((name) => pattern.test(name));
}

/** Changes one character near the end of a text. */
function changed(text: string): string {
  const at = Math.max(0, text.length - 10);
  const other = /[0-9]/.test(text[at] ?? "") ? (text[at] === "9" ? "8" : "9") : text[at] === "A" ? "B" : "A";
  return text.slice(0, at) + other + text.slice(at + 1);
}

function conditionsOf(
  object: KubernetesObject | undefined,
): Record<"type" | "status" | "reason" | "message", string>[] {
  return Object(object?.status).conditions ?? [];
}
