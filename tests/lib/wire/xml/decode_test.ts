import assert from "node:assert/strict";
import { readXml } from "../../../../lib/wire/xml/decode.ts";

/**
 * Texts that aren't well-formed, named by the rule that they break. Most are from the W3C XML Conformance Test Suite.
 */
const MALFORMED: [name: string, text: string, message: RegExp][] = [
  ["a processing instruction without a name", "<doc><? ?></doc>", /processing instruction/],
  ["two dashes in a comment", "<doc><!-- a comment -- another --></doc>", /comment/],
  ["three dashes at a comment's end", "<!-- a comment ending with three dashes --->\n<doc/>", /comment/],
  ["< in an attribute", '<doc a1="<foo>"></doc>', /disallowed character/],
  ["& in an attribute", '<doc a1="A & B"></doc>', /unexpected end/],
  ["an unfinished character reference", '<doc a1="&#123:"></doc>', /unexpected end/],
  ["a character reference to no character", "<doc>&#0;</doc>", /character/],
  ["]]> in text", "<doc>abc]]>def</doc>", /]]>/],
  ["a form feed in text", "<doc>A form feed (\f) is not legal in data</doc>", /disallowed character/],
  ["a form feed in a comment", "<doc><!-- a form feed (\f) --></doc>", /disallowed character/],
  ["two roots", "<doc/>\n<doc></doc>", /root/],
  ["text after the root", "<doc/>\nIllegal data", /text/],
  ["a section after the root", "<doc/>\n<![CDATA[]]>", /outside of root node/],
  ["a section before the root", "<![CDATA[]]>\n<doc/>", /outside of root node/],
  ["an entity that isn't declared", "<doc>&foo;</doc>", /undefined entity/],
  ["an entity that the text declares", '<!DOCTYPE a [<!ENTITY b "x">]><a>&b;</a>', /undefined entity/],
  ["an attribute twice", '<a b="1" b="2"/>', /duplicate attribute/],
  [
    "an attribute twice by its namespace",
    '<a xmlns:p="urn:x" xmlns:q="urn:x" p:c="1" q:c="2"/>',
    /duplicate attribute/,
  ],
  ["a prefix that isn't declared", "<a:b/>", /unbound namespace prefix/],
  ["a missing end tag", "<a>\n<b></a>", /unexpected close tag \(line 2, column 7\)/],
  ["no element", "<!-- nothing -->", /./],
  ["elements nested deeper than 500", "<a>".repeat(501) + "</a>".repeat(501), /nested more than 500 deep/],
];

for (const [name, text, message] of MALFORMED) {
  Deno.test(`readXml() refuses ${name}`, () => {
    const reading = readXml(text, { most: 1000, left: 1000 });
    assert.equal(reading.kind, "malformed");
    if (reading.kind === "malformed") assert.match(reading.message, message);
  });
}
