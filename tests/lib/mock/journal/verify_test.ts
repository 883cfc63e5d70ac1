import assert from "node:assert/strict";
import type { JournalEntry } from "../../../../lib/mock/journal/entry.ts";
import { filterConditions, fulfils, type RequestFilter } from "../../../../lib/mock/journal/filter.ts";
import { writeHar } from "../../../../lib/mock/journal/har.ts";
import { representEntry } from "../../../../lib/mock/journal/represent.ts";
import { type Expectation, verify } from "../../../../lib/mock/journal/verify.ts";

const ENTRIES: readonly JournalEntry[] = [
  entry(1, "GET /pets?limit=2&tag=a%20b", 200, "listPets"),
  entry(2, "POST /pets", 201, "createPet", '{"name":"Tom","owner":{"id":7},"tags":["a","b"]}'),
  entry(3, "GET /pets/7", 404, "readPet"),
  entry(4, "POST /pets", 422, "createPet", '{"name":"Kit"}'),
  entry(5, "DELETE /pets/7", 204),
];

const FILTERS: readonly [filter: RequestFilter, ids: readonly number[]][] = [
  [{}, [1, 2, 3, 4, 5]],
  [{ method: "get" }, [1, 3]],
  [{ operation: "createPet" }, [2, 4]],
  [{ operation: "GET /pets/{petId}" }, []],
  [{ path: "/pets" }, [1, 2, 4]],
  [{ path: "/pets/*" }, [3, 5]],
  [{ status: 201 }, [2]],
  [{ status: "4xx" }, [3, 4]],
  [{ query: { limit: "2" } }, [1]],
  [{ query: { tag: "a b" } }, [1]],
  [{ body: { "/name": "Tom" } }, [2]],
  [{ body: { "/owner": { id: 7 } } }, [2]],
  [{ body: { "/tags/1": "b" } }, [2]],
  [{ body: { "/tags/01": "b" } }, []],
  [{ body: { "": { name: "Kit" } } }, [4]],
  [{ body: { "/__proto__": {} } }, []],
  [{ method: "POST", status: 422 }, [4]],
];

Deno.test("a filter matches requests that meet each of its parts", () => {
  for (const [filter, ids] of FILTERS) {
    const found = ENTRIES.filter((entry) => fulfils(entry, filterConditions(filter))).map(({ id }) => id);
    assert.deepEqual(found, ids, JSON.stringify(filter));
  }
});

const EXPECTATIONS: readonly [expectation: Expectation, detail: string | undefined][] = [
  [{ method: "POST" }, undefined],
  [{ method: "POST", count: 2 }, undefined],
  [{ method: "POST", atLeast: 1, atMost: 2 }, undefined],
  [{ method: "PATCH", count: 0 }, undefined],
  [{ method: "PATCH", atMost: 3 }, undefined],
  [{ inOrder: [{ method: "GET" }, { status: 201 }, { method: "DELETE" }] }, undefined],
  [
    { method: "POST", count: 1 },
    "2 requests came, not 1. Matching: request 2, POST /pets (201); request 4, POST /pets (422).",
  ],
  [
    { method: "POST", atMost: 1 },
    "2 requests came; at most 1 should have. Matching: request 2, POST /pets (201); request 4, POST /pets (422).",
  ],
  [
    { operation: "createPet", body: { "/name": "Ann" } },
    "0 requests came for createPet; at least 1 should have. The nearest is request 4, POST /pets: " +
    '/name of the body is "Kit", not "Ann".',
  ],
  [
    { inOrder: [{ method: "DELETE" }, { method: "POST", path: "/pets" }] },
    "No request fits step 2 of inOrder, after request 5.",
  ],
  [
    { path: "/pets*", inOrder: [{ status: 404 }, { status: 201 }] },
    "No request fits step 2 of inOrder, after request 3. The nearest is request 5, DELETE /pets/7: " +
    "the status is 204, not 201.",
  ],
];

Deno.test("verify() says why an expectation isn't met, and which requests are most similar", () => {
  for (const [expectation, detail] of EXPECTATIONS) {
    const found = verify(ENTRIES, expectation);
    assert.deepEqual([found.isMet, found.detail], [detail === undefined, detail], JSON.stringify(expectation));
  }
});

