import assert from "node:assert/strict";
import type { ListedItem } from "../../../../../lib/mock/state/list/listing.ts";
import { listItems } from "../../../../../lib/mock/state/list/list_items.ts";
import { ask, idsOf, planTestList, type TestList } from "../list_definitions.ts";

const PETS = [
  { id: 1, name: "Tom", status: "available", age: 3, tags: ["cat", "red"], owner: { id: "o1", city: "Bonn" } },
  { id: 2, name: "Bella", status: "sold", age: 7, tags: ["dog"], vaccinated: true, createdAt: "2025-02-01T00:00:00Z" },
  { id: 3, name: "Carl", status: "available", age: 3, tags: ["cat"], createdAt: "2025-01-01T00:00:00Z" },
  { id: 4, name: "Anna", status: "sold", owner: { id: "o2", city: "Ulm" }, createdAt: "2025-03-01T12:00:00+02:00" },
];

const FILTERS: { parameters: string; asked: Record<string, number[]> }[] = [
  {
    parameters: "[{name: status, in: query, schema: {type: array, items: {type: string}}}]",
    asked: { "": [1, 2, 3, 4], "status=sold": [2, 4], "status=sold&status=available": [1, 2, 3, 4], "status=lost": [] },
  },
  {
    parameters: "[{name: status, in: query, schema: {type: string}}, {name: age, in: query, schema: {type: integer}}]",
    asked: { "status=all": [1, 2, 3, 4], "status=sold,available": [1, 2, 3, 4], "age=3&status=available": [1, 3] },
  },
  {
    parameters: "[{name: status, in: query, schema: {type: string, default: available}}]",
    asked: { "": [1, 3], "status=sold": [2, 4] },
  },
  {
    parameters: "[{name: tags, in: query, schema: {type: string}}]",
    asked: {
      "tags=cat": [1, 3],
      "tags=cat,red": [1],
      "tags=red,cat,red": [1],
      "tags=cat,cat": [1, 3],
      "tags=cat,blue": [],
    },
  },
  { parameters: "[{name: tag, in: query, schema: {type: string}}]", asked: { "tag=dog": [2] } },
  {
    parameters: "[{name: vaccinated, in: query, schema: {type: boolean}}]",
    asked: { "vaccinated=true": [2], "vaccinated=false": [1, 3, 4] },
  },
  {
    parameters: "[{name: ids, in: query, schema: {type: array, items: {type: integer}}, explode: false}]",
    asked: { "ids=4,2": [2, 4] },
  },
  { parameters: "[{name: petId, in: query, schema: {type: string}}]", asked: { "petId=3": [3] } },
  { parameters: "[{name: owner, in: query, schema: {type: string}}]", asked: { "owner=o2": [4] } },
  { parameters: "[{name: owner_id, in: query, schema: {type: string}}]", asked: { "owner_id=o1": [1] } },
  { parameters: "[{name: owner.city, in: query, schema: {type: string}}]", asked: { "owner.city=Ulm": [4] } },
  {
    parameters: "[{name: 'filter[status]', in: query, schema: {type: string}}]",
    asked: { "filter[status]=sold": [2, 4] },
  },
  {
    parameters:
      "[{name: filter, in: query, style: deepObject, schema: {type: object, properties: {status: {type: string}, age: {type: object, properties: {gte: {type: integer}}}}}}]",
    asked: {
      "filter[status]=sold": [2, 4],
      "filter[age][gte]=4": [2],
      "filter[status]=available&filter[age][gte]=3": [1, 3],
    },
  },
  {
    parameters:
      "[{name: min_age, in: query, schema: {type: integer}}, {name: age_lt, in: query, schema: {type: integer}}]",
    asked: { "min_age=4": [2], "age_lt=7": [1, 3], "min_age=3&age_lt=7": [1, 3] },
  },
  {
    parameters: "[{name: created_after, in: query, schema: {type: string, format: date-time}}]",
    asked: { "created_after=2025-01-15T00:00:00Z": [2, 4] },
  },
  {
    parameters: "[{name: created_before, in: query, schema: {type: string, format: date}}]",
    asked: { "created_before=2025-02-01": [3] },
  },
  {
    parameters: "[{name: status, in: query, schema: {type: string, default: none}}]",
    asked: { "": [1, 2, 3, 4], "status=sold": [2, 4] },
  },
  {
    parameters: "[{name: $filter, in: query, schema: {type: string}}]",
    asked: {
      "$filter=status eq 'sold'": [2, 4],
      "$filter=age ge 3 and status eq 'available'": [1, 3],
      "$filter=owner/city eq 'Ulm' and contains(name,'nn')": [4],
      "$filter=age eq null": [4],
      "$filter=id eq 2": [2],
      "$filter=status eq 'sold' or age gt 3": [1, 2, 3, 4],
      "$filter=nothing eq 1": [1, 2, 3, 4],
    },
  },
  // Parameters that don't filter: no property has the name, or the property has another type.
  { parameters: "[{name: owner, in: query, schema: {type: boolean}}]", asked: { "owner=true": [1, 2, 3, 4] } },
  {
    parameters: "[{name: status, in: query, schema: {type: string, enum: [new, old]}}]",
    asked: { "status=new": [1, 2, 3, 4] },
  },
  { parameters: "[]", asked: { "status=sold": [1, 2, 3, 4] } },
];

