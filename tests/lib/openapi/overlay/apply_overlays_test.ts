import assert from "node:assert/strict";
import { load } from "js-yaml";
import { type Document, parseDocument } from "../../../../lib/openapi/document.ts";
import { applyOverlays } from "../../../../lib/openapi/overlay/apply_overlays.ts";
import { overlaidText } from "../../../../lib/openapi/overlay/overlaid_text.ts";
import { parseOverlay } from "../../../../lib/openapi/overlay/parse_overlay.ts";
import { readSource } from "../../../../lib/openapi/text/source.ts";

/** The text of an overlay with the given actions. */
function overlayOf(actions: string, version = "1.1.0"): string {
  return `overlay: ${version}\ninfo: {title: Test, version: 1.0.0}\nactions:\n${actions}`;
}

/** Applies actions to a value, both in YAML. */
async function apply(
  before: string,
  actions: string,
  version?: string,
): Promise<{ value: unknown; messages: string[] }> {
  const { source } = await readSource("file:///api.yaml", before);
  const overlay = await parseOverlay(overlayOf(actions, version), { uri: "file:///overlay.yaml" });
  const applied = await applyOverlays(source, [overlay]);
  return {
    value: applied.source.value,
    messages: applied.diagnostics.map(({ severity, code, pointer, message }) =>
      `${severity} ${code} ${pointer} ${message}`
    ),
  };
}

