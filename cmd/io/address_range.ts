/** A range of IP addresses (CIDR, RFC 4632). */
export interface AddressRange {
  readonly address: string;
  /** The number of leading bits that the addresses share. */
  readonly prefix: number;
}

/**
 * Reads a range of IP addresses: `10.0.0.0/8`, `fd00::/8`, or one address.
 *
 * @throws {RangeError} If it isn't well-formed.
 */
export function addressRange(written: string): AddressRange {
  const [, address = "", bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(written) ?? [];
  const family = familyOf(address);
  const most = family === "ipv6" ? 128 : 32;
  const prefix = Number(bits ?? most);
  if (family !== undefined && prefix <= most) return { address, prefix };
  throw new RangeError("addresses such as 10.0.0.0/8 or fd00::/8 are meant here, or one address.");
}

/** The family of an IP address; `undefined` for another text. `node:net` would tell, but takes time to load. */
export function familyOf(address: string): "ipv4" | "ipv6" | undefined {
  if (/^[0-9a-f:.]*:[0-9a-f:.]*$/i.test(address)) return URL.canParse(`http://[${address}]/`) ? "ipv6" : undefined;
  const octets = address.split(".");
  return octets.length === 4 && octets.every((octet) => /^(?:0|[1-9]\d{0,2})$/.test(octet) && Number(octet) < 256)
    ? "ipv4"
    : undefined;
}