Deno.test("a query parameter that names a property filters by it", async () => {
  for (const { parameters, asked } of FILTERS) {
    const plan = await planTestList({ parameters });
    for (const [query, want] of Object.entries(asked)) {
      assert.deepEqual(idsOf(plan, PETS, query), want, `${parameters} ?${query}`);
    }
  }
});

const ORDERS: { parameters: string; asked: Record<string, number[]> }[] = [
  {
    parameters: "[{name: sort, in: query, schema: {type: string}}]",
    asked: {
      "sort=name": [4, 2, 3, 1],
      "sort=-name": [1, 3, 2, 4],
      "sort=name:desc": [1, 3, 2, 4],
      "sort=name,desc": [1, 3, 2, 4],
      "sort=name%20desc": [1, 3, 2, 4],
      "sort=desc(name)": [1, 3, 2, 4],
      "sort=name_desc": [1, 3, 2, 4],
      "sort=age,-name": [1, 3, 2, 4],
      "sort=age,name": [3, 1, 2, 4],
      "sort=-age": [2, 3, 1, 4],
      "sort=desc": [4, 3, 2, 1],
      "sort=created": [3, 2, 4, 1],
      "sort=owner.city": [1, 4, 2, 3],
      "sort=nothing": [1, 2, 3, 4],
    },
  },
  {
    parameters: "[{name: sort_by, in: query, schema: {type: array, items: {type: string}}}]",
    asked: { "sort_by=name,desc": [1, 3, 2, 4], "sort_by=age&sort_by=name": [3, 1, 2, 4] },
  },
  {
    parameters:
      "[{name: sort, in: query, schema: {type: string}}, {name: direction, in: query, schema: {enum: [asc, desc], default: desc}}]",
    asked: {
      "": [4, 3, 2, 1],
      "direction=asc": [1, 2, 3, 4],
      "sort=name": [1, 3, 2, 4],
      "sort=name&direction=asc": [4, 2, 3, 1],
    },
  },
  { parameters: "[{name: order, in: query, schema: {enum: [asc, desc]}}]", asked: { "order=desc": [4, 3, 2, 1] } },
  {
    parameters: "[{name: $orderby, in: query, schema: {type: array, items: {type: string}}, explode: false}]",
    asked: { "$orderby=name desc": [1, 3, 2, 4] },
  },
];

Deno.test("sort and order parameters sort, with items without the property last", async () => {
  for (const { parameters, asked } of ORDERS) {
    const plan = await planTestList({ parameters });
    for (const [query, want] of Object.entries(asked)) {
      assert.deepEqual(idsOf(plan, PETS, query), want, `${parameters} ?${query}`);
    }
  }
});

