/**
 * The guard of a server on loopback against DNS rebinding: an attacker's page whose host name comes to mean this machine
 * is of the same origin as the server, and can read all that the server answers.
 *
 * @module
 */
import { createHostTable, type HostTable } from "../../lib/gateway/hosts.ts";
import { createHostParser, hostOf, isLoopback } from "../../lib/http/url/host.ts";
import type { Problem } from "../../lib/http/problem.ts";

/** The names by which programs in a container call the machine that runs it. Nobody can register such a name. */
const CONTAINER_HOSTS = ["host.docker.internal", "host.containers.internal"];

/** The sources beyond its definitions from which a server answers, so that its answers may be private. */
const SOURCES = {
  upstream: "passes requests on to an upstream",
  reference: "answers with texts to which a definition refers elsewhere",
} as const;

/** A source beyond its definitions from which a server answers. */
export type OutsideSource = keyof typeof SOURCES;

export interface HostGuardOptions {
  /** The sources from which the server answers now. While there are none, it answers every host. */
  readonly sources: ReadonlySet<OutsideSource>;
  /**
   * Lists the hosts that are answered beside those of this machine, in lower case: `api.example.com`, `*.example.com`.
   * Called once, when a request for another host than those of this machine comes.
   */
  readonly hosts: () => readonly string[];
}

export interface HostGuard {
  /** Whether a request is for this machine, or for another host that is answered. */
  isOwnHost(request: Request): boolean;
  /** The problem for a request to a host that isn't answered; `undefined` for other requests. */
  refusalOf(request: Request): Problem | undefined;
}

/** The guard of a server that other machines reach by names of their own: it answers every host. */
export const NO_GUARD: HostGuard = { isOwnHost: () => true, refusalOf: () => undefined };

/** Creates the guard of a server on loopback. */
export function createHostGuard({ sources, hosts }: HostGuardOptions): HostGuard {
  const parse = createHostParser();
  let find: HostTable<true> | undefined;
  /** The last host that is answered, since nearly all requests have the same one. */
  let last: string | undefined;
  return { isOwnHost: (request) => isOwn(hostOf(request, parse)), refusalOf };

  function refusalOf(request: Request): Problem | undefined {
    if (sources.size === 0) return undefined;
    const host = hostOf(request, parse);
    if (host === undefined || isOwn(host)) return undefined;
    const [source] = sources;
    return source && misdirected(host, source);
  }

  function isOwn(host: string | undefined): boolean {
    if (host === undefined) return false;
    if (host === last) return true;
    // The URL has the standard notation of an address: `[::1]` for `[0:0::1]`.
    const hostname = URL.parse(`http://${host}/`)?.hostname ?? host;
    if (!isLoopback({ hostname }) && !isNamed(hostname)) return false;
    last = host;
    return true;
  }

  function isNamed(hostname: string): boolean {
    find ??= createHostTable(
      new Map([...hosts(), ...CONTAINER_HOSTS].map((host) => [host.replace(/\.$/, ""), true as const])),
    );
    return find(hostname).length > 0;
  }
}

/** The problem for a request to another host (RFC 9110, section 15.5.20). */
function misdirected(host: string, source: OutsideSource): Problem {
  const detail = `This server is for clients of its machine and ${SOURCES[source]}. The host ${host} isn't a name of ` +
    `this machine, and may be an attack of a web page (DNS rebinding). --allow-host ${host} has it answered.`;
  return { title: "Misdirected Request", status: 421, detail };
}