const CASES: { name: string; before: string; actions: string; after: string; version?: string; messages?: string[] }[] =
  [
    {
      name: "an update merges objects recursively, appends to arrays and replaces scalars",
      before: "a: {b: {c: 1, d: [1]}, e: kept}",
      actions: "- {target: $.a, update: {b: {c: 2, d: [2, 3], n: new}}}",
      after: "a: {b: {c: 2, d: [1, 2, 3], n: new}, e: kept}",
    },
    {
      name: "an update of the root",
      before: "info: {title: T}",
      actions: "- {target: $, update: {info: {x-a: 1}, tags: [{name: a}]}}",
      after: "info: {title: T, x-a: 1}\ntags: [{name: a}]",
    },
    {
      name: "an update of an array appends an item, or the items of an array",
      before: "a: [1]\nb: [1]",
      actions: "- {target: $.a, update: {n: 2}}\n- {target: $.b, update: [2, 3]}",
      after: "a: [1, {n: 2}]\nb: [1, 2, 3]",
    },
    {
      name: "an update of scalars replaces them",
      before: "a: {t: old}\nb: {t: old}\nl: [x, y]",
      actions: "- {target: $.*.t, update: new}\n- {target: '$.l[0]', update: z}",
      after: "a: {t: new}\nb: {t: new}\nl: [z, y]",
    },
    {
      name: "an update at several places changes each by itself",
      before: "a: {}\nb: {}",
      actions: "- {target: $.*, update: {n: {m: []}}}\n- {target: $.a.n.m, update: 1}",
      after: "a: {n: {m: [1]}}\nb: {n: {m: []}}",
    },
    {
      name: "aliases of YAML are changed one by one",
      before: "a: &x {l: [1]}\nb: *x",
      actions: "- {target: $.a.l, update: 2}",
      after: "a: {l: [1, 2]}\nb: {l: [1]}",
    },
    {
      name: "a removal removes members and items, whatever their order",
      before: "a: [0, {b: [x, y, z]}, 2, 3]\nc: {d: 1, e: 2}",
      actions: "- {target: \"$['a'][0, 2, 1]['b'][0, 2]\", remove: true}\n- {target: '$.a[0, 2]', remove: true}\n" +
        "- {target: $.c.d, remove: true}",
      after: "a: [{b: [y]}, 3]\nc: {e: 2}",
    },
    {
      name: "a removal of a value and of a part of it",
      before: "a: [{del: 1, l: [{del: 1}]}, {l: [{del: 1}, 2]}]",
      actions: "- {target: '$..[?@.del]', remove: true}",
      after: "a: [{l: [2]}]",
    },
    {
      name: "remove wins over update",
      before: "a: 1\nb: {}",
      actions: "- {target: $.b, remove: true, update: {c: 1}}",
      after: "a: 1",
    },
    {
      name: "actions see what those before them did",
      before: "a: {}",
      actions: "- {target: $, update: {b: {}}}\n- {target: $.b, update: {c: 1}}\n- {target: $.a, remove: true}\n" +
        "- {target: $, update: {a: {new: true}}}",
      after: "b: {c: 1}\na: {new: true}",
    },
    {
      name: "a copy merges what it finds, and later changes of one place leave the other alone",
      before: "a: {l: [1], m: {n: 1}}\nb: {l: [0]}",
      actions: "- {target: $.b, copy: $.a}\n- {target: $.a.m, update: {n: 2}}\n- {target: $.b.l, update: 2}",
      after: "a: {l: [1], m: {n: 2}}\nb: {l: [0, 1, 2], m: {n: 1}}",
    },
    {
      name: "a move: copy and remove",
      before: "paths: {/items: {get: {}}, /some-items: {delete: {}}}",
      actions: "- {target: $.paths, update: {/new-items: {}}}\n" +
        "- {target: \"$.paths['/new-items']\", copy: \"$.paths['/items']\"}\n" +
        "- {target: \"$.paths['/items']\", remove: true}",
      after: "paths: {/new-items: {get: {}}, /some-items: {delete: {}}}",
    },
    {
      name: "a copy of the root into itself",
      before: "a: {b: 1}",
      actions: "- {target: $.a, copy: $}\n- {target: $.a.a, update: {c: 1}}",
      after: "a: {b: 1, a: {b: 1, c: 1}}",
    },
    {
      name: "a target that finds nothing is a warning",
      before: "a: 1",
      actions: "- {target: $.b, update: {}}\n- {target: $, copy: $.c}",
      after: "a: 1",
      messages: [
        "warning unmatched-target /actions/0/target The target `$.b` finds nothing.",
        "warning unmatched-target /actions/1/copy `$.c` finds nothing to copy.",
      ],
    },
    {
      name: "a copy of several values is an error",
      before: "a: 1\nb: {}",
      actions: "- {target: $.b, copy: $.*}",
      after: "a: 1\nb: {}",
      messages: ["error bad-overlay /actions/0/copy `$.*` finds 2 values; one is copied at a time."],
    },
    {
      name: "values of different kinds are errors in 1.1",
      before: "a: {b: {}, c: 1}\nd: []",
      actions: "- {target: $.a, update: {b: 1, c: {}}}\n- {target: $, update: {d: {}}}\n- {target: $.a, update: x}\n" +
        "- {target: '$[?@ != 1]', update: {}}",
      after: "a: {b: {}, c: 1}\nd: []",
      messages: [
        "error bad-overlay /actions/0/update/b 1 can't be merged with an object: remove that first.",
        "error bad-overlay /actions/0/update/c An object can't be merged with 1: remove that first.",
        "error bad-overlay /actions/1/update/d An object can't be merged with an empty list: remove that first.",
        'error bad-overlay /actions/2/update "x" can\'t be merged with an object: remove that first.',
        "error bad-overlay /actions/3/target The target finds objects and arrays; an action changes values of one kind.",
      ],
    },
    {
      name: "values of different kinds are warnings in 1.0",
      before: "a: {b: {}, c: 1}\ntags: [1]",
      actions: "- target: $\n  update:\n    a: {b: 1}\n    tags:\n",
      after: "a: {b: 1, c: 1}\ntags: [1]",
      version: "1.0.0",
      messages: [
        "warning bad-overlay /actions/0/update/a/b 1 can't be merged with an object, and replaces it.",
        "warning bad-overlay /actions/0/update/tags Null can't be merged with a list, and is ignored.",
      ],
    },
    {
      name: "anything takes the place of null",
      before: "a: {b: null}",
      actions: "- {target: $.a, update: {b: {c: []}}}",
      after: "a: {b: {c: []}}",
    },
    {
      name: "the root stays",
      before: "a: 1",
      actions: "- {target: $, remove: true}",
      after: "a: 1",
      messages: ["error bad-overlay /actions/0/target The whole definition can't be removed."],
    },
    {
      name: "names that RFC 9535 wants in brackets",
      before: "info: {x-logo: {}}\npaths: {/a: {get: {responses: {200: {}}}}}",
      actions: "- {target: $.info.x-logo, update: {url: u}}\n- {target: $.paths./a.get.responses.200, update: {d: 1}}",
      after: "info: {x-logo: {url: u}}\npaths: {/a: {get: {responses: {200: {d: 1}}}}}",
      messages: [
        "warning bad-overlay /actions/0/target RFC 9535 allows only letters, digits and `_` in a name after a dot: " +
        "write `$.info['x-logo']`.",
        "warning bad-overlay /actions/1/target RFC 9535 allows only letters, digits and `_` in a name after a dot: " +
        "write `$.paths['/a'].get.responses['200']`.",
      ],
    },
    {
      name: "a member that is called __proto__",
      before: '{"a": {}}',
      actions: '- {target: $, update: {"__proto__": {x: 1}, "a": {"__proto__": 1}}}',
      after: '{"a": {"__proto__": 1}, "__proto__": {"x": 1}}',
    },
  ];

for (const { name, before, actions, after, version, messages = [] } of CASES) {
  Deno.test(`applyOverlays(): ${name}`, async () => {
    const got = await apply(before, actions, version);
    assert.deepEqual(got, { value: load(after), messages });
  });
}

const API = `openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
paths:
  /pets:
    get:
      parameters:
        - {name: a, in: query, schema: {type: string}}
        - {name: b, in: query, schema: {$ref: "#/components/schemas/Lost"}}
      responses: {"200": {description: Pets.}}
`;

function parse(text: string, ...overlays: string[]): Promise<Document> {
  return Promise.all(overlays.map((overlay, index) => parseOverlay(overlay, { uri: `file:///o${index}.yaml` })))
    .then((overlays) => parseDocument(text, { uri: "file:///api/pets.yaml", overlays }));
}

