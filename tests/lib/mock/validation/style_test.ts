import assert from "node:assert/strict";
import fc from "fast-check";
import { splitCookies } from "../../../../lib/http/cookie.ts";
import { decodeQueryText, percentDecode, splitQuery } from "../../../../lib/http/url/url.ts";
import type { Parameter } from "../../../../lib/openapi/parameter.ts";
import { type NamedValue, readNamedValue } from "../../../../lib/wire/named_value.ts";
import type { ValueFormats } from "../../../../lib/wire/value_format.ts";
import { readHints } from "../../../../lib/schema/hints.ts";
import { ValidatorLoader } from "../../../../lib/wire/chooser.ts";
import {
  type Form,
  type ParameterReading,
  readLabel,
  readMatrix,
  readSimple,
} from "../../../../lib/wire/parameter_style.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { child } from "../../../../lib/schema/json/node.ts";
import { runs } from "../../../runs.ts";

/** Random texts without the characters that a style can't write inside a value. */
function texts(without: RegExp = /(?!)/): fc.Arbitrary<string> {
  // Some styles write the empty text, or the empty list, as they write an absent value.
  return fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }).filter((text) => !without.test(text));
}

function lists(without?: RegExp): fc.Arbitrary<string[]> {
  return fc.array(texts(without), { minLength: 1, maxLength: 4 });
}

function objects(without?: RegExp): fc.Arbitrary<Record<string, string>> {
  return fc.dictionary(texts(without), texts(without), { minKeys: 1, maxKeys: 4 });
}

/** Joins names and values as the expansion of RFC 6570 does. */
function join(
  members: Record<string, string>,
  separator: string,
  pair: string,
  encode: (text: string) => string = encodeURIComponent,
): string {
  return Object.entries(members).map(([name, value]) => encode(name) + pair + encode(value)).join(separator);
}

