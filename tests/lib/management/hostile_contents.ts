/** Request bodies that may crash or stall a parser. */
export const HOSTILE_CONTENTS: readonly (readonly [name: string, content: () => string])[] = [
  ["brackets, a million deep", () => "[".repeat(1_000_000) + "]".repeat(1_000_000)],
  ["brackets under a key", () => `{"name":1,"x":${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}}`],
  ["brackets that are never closed", () => "[".repeat(8_000_000)],
  ["many values", () => `{"name":1,"x":[${"1,".repeat(4_000_000)}1]}`],
  ["many keys", () => `{${Array.from({ length: 300_000 }, (_, index) => `"k${index}":1`).join(",")}}`],
  ["many lines", () => `${"\n".repeat(15_000_000)}{`],
  ["keys of Object.prototype", () => '{"__proto__":{"name":"a","openapi":""},"constructor":{}}'],
  ["a long string", () => `{"name":"${"a".repeat(15_000_000)}","openapi":""}`],
  ["a string with many escapes", () => `{"name":"a","openapi":1,"x":"${'\\"'.repeat(4_000_000)}"}`],
];
