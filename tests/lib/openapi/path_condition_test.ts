import assert from "node:assert/strict";
import {
  compareConditions,
  type Condition,
  identityOf,
  type LocationOf,
  MOST_CONDITIONS,
  readPathConditions,
  showCondition,
  splitPathKey,
} from "../../../lib/openapi/path_condition.ts";
import { areFulfilled, unfulfilled } from "../../../lib/openapi/request_facts.ts";

const SPLITS: readonly (readonly [key: string, template: string, written: string])[] = [
  ["/pets", "/pets", ""],
  ["/pets?", "/pets", "?"],
  ["/pets#", "/pets", "#"],
  ["/pets/{id}?beta=true", "/pets/{id}", "?beta=true"],
  ["/?Action=CreateUser", "/", "?Action=CreateUser"],
  ["/#X-Amz-Target=DynamoDB.ListTables", "/", "#X-Amz-Target=DynamoDB.ListTables"],
  ["/pets?a=1#b", "/pets", "?a=1#b"],
  ["/pets#b?a=1", "/pets", "#b?a=1"],
  ["/pets/{id?}/{a#b}", "/pets/{id?}/{a#b}", ""],
  ["/pets/{id?}?q", "/pets/{id?}", "?q"],
  ["/pets/{id?q", "/pets/{id?q", ""],
];

for (const [key, template, written] of SPLITS) {
  Deno.test(`splitPathKey() splits ${key}`, () => {
    assert.deepEqual(splitPathKey(key), { template, written });
  });
}

const LOCATIONS: LocationOf = (name) =>
  name === "Action" || name === "list-type" ? "query" : name === "Target" ? "header" : undefined;

const READ: readonly { key: string; queries?: Condition[]; headers?: Condition[]; label?: string }[] = [
  { key: "/a?beta=true", queries: [{ in: "query", name: "beta", value: "true" }] },
  { key: "/a?beta", queries: [{ in: "query", name: "beta" }] },
  { key: "/a?beta=", queries: [{ in: "query", name: "beta", value: "" }] },
  { key: "/a?", queries: [] },
  { key: "/a?&&", queries: [] },
  { key: "/a?%61%3D=b+c%2Bd", queries: [{ in: "query", name: "a=", value: "b c+d" }] },
  { key: "/a?q=x=y", queries: [{ in: "query", name: "q", value: "x=y" }] },
  { key: "/a?user={id}", queries: [{ in: "query", name: "user", parameter: "id" }] },
  { key: "/a?{name}=1&b", queries: [{ in: "query", name: "b" }], label: "{name}=1" },
  {
    key: "/a?b=1&c",
    queries: [{ in: "query", name: "b", value: "1" }, { in: "query", name: "c" }],
  },
  {
    key: "/a#X-Amz-Target=DynamoDB.ListTables",
    headers: [{ in: "header", name: "x-amz-target", value: "DynamoDB.ListTables" }],
  },
  { key: "/a#X-A=", headers: [{ in: "header", name: "x-a", value: "" }] },
  { key: "/a#X-A=1%202+3", headers: [{ in: "header", name: "x-a", value: "1 2+3" }] },
  {
    key: "/a#X-A=1&X-B=2",
    headers: [{ in: "header", name: "x-a", value: "1" }, { in: "header", name: "x-b", value: "2" }],
  },
  { key: "/a#Target=b", headers: [{ in: "header", name: "target", value: "b" }] },
  { key: "/a#Action=b", label: "Action=b" },
  { key: "/a#list-type=2", label: "list-type=2" },
  { key: "/a#overload=stream", label: "overload=stream" },
  { key: "/a#second", label: "second" },
  { key: "/a#X-Bare", label: "X-Bare" },
  { key: "/a#with a-space=1", label: "with a-space=1" },
  { key: "/a#X-A=1&tagKeys", headers: [{ in: "header", name: "x-a", value: "1" }], label: "tagKeys" },
  {
    key: "/a?b=1#X-A=1",
    queries: [{ in: "query", name: "b", value: "1" }],
    headers: [{ in: "header", name: "x-a", value: "1" }],
  },
];

for (const { key, queries = [], headers = [], label = "" } of READ) {
  Deno.test(`readPathConditions() reads ${key}`, () => {
    const { written } = splitPathKey(key);
    assert.deepEqual(readPathConditions(key, LOCATIONS), { written, queries, headers, label });
  });
}

