import { createCredentialSource, type Credentials } from "./credentials.ts";
import type { KubeConfig } from "./kube_config.ts";
import { openTunnel, openUnverifiedTunnel } from "./tunnels.ts";
import { endpointOf } from "../io/files/location.ts";

/** Sends requests to an API server, with credentials. */
export interface Transport {
  /**
   * Sends a request.
   *
   * @param path Path and query.
   */
  send(path: string, init: RequestInit): Promise<Response>;
  /** Closes idle connections, since they may be dead. The next request opens a new connection. */
  reconnect(): void;
  close(): void;
}

/** A pool of connections, with the client certificate by which they were opened. */
interface Pool {
  client: Deno.HttpClient;
  certificate: Credentials["certificate"];
}

/**
 * Makes a transport by Deno's `fetch`. It supports a private CA, client certificates, token rotation and HTTP/2.
 *
 * @throws {Error} When the kubeconfig has settings that gw doesn't support.
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
    // The token may have been rotated or revoked. The request is sent again if there are other credentials now.
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

  /** Opens new connections from now on. Requests in progress finish on the old ones. */
  function reconnect(): void {
    pool?.client.close();
    pool = undefined;
  }
}

/** The URL of a server for `fetch`, with the options of its connections. */
interface Connection {
  /** The URL to which the path of a request is appended. */
  base: string;
  options: Deno.CreateHttpClientOptions;
  /** The tunnel that `base` or `options` use. It is closed with the transport. */
  tunnel?: { close(): void };
}

function routeTo({ server, ca, tlsServerName, skipsTlsVerify, proxyUrl, identity }: KubeConfig): Connection {
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