function placesOf({ diagnostics }: Document): string[] {
  return diagnostics.map(({ uri, line, column, code, pointer }) => `${uri}:${line}:${column} ${code} ${pointer}`);
}

Deno.test("diagnostics have the place of the overlay that a value comes from", async () => {
  const document = await parse(
    API,
    overlayOf(`- target: $.paths['/pets'].get
  update:
    responses:
      "200": {content: {application/json: {schema: {$ref: "#/nowhere"}}}}
`),
    overlayOf(`- {target: "$.paths['/pets'].get", update: {callbacks: {a: {$ref: "other.yaml"}}}}`),
  );
  assert.deepEqual(placesOf(document), [
    "file:///o1.yaml:4:68 broken-reference /actions/0/update/callbacks/a/$ref",
    "file:///o0.yaml:7:60 broken-reference /actions/0/update/responses/200/content/application~1json/schema/$ref",
    "file:///api/pets.yaml:8:48 broken-reference /paths/~1pets/get/parameters/1/schema/$ref",
  ]);
  // A reference that an overlay adds is relative to the definition, not to the overlay.
  assert.deepEqual(document.missing, ["file:///api/other.yaml"]);
});

Deno.test("diagnostics of moved values have the place where these were written", async () => {
  const document = await parse(
    API,
    overlayOf(`- {target: "$..parameters[?@.name == 'a']", remove: true}
- {target: $, update: {components: {x-a: {}}}}
- {target: "$.components['x-a']", copy: "$.paths['/pets'].get.parameters[0]"}
`),
  );
  assert.deepEqual(placesOf(document), [
    "file:///api/pets.yaml:8:48 broken-reference /paths/~1pets/get/parameters/1/schema/$ref",
  ]);
  const [origin] = ["/components/x-a/schema"].map((pointer) => document.root.source.originOf?.({ pointer }));
  assert.equal(origin?.pointer, "/paths/~1pets/get/parameters/1/schema");
});

Deno.test("an overlay changes Swagger 2.0 before it is converted", async () => {
  const document = await parse(
    "swagger: '2.0'\ninfo: {title: Pets, version: '1'}\npaths: {/a: {get: {responses: {200: {description: ''}}}}}",
    overlayOf(`- target: $.paths['/a'].get.responses['200']
  update: {schema: {$ref: "#/definitions/Lost"}}
`),
  );
  assert.deepEqual(placesOf(document), [
    "file:///o0.yaml:5:28 broken-reference /actions/0/update/schema/$ref",
  ]);
});

Deno.test("parseDocument() doesn't change a definition by a broken overlay", async () => {
  const document = await parse(API, overlayOf("- {target: '$.[', update: 1}"));
  const [first] = document.diagnostics;
  assert.equal(first?.severity, "error");
  assert.equal(`${first.uri}:${first.line}:${first.column} ${first.code}`, "file:///o0.yaml:4:13 bad-overlay");
  assert.equal(document.root.source.originOf, undefined);
});

Deno.test("applyOverlays() refuses a definition that grows out of proportion", async (t) => {
  const doubling = Array.from({ length: 40 }, (_, level) => [
    `- {target: $, update: {l${level + 1}: {a: {}, b: {}}}}`,
    `- {target: $.l${level + 1}.a, copy: $.l${level}}`,
    `- {target: $.l${level + 1}.b, copy: $.l${level}}`,
  ]).flat().join("\n");
  const deep = Array.from({ length: 600 }, () => "- {target: $, update: {m: {}}}\n- {target: $.m, copy: $}").join("\n");
  const lists = Array.from({ length: 40 }, () => "- {target: $.l, copy: $.l}").join("\n");
  const cases = [
    { name: "objects", before: "l0: {x: {}}", actions: doubling, want: /has \d+e\+\d+ values; the limit is \d+\./ },
    { name: "lists", before: "l: [1]", actions: lists, want: /can't be applied: it takes too much work\./ },
    { name: "depth", before: "a: {}", actions: deep, want: /nested (?:too|more than 500) deep\./ },
  ];
  for (const { name, before, actions, want } of cases) {
    await t.step(name, async () => {
      const { value, messages } = await apply(before, actions);
      assert.match(messages.join("\n"), want);
      assert.deepEqual(value, load(before));
    });
  }
});

Deno.test("overlaidText() has the format of the definition, JSON or YAML", async () => {
  const overlay = overlayOf("- {target: $.info, update: {title: 'yes', x-n: '012', description: \"a\\nb: #c\"}}");
  const value = {
    openapi: "3.1.0",
    info: { title: "yes", version: "1", "x-n": "012", description: "a\nb: #c" },
    paths: {},
  };
  const texts = [
    { text: "openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths: {}", begins: "openapi: 3.1.0\n" },
    { text: '{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {}}', begins: "{\n" },
  ];
  for (const { text, begins } of texts) {
    const overlaid = overlaidText(await parse(text, overlay));
    assert.ok(overlaid?.text.startsWith(begins));
    assert.deepEqual((await readSource("", overlaid?.text ?? "")).source.value, value);
  }
  assert.equal(overlaidText(await parse(API)), undefined);
});