Deno.test("a list is newest first if its description says so and the request asks for no order", async () => {
  const parameters =
    "[{name: sort, in: query, schema: {type: string}}, {name: dir, in: query, schema: {type: string}}]";
  const description = "Pets, sorted by creation date, with the most recent pets appearing first.";
  const plan = await planTestList({ description, parameters });
  assert.deepEqual(idsOf(plan, PETS), [4, 3, 2, 1]);
  assert.deepEqual(idsOf(plan, PETS, "dir=asc"), [1, 2, 3, 4]);
  assert.deepEqual(idsOf(plan, PETS, "sort=name"), [4, 2, 3, 1]);
});

const SEVEN = Array.from({ length: 7 }, (_, index) => ({ id: index + 1 }));
const INTEGER = "in: query, schema: {type: integer}";
const TEXT = "in: query, schema: {type: string}";

const PAGES: { parameters: string; asked: Record<string, unknown> }[] = [
  {
    parameters:
      `[{name: limit, in: query, schema: {type: integer, default: 3, maximum: 5}}, {name: offset, ${INTEGER}}]`,
    asked: {
      "": [1, 2, 3],
      "limit=2&offset=4": [5, 6],
      "limit=100": [1, 2, 3, 4, 5],
      "limit=0": [],
      "limit=-4&offset=-2": [1, 2, 3],
      "limit=many": [1, 2, 3],
      "offset=1000": [],
    },
  },
  {
    parameters: `[{name: per_page, ${INTEGER}}, {name: page, ${INTEGER}}]`,
    asked: {
      "per_page=3": [1, 2, 3],
      "per_page=3&page=1": [1, 2, 3],
      "per_page=3&page=3": [7],
      "per_page=3&page=0": [1, 2, 3],
    },
  },
  {
    parameters: `[{name: size, ${INTEGER}}, {name: page, in: query, schema: {type: integer, default: 0}}]`,
    asked: { "size=3&page=0": [1, 2, 3], "size=3&page=1": [4, 5, 6] },
  },
  { parameters: `[{name: $top, ${INTEGER}}, {name: $skip, ${INTEGER}}]`, asked: { "$top=2&$skip=3": [4, 5] } },
  {
    parameters: `[{name: count, ${INTEGER}}, {name: startIndex, ${INTEGER}}]`,
    asked: { "count=2&startIndex=1": [1, 2], "count=2&startIndex=3": [3, 4] },
  },
  {
    parameters:
      "[{name: page, in: query, style: deepObject, schema: {type: object, properties: {number: {type: integer}, size: {type: integer}}}}]",
    asked: { "page[size]=2&page[number]=3": [5, 6] },
  },
  {
    parameters: `[{name: 'page[offset]', ${INTEGER}}, {name: 'page[limit]', ${INTEGER}}]`,
    asked: { "page[limit]=2&page[offset]=3": [4, 5] },
  },
  {
    parameters:
      `[{name: limit, ${INTEGER}, description: 'A limit. The default is 2.'}, {name: starting_after, ${TEXT}}, {name: ending_before, ${TEXT}}]`,
    asked: {
      "": [1, 2],
      "starting_after=2": [3, 4],
      "starting_after=7": [],
      "ending_before=5": [3, 4],
      "ending_before=1": [],
      "starting_after=99": [1, 2],
    },
  },
  // The operation has no paging parameters, so all items are on one page.
  { parameters: "[]", asked: { "limit=2": [1, 2, 3, 4, 5, 6, 7] } },
];

Deno.test("paging parameters select the page; a number out of range becomes the nearest valid one", async () => {
  for (const { parameters, asked } of PAGES) {
    const plan = await planTestList({ parameters });
    for (const [query, want] of Object.entries(asked)) {
      assert.deepEqual(idsOf(plan, SEVEN, query), want, `${parameters} ?${query}`);
    }
  }
});

