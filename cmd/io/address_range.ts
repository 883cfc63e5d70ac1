import { BlockList, isIP } from "node:net";

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
  const most = isIP(address) === 6 ? 128 : 32;
  const prefix = Number(bits ?? most);
  if (isIP(address) !== 0 && prefix <= most) return { address, prefix };
  throw new RangeError("addresses such as 10.0.0.0/8 or fd00::/8 are meant here, or one address.");
}

/** Makes a function that tells whether an IP address is within one of the ranges. */
export function createRangeTest(ranges: readonly AddressRange[]): (address: string) => boolean {
  const list = new BlockList();
  for (const { address, prefix } of ranges) list.addSubnet(address, prefix, familyOf(address));
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}
