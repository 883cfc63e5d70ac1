import assert from "node:assert/strict";
import fc from "fast-check";
import { applyOverlays } from "../../../../lib/openapi/overlay/apply_overlays.ts";
import { type Found, keysOf } from "../../../../lib/openapi/overlay/found.ts";
import { loadJsonPath, readJsonPath } from "../../../../lib/openapi/overlay/json_path.ts";
import { parseOverlay } from "../../../../lib/openapi/overlay/parse_overlay.ts";
import { Selector } from "../../../../lib/openapi/overlay/select.ts";
import { Work } from "../../../../lib/openapi/overlay/work.ts";
import { readSource } from "../../../../lib/openapi/text/source.ts";
import { loadPatternReader } from "../../../../lib/regexp/pattern.ts";
import { escapeToken, parsePointer } from "../../../../lib/schema/json/pointer.ts";
import { runs } from "../../../runs.ts";

const library = await loadJsonPath();
const readPattern = await loadPatternReader();

const KEYS = fc.constantFrom("a", "b", "/p", "~");

/** Random JSON values with few keys, so that random queries often find something. */
const { value: VALUE, object: OBJECT } = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(1, 2, "s", true),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("object"),
  ),
  object: fc.dictionary(KEYS, tie("value"), { maxKeys: 3, noNullPrototype: true }),
}));

const SEGMENT = fc.oneof(
  KEYS.map((key) => `['${key}']`),
  fc.constantFrom(".*", "..a", "..*", "[0]", "[-1]", "[1:]", "[?@.a]", "[?@ == 1]", "['a', 'b']"),
);
const QUERY = fc.array(SEGMENT, { maxLength: 3 }).map((segments) => `$${segments.join("")}`);

type Action = { target: string; update?: unknown; copy?: string; remove?: true };

const ACTION: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ target: QUERY, update: VALUE }),
  fc.record({ target: QUERY, copy: QUERY }),
  fc.record({ target: QUERY.filter((query) => query !== "$"), remove: fc.constant(true as const) }),
);

function select(query: string, value: unknown): Found[] {
  const read = readJsonPath(query, library);
  assert.equal(read.kind, "query");
  return new Selector(value, { library, readPattern, work: new Work(1_000_000) }).select(read.query);
}

type Container = Record<string, unknown>;

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}

/** The naive algorithm: applies one action by the rules of Overlay 1.0, on copies of all values. */
function applyNaively(before: unknown, { target, update, copy, remove }: Action): unknown {
  const value = structuredClone(before);
  const places = select(target, value).map(keysOf);
  if (remove) {
    const parents = places.map((keys) => ({ parent: at(value, keys.slice(0, -1)), key: keys.at(-1) ?? "" }));
    for (const { parent, key } of parents) if (isContainer(parent)) parent[key] = REMOVED;
    return JSON.parse(
      JSON.stringify(value, (_, part) => Array.isArray(part) ? part.filter((i) => i !== REMOVED) : part),
    );
  }
  const copied = copy === undefined ? [] : select(copy, before);
  if (copy !== undefined && copied.length !== 1) return before;
  const added = copy === undefined ? update : copied[0]?.value;
  for (const keys of places) {
    const parent = at(value, keys.slice(0, -1));
    // An earlier change of this action may have replaced the object or array that contained this value.
    if (at(value, keys) === undefined) continue;
    const merged = merge(at(value, keys), structuredClone(added), true);
    const last = keys.at(-1);
    if (last !== undefined && isContainer(parent)) parent[last] = merged;
  }
  return value;
}

const REMOVED = undefined;

function at(value: unknown, keys: readonly (string | number)[]): unknown {
  return keys.reduce((part: unknown, key) => isContainer(part) ? part[key] : undefined, value);
}

function merge(before: unknown, after: unknown, isTarget = false): unknown {
  if (Array.isArray(before) && (Array.isArray(after) || isTarget)) {
    before.push(...Array.isArray(after) ? after : [after]);
    return before;
  }
  if (!isContainer(before) || !isContainer(after) || Array.isArray(before) || Array.isArray(after)) return after;
  for (const [key, part] of Object.entries(after)) {
    before[key] = Object.hasOwn(before, key) ? merge(before[key], part) : part;
  }
  return before;
}

/** The scalars inside a value, with their pointers. */
function* scalarsIn(value: unknown, pointer = ""): Generator<[pointer: string, scalar: unknown]> {
  if (!isContainer(value)) yield [pointer, value];
  else for (const [key, part] of Object.entries(value)) yield* scalarsIn(part, `${pointer}/${escapeToken(key)}`);
}

Deno.test("applyOverlays() keeps the definition unchanged and finds the origin of each value, for random overlays", async () => {
  await fc.assert(
    fc.asyncProperty(OBJECT, fc.array(ACTION, { maxLength: 4 }), async (definition, actions) => {
      const { source } = await readSource("definition", JSON.stringify(definition));
      const overlay = await parseOverlay({ overlay: "1.0.0", info: { title: "T", version: "1" }, actions });
      const applied = await applyOverlays(source, [overlay]);
      const { value, originOf } = applied.source;
      // Applying an overlay must not change the parsed definition.
      assert.deepEqual(source.value, definition);
      if (applied.diagnostics.some(({ severity }) => severity === "error")) return;
      assert.deepEqual(value, JSON.parse(JSON.stringify(actions.reduce(applyNaively, definition))));
      for (const [pointer, scalar] of scalarsIn(value)) {
        const origin = originOf?.({ pointer });
        assert.ok(origin !== undefined);
        assert.equal(at(origin.source.value, parsePointer(origin.pointer)), scalar, pointer);
      }
    }),
    runs(1_000),
  );
});
