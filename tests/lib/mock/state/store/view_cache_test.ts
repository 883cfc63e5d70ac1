import assert from "node:assert/strict";
import { Collection } from "../../../../../lib/mock/state/store/collection.ts";
import { createItem } from "../../../../../lib/mock/state/item/item.ts";
import { ViewCache } from "../../../../../lib/mock/state/store/view_cache.ts";

const items = Array.from({ length: 100 }, (_, id) => createItem({ key: `${id}`, scope: ["a"], value: {} }, 0, id));
const collections = (): Collection[] => [new Collection(["a"], items)];
const [ONE, OTHER] = [{}, {}];

/** The limit is that of two views without indexes. */
function twoViews(): { cache: ViewCache; viewOf: (owner: object, resource?: string) => unknown } {
  const { bytes } = new ViewCache().viewOf(ONE, "orders", 1, collections);
  const cache = new ViewCache(2 * bytes);
  return { cache, viewOf: (owner, resource = "orders") => cache.viewOf(owner, resource, 1, collections) };
}

Deno.test("a view is made once for each owner and resource", () => {
  const { viewOf } = twoViews();
  const first = viewOf(ONE);
  assert.equal(viewOf(ONE), first);
  assert.notEqual(viewOf(OTHER), first);
});

Deno.test("a view is made again for scopes of another length", () => {
  const { cache, viewOf } = twoViews();
  viewOf(ONE);
  assert.equal(cache.viewOf(ONE, "orders", 2, collections).list([undefined, undefined]).size, 0);
});

Deno.test("above the limit, all views but the latest are dropped", () => {
  const { cache, viewOf } = twoViews();
  const owners = [{}, {}, {}];
  const views = owners.map((owner) => viewOf(owner));
  assert.deepEqual(owners.map((owner) => cache.get(owner, "orders")), [undefined, undefined, views[2]]);
});

Deno.test("a dropped view counts no longer", () => {
  const { cache, viewOf } = twoViews();
  const first = viewOf(ONE);
  for (let round = 0; round < 10; round++) {
    viewOf(OTHER);
    cache.drop(OTHER, "orders");
  }
  assert.equal(viewOf(ONE), first);
});

Deno.test("the indexes of a view count", () => {
  const { cache, viewOf } = twoViews();
  viewOf(ONE);
  cache.viewOf(OTHER, "orders", 1, collections).get([undefined], "7");
  viewOf(OTHER);
  assert.equal(cache.get(ONE, "orders"), undefined);
});

Deno.test("a view isn't kept if all views were dropped while it was made", () => {
  const cache = new ViewCache();
  const view = cache.viewOf(ONE, "orders", 1, () => {
    cache.clear();
    return collections();
  });
  assert.equal(view.list([undefined]).size, items.length);
  assert.equal(cache.get(ONE, "orders"), undefined);
});
