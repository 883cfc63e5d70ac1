/**
 * The ports that a page names, and their replacements: other programs may use the page's ports.
 *
 * @module
 */
import { freePort } from "../free_port.ts";

/** The named ports, and those in use instead. */
export type Ports = Map<number, number>;

/** Ports that a page may name: of upstreams, and of servers that its commands start. */
const NAMED = /(?<=[: =])(?:3000|[89]\d{3}|1808\d)\b/g;

/** A command with the ports in use. A port that is named for the first time gets a free one. */
export function withPorts(command: string, ports: Ports): string {
  return command.replace(NAMED, (named) => {
    const port = ports.get(Number(named)) ?? freePort();
    ports.set(Number(named), port);
    return String(port);
  });
}

/** A printed text with the ports that the page names. */
export function withNamedPorts(text: string, ports: Ports): string {
  const byUse = new Map([...ports].map(([named, used]) => [String(used), String(named)]));
  return text.replace(/(?<=[: =])\d{4,5}\b/g, (port) => byUse.get(port) ?? port);
}
