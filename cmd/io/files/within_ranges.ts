import { BlockList } from "node:net";
import { type AddressRange, familyOf } from "../address_range.ts";

/** Makes a function that tells whether an IP address is within one of the ranges. */
export function createRangeTest(ranges: readonly AddressRange[]): (address: string) => boolean {
  const list = new BlockList();
  const check = (address: string): boolean => {
    const family = familyOf(address);
    return family !== undefined && list.check(address, family);
  };
  for (const { address, prefix } of ranges) list.addSubnet(address, prefix, familyOf(address));
  return check;
}
