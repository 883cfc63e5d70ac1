/**
 * Replaces the ports that a page names by free ones, since other programs may use them.
 *
 * @module
 */
import { freePort } from "../free_port.ts";

/** For each port that the page names, the port that is used instead. */
export type Ports = Map<number, number>;

/** Ports that a page may name: those of upstreams, and of servers that its commands start. */
const NAMED = /(?<=[: =])(?:3000|[89]\d{3}|1808\d)\b/g;

/** A command with free ports instead of those that the page names. */
export function withPorts(command: string, ports: Ports): string {
  return command.replace(NAMED, (named) => {
    const port = ports.get(Number(named)) ?? freePort();
    ports.set(Number(named), port);
    return String(port);
  });
}

/** An output with the page's ports instead of those in use. */
export function withNamedPorts(text: string, ports: Ports): string {
  const byUse = new Map([...ports].map(([named, used]) => [String(used), String(named)]));
  return text.replace(/(?<=[: =])\d{4,5}\b/g, (port) => byUse.get(port) ?? port);
}
