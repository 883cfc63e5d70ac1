/**
 * Replaces the ports that a page names by free ones: other programs may use the named ports.
 *
 * @module
 */
import { freePort } from "../free_port.ts";

/** The port in use for each port that the page names. */
export type Ports = Map<number, number>;

/** Matches the ports that pages name: of upstreams, and of servers that their commands start. */
const NAMED = /(?<=[: =])(?:3000|[89]\d{3}|1808\d)\b/g;

/** Replaces the page's ports in a command by free ones. */
export function withPorts(command: string, ports: Ports): string {
  return command.replace(NAMED, (named) => {
    const port = ports.get(Number(named)) ?? freePort();
    ports.set(Number(named), port);
    return String(port);
  });
}

/** Replaces the ports in use in an output by the page's ports. */
export function withNamedPorts(text: string, ports: Ports): string {
  const byUse = new Map([...ports].map(([named, used]) => [String(used), String(named)]));
  return text.replace(/(?<=[: =])\d{4,5}\b/g, (port) => byUse.get(port) ?? port);
}