Deno.test("a cursor that names no item is refused if the operation declares an error for it", async () => {
  const parameters = `[{name: starting_after, ${TEXT}}]`;
  const refused = ask(
    await planTestList({ parameters, responses: '"422": {description: No.}' }),
    SEVEN,
    "starting_after=99",
  );
  assert.deepEqual(refused, {
    kind: "refused",
    status: 422,
    parameter: "starting_after",
    detail: 'The parameter "starting_after" names no item of this list: "99".',
  });
  const followed = ask(await planTestList({ parameters }), SEVEN, "starting_after=99");
  assert.deepEqual(followed.kind === "page" && followed.remarks, [
    'The parameter "starting_after" names no item of this list: "99". The list begins with its first item.',
  ]);
});

const ITEMS = "{type: array, items: {$ref: '#/components/schemas/Pet'}}";
const NUMBER = "{type: integer}";

const ENVELOPES: { list: TestList; asked: Record<string, unknown> }[] = [
  {
    list: {
      parameters: `[{name: limit, ${INTEGER}}, {name: starting_after, ${TEXT}}]`,
      body: `{type: object, properties: {object: {const: list}, data: ${ITEMS}, has_more: {type: boolean}}}`,
      envelope: ["data"],
    },
    asked: {
      "limit=6": { has_more: true },
      "limit=7": { has_more: false },
      "limit=6&starting_after=6": { has_more: false },
    },
  },
  {
    list: {
      parameters: `[{name: page, ${INTEGER}}, {name: per_page, ${INTEGER}}]`,
      body: `{type: object, properties: {items: ${ITEMS}, meta: {type: object, properties: {
        total: ${NUMBER}, total_pages: ${NUMBER}, current_page: ${NUMBER}, per_page: ${NUMBER}, count: ${NUMBER},
        next_page: {type: [integer, 'null']}, prev_page: {type: [integer, 'null']}}}}}`,
      envelope: ["items"],
    },
    asked: {
      "per_page=3&page=3": {
        meta: { total: 7, total_pages: 3, current_page: 3, per_page: 3, count: 1, next_page: null, prev_page: 2 },
      },
    },
  },
  {
    list: {
      parameters: `[{name: limit, ${INTEGER}}, {name: offset, ${INTEGER}}]`,
      body: `{type: object, properties: {count: ${NUMBER}, next: {type: [string, 'null'], format: uri},
        previous: {type: [string, 'null'], format: uri}, results: ${ITEMS}}}`,
      envelope: ["results"],
    },
    asked: {
      "": { count: 7, next: null, previous: null },
      "limit=3&offset=3&x=1": {
        count: 7,
        next: "http://localhost/pets?limit=3&x=1&offset=6",
        previous: "http://localhost/pets?limit=3&x=1&offset=0",
      },
    },
  },
  {
    list: {
      parameters: `[{name: size, ${INTEGER}}, {name: page, in: query, schema: {type: integer, minimum: 0}}]`,
      body: `{type: object, properties: {content: ${ITEMS}, totalElements: ${NUMBER}, totalPages: ${NUMBER},
        number: ${NUMBER}, size: ${NUMBER}, numberOfElements: ${NUMBER}, first: {type: boolean}, last: {type: boolean},
        empty: {type: boolean}}}`,
      envelope: ["content"],
    },
    asked: {
      "size=4&page=1": {
        totalElements: 7,
        totalPages: 2,
        number: 1,
        size: 4,
        numberOfElements: 3,
        first: false,
        last: true,
        empty: false,
      },
    },
  },
  {
    list: {
      parameters: `[{name: 'page[number]', ${INTEGER}}, {name: 'page[size]', ${INTEGER}}]`,
      body: `{type: object, properties: {data: ${ITEMS}, links: {type: object, properties: {
        self: {type: string}, first: {type: string}, prev: {type: [string, 'null']}, next: {type: [string, 'null']}, last: {type: string}}}}}`,
      envelope: ["data"],
    },
    asked: {
      "page[size]=3&page[number]=1": {
        links: {
          self: "http://localhost/pets?page%5Bsize%5D=3&page%5Bnumber%5D=1",
          first: "http://localhost/pets?page%5Bsize%5D=3",
          prev: null,
          next: "http://localhost/pets?page%5Bsize%5D=3&page%5Bnumber%5D=2",
          last: "http://localhost/pets?page%5Bsize%5D=3&page%5Bnumber%5D=3",
        },
      },
    },
  },
  {
    list: {
      parameters: `[{name: page, ${INTEGER}}, {name: limit, ${INTEGER}}]`,
      body: `{type: object, properties: {_embedded: {type: object, properties: {pets: ${ITEMS}}}, _links: {type: object,
        properties: {next: {type: object, properties: {href: {type: string}}, required: [href]},
        prev: {type: object, properties: {href: {type: string}}, required: [href]}}}}}`,
      envelope: ["_embedded", "pets"],
    },
    asked: {
      "limit=5": { _links: { next: { href: "http://localhost/pets?limit=5&page=2" } } },
      "limit=5&page=2": { _links: { prev: { href: "http://localhost/pets?limit=5&page=1" } } },
    },
  },
  {
    list: {
      parameters: `[{name: limit, ${INTEGER}}, {name: continue, ${TEXT}}]`,
      body: `{type: object, properties: {metadata: {type: object, properties: {continue: {type: string},
        remainingItemCount: ${NUMBER}}}, items: ${ITEMS}}}`,
      envelope: ["items"],
    },
    asked: {
      "limit=5": { metadata: { continue: "Z3c6NTo1", remainingItemCount: 2 } },
      "": {},
      "limit=5&continue=Z3c6NTo1": {},
    },
  },
];