Deno.test("readPathConditions() gives nothing for a key without query and fragment", () => {
  assert.equal(readPathConditions("/pets/{id}"), undefined);
});

Deno.test("readPathConditions() reads a bounded number of conditions", () => {
  const many = Array.from({ length: 100 }, (_, index) => `X-${index}=1`).join("&");
  const conditions = readPathConditions(`/a?${many}#${many}`);
  assert.equal(conditions?.queries.length, MOST_CONDITIONS);
  assert.equal(conditions?.headers.length, 0);
});

const FULFILLED: readonly (readonly [key: string, target: string, headers: Record<string, string>, want: boolean])[] = [
  ["/a?beta=true", "/a?beta=true", {}, true],
  ["/a?beta=true", "/a?x=1&beta=true&y", {}, true],
  ["/a?beta=true", "/a?beta=false&beta=true", {}, true],
  ["/a?beta=true", "/a?%62eta=tru%65", {}, true],
  ["/a?beta=true", "/a?beta=True", {}, false],
  ["/a?beta=true", "/a?beta", {}, false],
  ["/a?beta=true", "/a", {}, false],
  ["/a?beta", "/a?beta", {}, true],
  ["/a?beta", "/a?beta=", {}, true],
  ["/a?beta", "/a?beta=1", {}, true],
  ["/a?beta", "/a?bet=1", {}, false],
  ["/a?beta=", "/a?beta=", {}, true],
  ["/a?beta=", "/a?beta", {}, true],
  ["/a?beta=", "/a?beta=1", {}, false],
  ["/a?q=a b", "/a?q=a+b", {}, true],
  ["/a?q=a+b", "/a?q=a%20b", {}, true],
  ["/a?q=a%2Bb", "/a?q=a+b", {}, false],
  ["/a?user={id}", "/a?user=4", {}, true],
  ["/a?user={id}", "/a?id=4", {}, false],
  ["/a?constructor", "/a", {}, false],
  ["/a#X-A=1", "/a", { "x-a": "1" }, true],
  ["/a#X-A=1", "/a", { "x-a": "2" }, false],
  ["/a#X-A=1", "/a", {}, false],
  ["/a#X-A=", "/a", { "x-a": "" }, true],
  ["/a#X-A=", "/a", {}, false],
  ["/a#X-A=1", "/a", { "x-a": "" }, false],
  ["/a?b#X-A=1", "/a?b", { "x-a": "1" }, true],
  ["/a?b#X-A=1", "/a", { "x-a": "1" }, false],
  ["/a#label", "/a", {}, true],
];

for (const [key, target, headers, want] of FULFILLED) {
  const shown = JSON.stringify(headers);
  Deno.test(`${target} with ${shown} ${want ? "fulfils" : "doesn't fulfil"} the conditions of ${key}`, () => {
    const request = new Request(`http://localhost${target}`, { headers });
    const conditions = readPathConditions(key);
    assert.ok(conditions !== undefined);
    assert.equal(areFulfilled(conditions, request), want);
  });
}

Deno.test("conditions on headers count as fulfilled where the headers are unknown", () => {
  const conditions = readPathConditions("/a?b#X-A=1");
  assert.ok(conditions !== undefined);
  assert.deepEqual(
    unfulfilled(conditions, { url: "http://localhost/a", headers: undefined }).map(showCondition),
    ["the query `b`"],
  );
});

Deno.test("compareConditions() puts the key with more conditions first", () => {
  const keys = ["/a", "/a#label", "/a?b", "/a?b=1&c#X-A=1", "/a?b&c"];
  const sorted = keys.toSorted((a, b) => compareConditions(readPathConditions(a), readPathConditions(b)));
  assert.deepEqual(sorted, ["/a?b=1&c#X-A=1", "/a?b&c", "/a?b", "/a", "/a#label"]);
});

Deno.test("identityOf() is equal for keys with equal conditions", () => {
  const identity = (key: string): string => identityOf(readPathConditions(key));
  assert.equal(identity("/a?b=1&c"), identity("/x?c&b=1&c"));
  assert.equal(identity("/a#X-A=1"), identity("/a#x-a=1&label"));
  assert.equal(identity("/a"), identity("/a#label"));
  assert.notEqual(identity("/a?b"), identity("/a?b="));
  assert.notEqual(identity("/a?x-a=1"), identity("/a#X-A=1"));
});