/** Percent-encodes more than `encodeURIComponent`, which leaves some delimiters as they are. */
function encodeAll(text: string): string {
  return encodeURIComponent(text).replace(/[.!'()*~_-]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}

const document = await parseDocument("openapi: 3.1.0");
const anything = readHints(document, undefined);
const queryParameter: Parameter = {
  name: "p",
  in: "query",
  required: false,
  deprecated: false,
  style: "form",
  explode: true,
  namesStyle: false,
  allowReserved: false,
  allowEmptyValue: false,
  schema: undefined,
  content: undefined,
  node: child(child(child(document.root, "components"), "parameters"), "q"),
};

function readQuery(
  query: string,
  form: Form,
  parameter: Partial<Parameter> = {},
  formats: ValueFormats = {},
): ParameterReading {
  const named: NamedValue = {
    parameter: { ...queryParameter, ...parameter },
    hints: anything,
    validators: new ValidatorLoader(),
    formats,
    others: new Set(),
    decode: decodeQueryText,
  };
  return readNamedValue(splitQuery(query), form, named);
}

/** Declares the test that values of one style are read as they were written. */
function roundTrip<Value>(name: string, values: fc.Arbitrary<Value>, read: (value: Value) => ParameterReading): void {
  Deno.test(`${name} is read as it was written`, () => {
    const comesBack = fc.property(values, (value) => {
      const reading = read(value);
      const found = reading.kind === "text" ? reading.text : reading.kind === "value" ? reading.value : reading;
      // A text whose only delimiters are percent-encoded has two readings, between which the schema decides.
      const whole = reading.kind === "text" ? reading.whole : undefined;
      const written = JSON.stringify(value);
      // fast-check may make objects without a prototype, which `deepEqual` distinguishes. JSON removes the difference.
      if (whole !== undefined && JSON.stringify(whole) === written) return;
      assert.deepEqual(JSON.parse(JSON.stringify(found)), JSON.parse(written));
    });
    fc.assert(comesBack, runs(100));
  });
}

for (const explode of [false, true]) {
  const decode = percentDecode;
  const pair = explode ? "=" : ",";
  const scalar = { form: "scalar", explode, decode } as const;
  const array = { form: "array", explode, decode } as const;
  const object = { form: "object", explode, decode } as const;
  const how = explode ? ", exploded" : "";

  roundTrip(`a text in style simple${how}`, texts(), (text) => readSimple(encodeURIComponent(text), scalar));
  roundTrip(
    `a list in style simple${how}`,
    lists(),
    (list) => readSimple(list.map(encodeURIComponent).join(","), array),
  );
  roundTrip(`an object in style simple${how}`, objects(), (members) => readSimple(join(members, ",", pair), object));

  const dot = explode ? "." : ",";
  roundTrip(`a text in style label${how}`, texts(), (text) => readLabel(`.${encodeURIComponent(text)}`, scalar));
  roundTrip(`a list in style label${how}`, lists(), (list) => readLabel(`.${list.map(encodeAll).join(dot)}`, array));
  roundTrip(
    `an object in style label${how}`,
    objects(),
    (members) => readLabel(`.${join(members, dot, pair, encodeAll)}`, object),
  );

  const again = explode ? ";p=" : ",";
  roundTrip(
    `a text in style matrix${how}`,
    texts(),
    (text) => readMatrix(`;p=${encodeURIComponent(text)}`, "p", scalar),
  );
  roundTrip(
    `a list in style matrix${how}`,
    lists(),
    (list) => readMatrix(`;p=${list.map(encodeURIComponent).join(again)}`, "p", array),
  );
  roundTrip(
    `an object in style matrix${how}`,
    objects(),
    (members) => readMatrix(explode ? `;${join(members, ";", "=")}` : `;p=${join(members, ",", ",")}`, "p", object),
  );
}

roundTrip("a text in style form", texts(), (text) => readQuery(`p=${encodeURIComponent(text)}`, "scalar"));
roundTrip(
  "a list in style form",
  lists(),
  (list) => readQuery(`p=${list.map(encodeURIComponent).join(",")}`, "array", { explode: false }),
);
roundTrip(
  "a list in style form, exploded",
  lists(),
  (list) => readQuery(`p=${list.map(encodeURIComponent).join("&p=")}`, "array"),
);
roundTrip(
  "a list as browsers encode it",
  lists(),
  (list) => readQuery(new URLSearchParams(list.map((item) => ["p", item])).toString(), "array"),
);
roundTrip(
  "an object in style form",
  objects(),
  (members) => readQuery(`p=${join(members, ",", ",")}`, "object", { explode: false }),
);
roundTrip("an object in style form, exploded", objects(), (members) => readQuery(join(members, "&", "="), "object"));

// In these styles, a percent-encoded delimiter inside a value can't be distinguished from one between values.
for (const [style, delimiter, without] of [["spaceDelimited", "%20", / /], ["pipeDelimited", "%7C", /\|/]] as const) {
  roundTrip(
    `a list in style ${style}`,
    lists(without),
    (list) => readQuery(`p=${list.map(encodeURIComponent).join(delimiter)}`, "array", { style, explode: false }),
  );
  roundTrip(
    `an object in style ${style}`,
    objects(without),
    (members) => readQuery(`p=${join(members, delimiter, delimiter)}`, "object", { style, explode: false }),
  );
}

roundTrip("an object in style deepObject", objects(/[[\]]/), (members) => {
  const pairs = Object.entries(members).map(([name, value]) =>
    `p[${encodeURIComponent(name)}]=${encodeURIComponent(value)}`
  );
  return readQuery(pairs.join("&"), "object", { style: "deepObject" });
});
roundTrip(
  "an object of lists in style deepObject",
  fc.dictionary(texts(/[[\]]/), lists(), { minKeys: 1 }),
  (members) => {
    const pairs = Object.entries(members).flatMap(([name, list]) =>
      list.map((item) => `p[${encodeURIComponent(name)}][]=${encodeURIComponent(item)}`)
    );
    return readQuery(pairs.join("&"), "object", { style: "deepObject" });
  },
);
roundTrip(
  "a list that a client writes with brackets",
  lists(),
  (list) =>
    readQuery(list.map((item) => `p[]=${encodeURIComponent(item)}`).join("&"), "array", {}, { array: "brackets" }),
);
roundTrip("an object that a client writes with dots", objects(/[.[\]]/), (members) => {
  const pairs = Object.entries(members).map(([name, value]) =>
    `p.${encodeURIComponent(name)}=${encodeURIComponent(value)}`
  );
  return readQuery(pairs.join("&"), "object", {}, { object: "dots" });
});
roundTrip(
  "an object that a client writes as JSON",
  objects(),
  (members) => readQuery(`p=${encodeURIComponent(JSON.stringify(members))}`, "object", {}, { object: "json" }),
);

Deno.test("parameter readers don't throw, for random queries, cookies and paths", () => {
  const hostile = fc.string({
    unit: fc.constantFrom("p", "[", "]", "=", "&", ";", ",", ".", "%", "4", "1", "|", '"', "é", "+"),
  });
  const isRead = fc.property(hostile, fc.constantFrom<Form>("scalar", "array", "object"), (text, form) => {
    const notation = { form, explode: true, decode: percentDecode };
    readSimple(text, notation);
    readLabel(text, notation);
    readMatrix(text, "p", notation);
    splitCookies(text);
    for (const style of ["form", "spaceDelimited", "pipeDelimited", "deepObject"] as const) {
      for (const explode of [true, false]) readQuery(text, form, { style, explode });
    }
    for (const object of ["brackets", "dots", "json", "flat"] as const) readQuery(text, form, {}, { object });
    for (const array of ["brackets", "indices", "dots", "comma"] as const) readQuery(text, form, {}, { array });
  });
  fc.assert(isRead, runs(100));
});

Deno.test("an encoded comma belongs to the value of a property where it can't separate properties", () => {
  const object = { form: "object", explode: true, decode: percentDecode } as const;
  assert.deepEqual(readSimple("a=%2C%20", object), { kind: "text", text: { a: ", " } });
  assert.deepEqual(readSimple("a=x%2Cy", object), { kind: "text", text: { a: "x,y" } });
});
