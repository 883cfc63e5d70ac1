/** What one connects to. */
export interface Place {
  /** A host name or an IP address; one of IPv6 without brackets. */
  hostname: string;
  port: number;
}

/** Where an `http:` or `https:` URL leads. */
export function placeOf({ protocol, hostname, port }: URL): Place {
  const standard = protocol === "https:" ? 443 : 80;
  return { hostname: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? standard : Number(port) };
}
