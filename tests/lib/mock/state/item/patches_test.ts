import assert from "node:assert/strict";
import { MOST_OPERATIONS } from "../../../../../lib/mock/state/item/json_patch.ts";
import { applyPatch, patchFormatOf } from "../../../../../lib/mock/state/item/patches.ts";

Deno.test("patchFormatOf() reads the format from the media type", () => {
  const formats: [string, string][] = [
    ["application/json-patch+json; charset=utf-8", "json-patch"],
    ["application/merge-patch+json", "merge-patch"],
    ["application/strategic-merge-patch+json", "merge-patch"],
    ["application/x-www-form-urlencoded", "form"],
    ["application/json", "properties"],
    ["", "properties"],
  ];
  for (const [mediaType, want] of formats) assert.equal(patchFormatOf(mediaType), want);
});

// JSON Merge Patch: the examples of RFC 7396, appendix A.
const MERGES: [value: unknown, patch: unknown, want: unknown][] = [
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [["a", "b"], ["c", "d"], ["c", "d"]],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, null, null],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

Deno.test("a merge patch follows RFC 7396", () => {
  for (const [value, patch, want] of MERGES) {
    const before = structuredClone(value);
    assert.deepEqual(applyPatch("merge-patch", value, patch), { kind: "value", value: want });
    assert.deepEqual(value, before);
  }
});

Deno.test("a plain body replaces properties, a form merges objects", () => {
  const value = { name: "Tom", metadata: { color: "red", size: "L" } };
  assert.deepEqual(applyPatch("properties", value, { name: null, metadata: { size: "S" } }), {
    kind: "value",
    value: { name: null, metadata: { size: "S" } },
  });
  assert.deepEqual(applyPatch("form", value, { name: "", metadata: { size: "S", color: "" } }), {
    kind: "value",
    value: { name: "", metadata: { size: "S" } },
  });
});

// JSON Patch: the examples of RFC 6902, appendix A, and JSON Pointers of RFC 6901, section 5.
const PATCHES: { value: unknown; patch: unknown; want: unknown }[] = [
  { value: { foo: "bar" }, patch: [{ op: "add", path: "/baz", value: "qux" }], want: { baz: "qux", foo: "bar" } },
  {
    value: { foo: ["bar", "baz"] },
    patch: [{ op: "add", path: "/foo/1", value: "qux" }],
    want: { foo: ["bar", "qux", "baz"] },
  },
  { value: { foo: ["bar"] }, patch: [{ op: "add", path: "/foo/-", value: ["abc"] }], want: { foo: ["bar", ["abc"]] } },
  { value: { baz: "qux", foo: "bar" }, patch: [{ op: "remove", path: "/baz" }], want: { foo: "bar" } },
  { value: { foo: ["a", "b", "c"] }, patch: [{ op: "remove", path: "/foo/1" }], want: { foo: ["a", "c"] } },
  { value: { baz: "qux" }, patch: [{ op: "replace", path: "/baz", value: null }], want: { baz: null } },
  { value: { baz: "qux" }, patch: [{ op: "replace", path: "", value: { a: 1 } }], want: { a: 1 } },
  {
    value: { foo: { bar: "baz", waldo: "fred" }, qux: { corge: "grault" } },
    patch: [{ op: "move", from: "/foo/waldo", path: "/qux/thud" }],
    want: { foo: { bar: "baz" }, qux: { corge: "grault", thud: "fred" } },
  },
  {
    value: { foo: [1, 2, 3, 4] },
    patch: [{ op: "move", from: "/foo/1", path: "/foo/3" }],
    want: { foo: [1, 3, 4, 2] },
  },
  { value: { a: { b: 1 } }, patch: [{ op: "copy", from: "/a", path: "/c" }], want: { a: { b: 1 }, c: { b: 1 } } },
  {
    value: { baz: "qux", foo: ["a", 2, "c"] },
    patch: [{ op: "test", path: "/baz", value: "qux" }, { op: "test", path: "/foo/1", value: 2 }],
    want: { baz: "qux", foo: ["a", 2, "c"] },
  },
  { value: { "/": 9, "~1": 10 }, patch: [{ op: "test", path: "/~01", value: 10 }], want: { "/": 9, "~1": 10 } },
  { value: { foo: null }, patch: [{ op: "test", path: "/foo", value: null }], want: { foo: null } },
  { value: { "": 1 }, patch: [{ op: "replace", path: "/", value: 2 }], want: { "": 2 } },
  { value: { a: 1 }, patch: [{ op: "move", from: "/a", path: "/a" }], want: { a: 1 } },
];

