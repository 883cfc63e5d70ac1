import assert from "node:assert/strict";
import { MOST_SEGMENTS, nounOf, shapeOfPathKey } from "../../../../lib/mock/infer/path_shape.ts";

const KEYS: [path: string, key: string | undefined][] = [
  ["/", ""],
  ["/pets/{petId}", "/pets/{}"],
  ["/Pets/{id}/", "/pets/{}"],
  ["/pets.json", "/pets"],
  ["/pets/{id}.json", "/pets/{}"],
  ["/pets/{id}.{format}", "/pets/{}"],
  ["/Pets('{id}')", "/pets/{}"],
  ["/Pets({id})/toys", "/pets/{}/toys"],
  ["/pets/{id}:feed", "/pets/{}/feed"],
  ["/pets/{+name}", "/pets/{}"],
  ["/pets?beta=true", "/pets?beta=true"],
  ["/pets/{from}...{to}", undefined],
  ["/a".repeat(MOST_SEGMENTS), "/a".repeat(MOST_SEGMENTS)],
  ["/a".repeat(MOST_SEGMENTS + 1), undefined],
];

for (const [path, key] of KEYS) {
  Deno.test(`shapeOfPathKey() reads ${path.slice(0, 40)}`, () => assert.equal(shapeOfPathKey(path)?.key, key));
}

Deno.test("nounOf() ignores versions and words such as api", () => {
  const nounIn = (path: string): string | undefined => nounOf(shapeOfPathKey(path)?.segments ?? []);
  assert.equal(nounIn("/api/v1/pets/{id}"), "pets");
  assert.equal(nounIn("/api/v1/{name}"), undefined);
  assert.equal(nounIn("/2013-04-01/{id}"), undefined);
});