Deno.test("page fields in the body describe the page", async () => {
  for (const { list, asked } of ENVELOPES) {
    const plan = await planTestList(list);
    for (const [query, want] of Object.entries(asked)) {
      const { body } = ask(plan, SEVEN, query) as { body: Record<string, unknown> };
      const { [list.envelope?.[0] ?? ""]: _, ...rest } = body;
      assert.deepEqual(rest, want, `${list.body} ?${query}`);
    }
  }
});

Deno.test("declared headers describe the page", async () => {
  const plan = await planTestList({
    parameters: `[{name: page, ${INTEGER}}, {name: per_page, ${INTEGER}}]`,
    headers:
      "{Link: {schema: {type: string}}, X-Total-Count: {schema: {type: integer}}, X-Next-Page: {schema: {type: string}}}",
  });
  const headersOf = (query: string): unknown => {
    const page = ask(plan, SEVEN, query);
    return page.kind === "page" && page.headers;
  };
  assert.deepEqual(headersOf("per_page=3&page=2"), [
    [
      "link",
      '<http://localhost/pets?per_page=3&page=1>; rel="prev", <http://localhost/pets?per_page=3&page=3>; rel="next", ' +
      '<http://localhost/pets?per_page=3&page=3>; rel="last", <http://localhost/pets?per_page=3>; rel="first"',
    ],
    ["x-total-count", "7"],
    ["x-next-page", "3"],
  ]);
  assert.deepEqual(headersOf(""), [["link", ""], ["x-total-count", "7"], ["x-next-page", ""]]);
  assert.deepEqual((ask(await planTestList({}), SEVEN) as { headers: unknown }).headers, []);
});

Deno.test("a client that follows the next page sees each item once, in every kind of paging", async () => {
  const many = Array.from({ length: 23 }, (_, index) => ({ id: index + 1, name: `n${index % 5}` }));
  const lists = [
    `[{name: page, ${INTEGER}}, {name: limit, ${INTEGER}}, {name: sort, ${TEXT}}]`,
    `[{name: offset, ${INTEGER}}, {name: limit, ${INTEGER}}, {name: sort, ${TEXT}}]`,
    `[{name: cursor, ${TEXT}}, {name: limit, ${INTEGER}}, {name: sort, ${TEXT}}]`,
    `[{name: cursor, ${INTEGER}}, {name: limit, ${INTEGER}}, {name: sort, ${TEXT}}]`,
    `[{name: starting_after, ${TEXT}}, {name: limit, ${INTEGER}}, {name: sort, ${TEXT}}]`,
  ];
  for (const parameters of lists) {
    const plan = await planTestList({
      parameters,
      body: `{type: object, properties: {data: ${ITEMS}, next: {type: string, format: uri}}}`,
      envelope: ["data"],
    });
    for (const first of ["limit=4", "limit=4&sort=-name"]) {
      const seen: unknown[] = [];
      for (let query: string | undefined = first; query !== undefined;) {
        const { body } = ask(plan, many, query) as { body: { data: { id: number }[]; next?: string } };
        seen.push(...body.data.map(({ id }) => id));
        query = body.next?.split("?")[1];
      }
      assert.equal(seen.length, 23, `${parameters} ?${first}`);
      assert.equal(new Set(seen).size, 23);
    }
  }
});

