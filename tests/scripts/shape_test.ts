import assert from "node:assert/strict";
import { measureShape } from "../../scripts/shape.ts";

Deno.test("measureShape() counts code, imports and names", () => {
  const shape = measureShape(
    new Map([
      [
        "lib/a/one.ts",
        "/** A doc\n * comment. */\nexport const NAME = `a\nb`;\n\n// A comment.\nexport function f(): void {\n  g();\n}\n",
      ],
      [
        "lib/a/two.ts",
        'import { NAME } from "./one.ts";\nimport type { X } from "../b.ts";\nimport "npm:x";\nexport interface NAME {}\n',
      ],
      ["lib/b.ts", 'export { f as h } from "./a/one.ts";\nexport type X = string;\n'],
    ]),
  );
  assert.deepEqual(shape, {
    files: 3,
    codeLines: 5 + 4 + 2,
    longestFile: 5,
    medianFile: 4,
    relativeImports: 1,
    functionLines: 3,
    fullestFolder: { path: "lib/a", files: 2 },
    sharedNames: ["NAME"],
    singleImporter: ["lib/b.ts"],
  });
});