Deno.test("a JSON Patch follows RFC 6902", () => {
  for (const { value, patch, want } of PATCHES) {
    const before = structuredClone(value);
    assert.deepEqual(applyPatch("json-patch", value, patch), { kind: "value", value: want });
    assert.deepEqual(value, before);
  }
});

const FAILURES: { patch: unknown; status: number; detail: string }[] = [
  { patch: {}, status: 400, detail: "A JSON Patch is an array of operations (RFC 6902, section 3)." },
  { patch: [1], status: 400, detail: "Operation 0 of the patch is not an object." },
  {
    patch: [{ op: "spam", path: "/a" }],
    status: 400,
    detail: 'Operation 0 of the patch must have an "op" of add, remove, replace, move, copy or test.',
  },
  {
    patch: [{ op: "add", path: "a", value: 1 }],
    status: 400,
    detail: 'Operation 0 of the patch must have a JSON Pointer as its "path".',
  },
  { patch: [{ op: "add", path: "/a" }], status: 400, detail: 'Operation 0 of the patch ("add") has no "value".' },
  {
    patch: [{ op: "test", path: "/list/0", value: 1 }, { op: "test", path: "/list/0", value: "1" }],
    status: 409,
    detail: 'Operation 1 of the patch tests "/list/0" for another value than the one that is there.',
  },
  {
    patch: [{ op: "remove", path: "/none" }],
    status: 409,
    detail: 'Operation 0 of the patch finds nothing at "/none".',
  },
  {
    patch: [{ op: "replace", path: "/none/a", value: 1 }],
    status: 409,
    detail: 'Operation 0 of the patch finds nothing at "/none".',
  },
  {
    patch: [{ op: "add", path: "/list/2", value: 1 }],
    status: 409,
    detail: 'Operation 0 of the patch has no place "/list/2".',
  },
  {
    patch: [{ op: "add", path: "/list/01", value: 1 }],
    status: 409,
    detail: 'Operation 0 of the patch has no place "/list/01".',
  },
  {
    patch: [{ op: "remove", path: "/toString" }],
    status: 409,
    detail: 'Operation 0 of the patch finds nothing at "/toString".',
  },
  {
    patch: [{ op: "move", from: "/object", path: "/object/b" }],
    status: 409,
    detail: 'Operation 0 of the patch moves "/object" into itself.',
  },
  { patch: [{ op: "remove", path: "" }], status: 409, detail: "Operation 0 of the patch removes the whole item." },
];

Deno.test("a JSON Patch that fails names the operation and the reason", () => {
  for (const { patch, status, detail } of FAILURES) {
    const value = { list: [1], object: {} };
    assert.deepEqual(applyPatch("json-patch", value, patch), { kind: "failed", status, detail });
    assert.deepEqual(value, { list: [1], object: {} });
  }
});

Deno.test("patches don't change prototypes", () => {
  const hostile = JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}');
  applyPatch("merge-patch", { a: 1 }, hostile);
  applyPatch("form", { a: 1 }, hostile);
  applyPatch("properties", { a: 1 }, hostile);
  for (const path of ["/__proto__/polluted", "/constructor/prototype/polluted"]) {
    const patched = applyPatch("json-patch", { a: 1 }, [{ op: "add", path, value: true }]);
    assert.equal(patched.kind, "failed");
  }
  const added = applyPatch("json-patch", {}, [{ op: "add", path: "/__proto__", value: { polluted: true } }]);
  assert.equal(JSON.stringify(added), '{"kind":"value","value":{"__proto__":{"polluted":true}}}');
  assert.equal((added as { value: Record<string, unknown> }).value["polluted"], undefined);
  assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
});

Deno.test("a JSON Patch is limited in operations, steps and depth", () => {
  const many = Array.from({ length: MOST_OPERATIONS + 1 }, () => ({ op: "test", path: "", value: {} }));
  const doubling = Array.from({ length: 40 }, (_, index) => ({ op: "copy", from: "", path: `/${index}` }));
  const deep = [{ op: "test", path: "/a".repeat(501), value: 1 }];
  for (const patch of [many, doubling, deep]) {
    const patched = applyPatch("json-patch", {}, patch);
    assert.equal(patched.kind === "failed" && patched.status, 413);
  }
});