Deno.test("a body is parsed once for a hundred conditions of a filter", () => {
  let reads = 0;
  const counted = entry(1, "POST /pets", 201, "createPet");
  const request = {
    ...counted.request,
    get body() {
      reads++;
      return new TextEncoder().encode('{"name":"Tom"}');
    },
  };
  const body = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`/property${index}`, 1]));
  assert.equal(verify([{ ...counted, request }], { body }).nearest[0]?.differences.length, 100);
  // The journal is read at most twice: once to count the matching requests, once to find how the others differ.
  assert.ok(reads <= 2, `${reads} times`);
});

Deno.test("an entry is represented with its body as JSON, text or base64", () => {
  const json = representEntry(ENTRIES[1] ?? entry(0, "GET /", 200));
  assert.deepEqual(json.request.body, { name: "Tom", owner: { id: 7 }, tags: ["a", "b"] });
  const [first] = ENTRIES;
  assert.ok(first !== undefined);
  const binary = { ...first, response: { ...first.response, body: new Uint8Array([255, 0]) } };
  assert.equal(representEntry(binary).response.bodyBase64, "/wA=");
});

Deno.test("an archive has an entry for each request", () => {
  const { log } = JSON.parse([...writeHar(ENTRIES)].join(""));
  assert.equal(log.version, "1.2");
  assert.deepEqual(log.entries.map(({ request }: { request: { method: string } }) => request.method), [
    "GET",
    "POST",
    "GET",
    "POST",
    "DELETE",
  ]);
  assert.deepEqual(log.entries[0].request.queryString, [
    { name: "limit", value: "2" },
    { name: "tag", value: "a b" },
  ]);
  assert.deepEqual(log.entries[1].request.postData, {
    mimeType: "application/json",
    text: '{"name":"Tom","owner":{"id":7},"tags":["a","b"]}',
  });
});

function entry(id: number, line: string, status: number, operationId?: string, body?: string): JournalEntry {
  const [method = "", target = ""] = line.split(" ");
  return {
    id,
    time: 0,
    session: "",
    ...operationId === undefined ? {} : { operation: { operationId, method, path: target } },
    request: {
      method,
      url: `http://localhost${target}`,
      pathParameters: {},
      headers: body === undefined ? [] : [["content-type", "application/json"]],
      ...body === undefined ? {} : { body: new TextEncoder().encode(body) },
    },
    response: { status, headers: [], mediaType: "", source: "status" },
    violations: [],
  };
}

Deno.test("a filter compares headers without their case, line by line and joined", async (t) => {
  const [first = entry(1, "GET /pets", 200)] = ENTRIES;
  const headers = [["x-kind", "cat"], ["X-Kind", "dog"], ["authorization", "Bearer s3cret"]] as const;
  const sent = { ...first, request: { ...first.request, headers } };
  const unrecorded = { ...first, request: { ...first.request, lacksDetails: true } };
  const cases: [entry: JournalEntry, headers: Record<string, string>, difference: string | undefined][] = [
    [sent, { "X-KIND": "cat" }, undefined],
    [sent, { "x-kind": "dog" }, undefined],
    [sent, { "x-kind": "cat, dog" }, undefined],
    [sent, { "x-kind": "cow" }, 'its header x-kind isn\'t "cow"'],
    [sent, { "x-kind": "cat", "x-none": "" }, "it has no header x-none"],
    [sent, { Authorization: "Bearer other" }, "its header authorization isn't the secret that is wanted"],
    [unrecorded, { "x-kind": "cat" }, "its headers weren't recorded: too many requests in that second"],
  ];
  for (const [entry, headers, want] of cases) {
    await t.step(JSON.stringify(headers), () => {
      const differences = filterConditions({ headers }).flatMap((differs) => differs(entry) ?? []);
      assert.deepEqual(differences, want === undefined ? [] : [want]);
    });
  }
});

Deno.test("verify() names the operation of an expectation", () => {
  const found = verify(ENTRIES, { operation: "listPets", status: 500, count: 1 });
  assert.match(found.detail ?? "", /^0 requests came for listPets, not 1\. The nearest is request 1, GET \/pets/);
});
