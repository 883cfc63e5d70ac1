import { createCredentialSource, type Credentials } from "./credentials.ts";
import type { KubeConfig } from "./kube_config.ts";
import { openTunnel } from "./tunnel.ts";
import { openUnverifiedTunnel } from "./unverified_tunnel.ts";
import { endpointOf } from "../io/location.ts";

/** Sends requests to the API server of a cluster, as the one whom a kubeconfig names. */
export interface Transport {
  /**
   * Sends a request.
   *
   * @param path Path and query.
   */
  send(path: string, init: RequestInit): Promise<Response>;
  /** Gives up the connections, so that the next request makes one of its own: those that are silent may be dead. */
  reconnect(): void;
  close(): void;
}

/** A pool of connections, and the certificate that it shows. */
interface Pool {
  client: Deno.HttpClient;
  certificate: Credentials["certificate"];
}

/**
 * Makes what sends requests, over Deno's own `fetch`: a private authority, certificates of clients, tokens that change,
 * HTTP/2.
 *
 * @throws {Error} When the kubeconfig asks for what can't be done.
 */
export function createTransport(config: KubeConfig): Transport {
  const source = createCredentialSource(config.identity);
  const { base, options, tunnel } = routeTo(config);
  let pool: Pool | undefined;
  return {
    send,
    reconnect,
    close() {
      reconnect();
      tunnel?.close();
    },
  };

  async function send(path: string, init: RequestInit): Promise<Response> {
    const credentials = await source.current();
    const response = await sendAs(credentials, path, init);
    if (response.status !== 401) return response;
    // A token that has changed, or ended before its time, is got anew; one that stays the same is refused for good.
    source.expire();
    const fresh = await source.current();
    if (isSame(fresh, credentials)) return response;
    await response.body?.cancel();
    return await sendAs(fresh, path, init);
  }

  function sendAs({ authorization, certificate }: Credentials, path: string, init: RequestInit): Promise<Response> {
    if (pool === undefined || !isSameCertificate(pool.certificate, certificate)) {
      reconnect();
      pool = { client: Deno.createHttpClient({ ...options, ...certificate }), certificate };
    }
    const headers = new Headers(init.headers);
    if (authorization !== undefined) headers.set("authorization", authorization);
    return fetch(`${base}${path}`, { ...init, headers, client: pool.client });
  }

  /** What is under way on the old connections goes on. */
  function reconnect(): void {
    pool?.client.close();
    pool = undefined;
  }
}

/** How a server is reached. */
interface Way {
  /** What stands before the path. */
  base: string;
  options: Deno.CreateHttpClientOptions;
  /** What leads there, and is closed at the end. */
  tunnel?: { close(): void };
}

function routeTo({ server, ca, tlsServerName, skipsTlsVerify, proxyUrl, identity }: KubeConfig): Way {
  const url = new URL(server);
  const { protocol, hostname, pathname } = url;
  const to = endpointOf(url);
  const path = pathname.replace(/\/+$/, "");
  const isSecure = protocol === "https:";
  if (proxyUrl !== undefined && isSecure && (skipsTlsVerify || tlsServerName !== undefined)) {
    const other = skipsTlsVerify ? "insecure-skip-tls-verify" : "tls-server-name";
    throw new Error(`The kubeconfig says both ${other} and proxy-url for ${server}; gw can do one of them.`);
  }
  if (isSecure && skipsTlsVerify) {
    if (Deno.build.os === "windows") {
      throw new Error(`The kubeconfig says insecure-skip-tls-verify for ${server}, which gw can't do on Windows.`);
    }
    const tunnel = openUnverifiedTunnel({
      ...to,
      ...(tlsServerName === undefined ? {} : { serverName: tlsServerName }),
      ...(identity.certificate === undefined ? {} : { certificate: identity.certificate }),
    });
    return {
      base: `http://${hostname}:${to.port}${path}`,
      options: { proxy: { transport: "unix", path: tunnel.path } },
      tunnel,
    };
  }
  const caCerts = ca === undefined ? {} : { caCerts: [ca] };
  if (!isSecure || tlsServerName === undefined) {
    return { base: server, options: { ...caCerts, ...(proxyUrl === undefined ? {} : { proxy: { url: proxyUrl } }) } };
  }
  const tunnel = openTunnel(to);
  return {
    base: `https://${tlsServerName}:${to.port}${path}`,
    options: { ...caCerts, proxy: { url: tunnel.url } },
    tunnel,
  };
}

function isSame(a: Credentials, b: Credentials): boolean {
  return a.authorization === b.authorization && isSameCertificate(a.certificate, b.certificate);
}

function isSameCertificate(a: Credentials["certificate"], b: Credentials["certificate"]): boolean {
  return a?.cert === b?.cert && a?.key === b?.key;
}