Deno.test("a cursor keeps its position when items before it are deleted", async () => {
  const plan = await planTestList({
    parameters: `[{name: cursor, ${TEXT}}, {name: limit, ${INTEGER}}]`,
    body: `{type: object, properties: {data: ${ITEMS}, next_cursor: {type: string}}}`,
    envelope: ["data"],
  });
  const { body } = ask(plan, SEVEN, "limit=3") as { body: { next_cursor: string } };
  const query = `limit=3&cursor=${body.next_cursor}`;
  assert.deepEqual(idsOf(plan, SEVEN.slice(1), query), [4, 5, 6]);
  assert.deepEqual(idsOf(plan, SEVEN.filter(({ id }) => id !== 3), query), [5, 6, 7]);
});

Deno.test("filters by id or an indexed property, and first pages, don't read all items", async () => {
  const plan = await planTestList({
    parameters: `[{name: id, ${INTEGER}}, {name: name, ${TEXT}}, {name: limit, ${INTEGER}}]`,
  });
  const items = Array.from(
    { length: 1000 },
    (_, id): ListedItem => ({ key: String(id), value: { id, name: `n${id}` } }),
  );
  let seen = 0;
  const source = {
    all: function* () {
      for (const item of items) {
        seen++;
        yield item;
      }
    },
    size: items.length,
    get: (key: string) => items.find((item) => item.key === key),
    find: (path: readonly string[], text: string) => items.filter(({ value }) => String(value[path[0] ?? ""]) === text),
  };
  for (const query of ["id=7", "name=n7", "limit=20"]) {
    seen = 0;
    const target = { path: "/pets", query, pathParameters: {} };
    const page = listItems<ListedItem>(plan, source, { url: "http://localhost/pets", headers: new Headers(), target });
    assert.equal(page.kind === "page" && page.items.length, query === "limit=20" ? 20 : 1);
    assert.ok(seen <= 21, `${query}: ${seen} items`);
  }
});

for (
  const [title, pages] of [
    [
      "anyOf of allOf and anything",
      `{anyOf: [{allOf: [{properties: {last: {type: string}}}, {properties: {next: {type: string}}}]},
        {allOf: [{properties: {first: {type: string}}}, {properties: {prev: {type: string}}}]}, {}]}`,
    ],
    [
      "oneOf",
      `{oneOf: [{properties: {next: {type: string}, last: {type: string}}, required: [next]},
      {properties: {first: {type: string}, prev: {type: string}}, required: [prev]}]}`,
    ],
    [
      "nullable",
      `{type: [object, "null"], properties: {next: {type: [string, "null"]}, prev: {type: [string, "null"]}}}`,
    ],
  ] as const
) {
  Deno.test(`page links are URLs of pages where their schema is ${title}`, async () => {
    const plan = await planTestList({
      parameters:
        "[{name: page, in: query, schema: {type: integer}}, {name: limit, in: query, schema: {type: integer}}]",
      body: `{type: object, properties: {pets: {type: array, items: {$ref: "#/components/schemas/Pet"}},
        links: {type: object, properties: {pages: ${pages}}}}}`,
      envelope: ["pets"],
    });
    const pagesOf = (query: string) => {
      const page = ask(plan, PETS, query);
      return (page.body as { links: { pages: Record<string, unknown> } }).links.pages;
    };
    assert.match(String(pagesOf("limit=1")["next"]), /\?limit=1&page=2$/);
    assert.match(String(pagesOf("limit=1&page=2")["prev"]), /\?limit=1&page=1$/);
  });
}
