import assert from "node:assert/strict";
import fc from "fast-check";
import { negotiate, negotiateLoosely } from "../../../../lib/mock/answer/negotiate.ts";
import { runs } from "../../../runs.ts";

const JSON_XML_TEXT = ["application/xml", "text/plain", "application/json"];

const cases: { accept: string | null; offers?: string[]; want: string | undefined }[] = [
  // Without `Accept`: `application/json`, else the first `+json` type, else the first type.
  { accept: null, want: "application/json" },
  { accept: "", want: "application/json" },
  { accept: "*/*", want: "application/json" },
  { accept: "*", want: "application/json" },
  { accept: "nonsense", want: "application/json" },
  { accept: null, offers: ["text/html", "application/hal+json", "application/ld+json"], want: "application/hal+json" },
  { accept: null, offers: ["text/html", "text/csv"], want: "text/html" },
  {
    accept: null,
    offers: ["application/hal+json", "application/json; charset=utf-8"],
    want: "application/json; charset=utf-8",
  },

  // Weights.
  { accept: "text/plain", want: "text/plain" },
  { accept: "application/json;q=0.5, application/xml;q=0.9", want: "application/xml" },
  { accept: "application/json; q=0.5 , application/xml; q=0.9", want: "application/xml" },
  { accept: "application/xml;q=0.3, text/*;q=0.4", want: "text/plain" },
  { accept: "TEXT/PLAIN", want: "text/plain" },
  { accept: "application/json;q=0, */*", want: "application/xml" },
  { accept: "application/json;q=0, */*;q=0.1", want: "application/xml" },
  { accept: "*/*;q=0", want: undefined },
  { accept: "text/*;q=0, text/plain", want: "text/plain" },
  { accept: "image/png, */*;q=0.1", want: "application/json" },
  { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8", want: "application/xml" },

  // With equal weights, the more specific range has precedence, then the order that applies without `Accept`.
  { accept: "*/*, text/plain", want: "text/plain" },
  { accept: "text/*, application/xml", want: "application/xml" },
  { accept: "text/plain, application/xml", offers: ["application/xml", "text/plain"], want: "application/xml" },
  { accept: "text/plain, application/json", want: "application/json" },

  // Structured syntax suffixes, such as `+json`.
  { accept: "application/json", offers: ["application/problem+json"], want: "application/problem+json" },
  { accept: "application/json", offers: ["application/problem+json", "application/json"], want: "application/json" },
  { accept: "application/xml", offers: ["application/atom+xml"], want: "application/atom+xml" },
  { accept: "text/xml", offers: ["application/atom+xml"], want: "application/atom+xml" },
  { accept: "application/json", offers: ["application/atom+xml"], want: undefined },
  { accept: "application/problem+json", offers: ["application/json"], want: undefined },
  { accept: "application/hal+json", offers: ["application/problem+json"], want: undefined },

  // Parameters must agree only if the offered type has them.
  { accept: "application/json;charset=utf-8", offers: ["application/json"], want: "application/json" },
  { accept: "application/json", offers: ["application/json;charset=utf-8"], want: "application/json;charset=utf-8" },
  {
    accept: "application/json;charset=UTF-8",
    offers: ["application/json;charset=utf-8"],
    want: "application/json;charset=utf-8",
  },
  { accept: "application/json;version=1", offers: ["application/json;version=2"], want: undefined },
  {
    accept: "application/json;version=2",
    offers: ["application/json;version=1", "application/json;version=2"],
    want: "application/json;version=2",
  },
  { accept: 'text/plain;format="flowed"', offers: ["text/plain;format=flowed"], want: "text/plain;format=flowed" },

  // Media type ranges as offers.
  { accept: "image/gif", offers: ["image/*"], want: "image/gif" },
  { accept: null, offers: ["image/*"], want: "image/png" },
  { accept: "*/*", offers: ["*/*"], want: "application/json" },
  { accept: "text/csv", offers: ["*/*"], want: "text/csv" },
  { accept: "text/*", offers: ["*/*"], want: "text/plain" },
  { accept: "text/html", offers: ["image/*"], want: undefined },

  // No result: no range fits, nothing is offered, or an offered type is invalid.
  { accept: "image/png", want: undefined },
  { accept: null, offers: [], want: undefined },
  { accept: null, offers: ["json"], want: "json" },
  { accept: "application/json", offers: ["json"], want: undefined },
];

Deno.test("negotiate() chooses a media type", async (t) => {
  for (const { accept, offers = JSON_XML_TEXT, want } of cases) {
    await t.step(`${accept ?? "no Accept"} of ${offers.join(", ")} is ${want ?? "nothing"}`, () => {
      assert.equal(negotiate(accept, offers)?.mediaType, want);
    });
  }
});

const mediaTypes = ["application/json", "application/xml", "text/plain", "text/csv", "image/png"];
const range = fc.record({
  range: fc.constantFrom(...mediaTypes, "text/*", "image/*", "*/*"),
  q: fc.integer({ min: 0, max: 10 }),
});

Deno.test("negotiate() never chooses an offer that the most specific range excludes, nor less than the highest weight", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(range, { minLength: 1, maxLength: 5, selector: ({ range }) => range }),
      fc.uniqueArray(fc.constantFrom(...mediaTypes), { minLength: 1 }),
      (ranges, offers) => {
        const accept = ranges.map(({ range, q }) => `${range};q=${q / 10}`).join(",");
        const weightOf = (offer: string): number => {
          const [type] = offer.split("/");
          return [offer, `${type}/*`, "*/*"].map((key) => ranges.find(({ range }) => range === key)?.q)
            .find((q) => q !== undefined) ?? 0;
        };
        const best = Math.max(...offers.map(weightOf));
        const chosen = negotiate(accept, offers);
        if (best === 0) assert.equal(chosen, undefined);
        else assert.equal(weightOf(chosen?.mediaType ?? ""), best);
      },
    ),
    runs(500),
  );
});

Deno.test("negotiate() takes any header without an error", () => {
  const anyText = fc.property(fc.string({ unit: "binary" }), (accept) => {
    negotiate(accept, JSON_XML_TEXT);
  });
  fc.assert(anyText, runs(100));
});

Deno.test("negotiateLoosely() takes a vendor's type for the general one, if nothing else fits", () => {
  const cases: [accept: string | null, offers: string[], want: string | undefined][] = [
    ["application/vnd.github.v3+json", ["application/json"], "application/json"],
    [
      "application/vnd.github.v3+json",
      ["application/json", "application/vnd.github.v3+json"],
      "application/vnd.github.v3+json",
    ],
    [
      "application/vnd.a+xml;q=0.5, application/vnd.a+json",
      ["application/xml", "application/json"],
      "application/json",
    ],
    ["application/vnd.github.raw", ["application/json"], undefined],
    ["application/vnd.a+json, application/json;q=0", ["application/json"], undefined],
    ["text/html", ["application/json"], undefined],
    [null, ["application/json"], "application/json"],
  ];
  for (const [accept, offers, want] of cases) {
    assert.equal(negotiateLoosely(accept, offers)?.mediaType, want, accept ?? "");
  }
});
