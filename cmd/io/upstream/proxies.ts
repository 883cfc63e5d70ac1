import { Agent, type buildConnector, type Dispatcher, EnvHttpProxyAgent } from "undici";

/** The undici dispatchers that send requests. */
export interface Dispatchers {
  /** Returns the dispatcher for an origin such as `https://127.0.0.1:8080`. */
  for(origin: string): Dispatcher;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** Limits of connections to upstreams: bytes of a response's header section, milliseconds to connect. */
const OPTIONS = { maxHeaderSize: 64 * 1024, connectTimeout: 10_000 };

/**
 * Creates the dispatchers. They connect to upstreams directly, or through the HTTP proxy that the environment names in
 * `HTTP_PROXY`, `HTTPS_PROXY` or `ALL_PROXY`, unless `NO_PROXY` excepts the upstream.
 *
 * @param env Looks up environment variables.
 * @param connect Options of all connections.
 */
export function createDispatchers(
  env: (name: string) => string | undefined,
  connect?: buildConnector.BuildOptions,
): Dispatchers {
  const options = connect === undefined ? OPTIONS : { ...OPTIONS, connect };
  const direct = new Agent(options);
  const plain = dispatcherFor("HTTP_PROXY");
  const secure = dispatcherFor("HTTPS_PROXY");
  return {
    for: (origin) => origin.startsWith("https:") ? secure : plain,
    async close() {
      await Promise.all([...new Set([direct, plain, secure])].map((dispatcher) => dispatcher.destroy()));
    },
  };

  function dispatcherFor(name: string): Dispatcher {
    const proxy = variable(name) ?? variable("ALL_PROXY");
    if (proxy === undefined) return direct;
    const noProxy = variable("NO_PROXY") ?? "";
    // Send requests without TLS to the proxy in absolute form, not through a tunnel: many proxies allow tunnels to port
    // 443 only.
    return new EnvHttpProxyAgent({ ...options, httpProxy: proxy, httpsProxy: proxy, noProxy, proxyTunnel: false });
  }

  function variable(name: string): string | undefined {
    return env(name.toLowerCase()) || env(name) || undefined;
  }
}
