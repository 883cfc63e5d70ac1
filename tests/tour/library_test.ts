import assert from "node:assert/strict";

const DOCS = await Deno.readTextFile(new URL("../../docs/library.md", import.meta.url));
const LIBRARY = new URL("../../mod.ts", import.meta.url).href;

const blocks = [...DOCS.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code = ""]) => code);

Deno.test("docs/library.md has examples", () => assert.equal(blocks.length, 2));

for (const [index, code] of blocks.entries()) {
  Deno.test(`docs/library.md: example ${index + 1} does what it says`, async () => {
    const text = code.replace('"./mod.ts"', JSON.stringify(LIBRARY));
    await import(`data:application/typescript,${encodeURIComponent(text)}`);
  });
}
