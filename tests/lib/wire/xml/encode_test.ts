import assert from "node:assert/strict";
import { parseMediaType } from "../../../../lib/http/media_type.ts";
import { encodeXml } from "../../../../lib/wire/xml/encode.ts";
import { readXml } from "../../../../lib/wire/xml/decode.ts";
import { fromXml } from "../../../../lib/wire/xml/value.ts";
import { readHints } from "../../../../lib/schema/hints.ts";
import { ValidatorLoader } from "../../../../lib/wire/chooser.ts";
import { contextOf } from "../context.ts";

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';

interface Case {
  name: string;
  version?: string;
  /**
   * The schema of the body. `schemas`, which replaces it, has several components, of which `Body` is the tested one.
   */
  schema?: unknown;
  schemas?: Record<string, unknown>;
  value: unknown;
  want: string;
  /** The value that is read back. Default: the written value. */
  readBack?: unknown;
}

const string = { type: "string" };
const strings = { type: "array", items: string };
const animals = ["dog", "cat", "hamster"];
const inDocument = (property: unknown) => ({
  type: "object",
  xml: { name: "document" },
  properties: { animals: property },
});

const cases: Case[] = [
  {
    name: "properties whose elements have the same name",
    schemas: {
      Body: {
        type: "object",
        properties: {
          assignee: { $ref: "#/components/schemas/User" },
          lead: { $ref: "#/components/schemas/User" },
          reviewer: { $ref: "#/components/schemas/User" },
        },
      },
      User: { type: "object", xml: { name: "user" }, properties: { key: string } },
    },
    value: { assignee: { key: "ada" }, lead: { key: "bob" }, reviewer: { key: "eve" } },
    want: "<doc><user><key>ada</key></user><user><key>bob</key></user><user><key>eve</key></user></doc>",
  },
  {
    name: "a required property whose element could be an optional one's",
    schema: {
      type: "object",
      required: ["lead"],
      properties: { assignee: { ...string, xml: { name: "user" } }, lead: { ...string, xml: { name: "user" } } },
    },
    value: { lead: "bob" },
    want: "<doc><user>bob</user></doc>",
  },
  {
    name: "an array that only the branch which isn't meant requires",
    schema: {
      type: "object",
      oneOf: [
        { required: ["url"], properties: { url: string } },
        { required: ["key", "brokers"], properties: { key: string, brokers: strings } },
      ],
    },
    value: { url: "/" },
    want: "<doc><url>/</url></doc>",
  },
  {
    name: "an array without items that the branch which is meant requires",
    schema: {
      type: "object",
      oneOf: [
        { required: ["url"], properties: { url: string } },
        { required: ["key", "brokers"], properties: { key: string, brokers: strings } },
      ],
    },
    value: { key: "a", brokers: [] },
    want: "<doc><key>a</key></doc>",
  },
  // OpenAPI 3.0.4 and 3.1.1, XML Object Examples
  {
    name: "3.1: a string property",
    schema: { type: "object", properties: { animals: string } },
    value: { animals: "dog" },
    want: "<doc><animals>dog</animals></doc>",
  },
  {
    name: "3.1: an array is not wrapped",
    schema: { type: "object", properties: { animals: strings } },
    value: { animals },
    want: "<doc><animals>dog</animals><animals>cat</animals><animals>hamster</animals></doc>",
  },
  {
    name: "3.1: name replacement",
    schema: { type: "object", properties: { animals: { ...string, xml: { name: "animal" } } } },
    value: { animals: "dog" },
    want: "<doc><animal>dog</animal></doc>",
  },
  {
    name: "3.1: attribute, prefix and namespace",
    schema: {
      type: "object",
      xml: { name: "Person" },
      properties: {
        id: { type: "integer", format: "int32", xml: { attribute: true } },
        name: { ...string, xml: { namespace: "https://example.com/schema/sample", prefix: "sample" } },
      },
    },
    value: { id: 123, name: "example" },
    want:
      '<Person id="123"><sample:name xmlns:sample="https://example.com/schema/sample">example</sample:name></Person>',
  },
  {
    name: "3.1: the name of items",
    schema: { properties: { animals: { type: "array", items: { ...string, xml: { name: "animal" } } } } },
    value: { animals: ["dog", "cat"] },
    want: "<doc><animal>dog</animal><animal>cat</animal></doc>",
  },
  {
    name: "3.1: the external name has no effect without wrapped",
    schema: {
      properties: {
        animals: { type: "array", items: { ...string, xml: { name: "animal" } }, xml: { name: "aliens" } },
      },
    },
    value: { animals: ["dog"] },
    want: "<doc><animal>dog</animal></doc>",
  },
  {
    name: "3.1: the external name has no effect on items without wrapped",
    schema: { properties: { animals: { ...strings, xml: { name: "aliens" } } } },
    value: { animals: ["dog"] },
    want: "<doc><animals>dog</animals></doc>",
  },
  {
    name: "3.1: wrapped, one name for both",
    schema: { properties: { animals: { ...strings, xml: { wrapped: true } } } },
    value: { animals: ["dog", "cat"] },
    want: "<doc><animals><animals>dog</animals><animals>cat</animals></animals></doc>",
  },
  {
    name: "3.1: wrapped, the items named",
    schema: {
      properties: {
        animals: { type: "array", items: { ...string, xml: { name: "animal" } }, xml: { wrapped: true } },
      },
    },
    value: { animals: ["dog"] },
    want: "<doc><animals><animal>dog</animal></animals></doc>",
  },
  {
    name: "3.1: wrapped, both named",
    schema: {
      properties: {
        animals: {
          type: "array",
          items: { ...string, xml: { name: "animal" } },
          xml: { name: "aliens", wrapped: true },
        },
      },
    },
    value: { animals: ["dog"] },
    want: "<doc><aliens><animal>dog</animal></aliens></doc>",
  },
  {
    name: "3.1: wrapped, the wrapper named",
    schema: { properties: { animals: { ...strings, xml: { name: "aliens", wrapped: true } } } },
    value: { animals: ["dog"] },
    want: "<doc><aliens><aliens>dog</aliens></aliens></doc>",
  },

  // OpenAPI 3.2, XML Object Examples
  {
    name: "3.2: no XML Object",
    version: "3.2.0",
    schema: inDocument(string),
    value: { animals: "dog, cat, hamster" },
    want: "<document><animals>dog, cat, hamster</animals></document>",
  },
  {
    name: "3.2: an array has node type none",
    version: "3.2.0",
    schema: inDocument(strings),
    value: { animals },
    want: "<document><animals>dog</animals><animals>cat</animals><animals>hamster</animals></document>",
  },
  {
    name: "3.2: name replacement, of an array that the schema doesn't know of",
    version: "3.2.0",
    schema: inDocument({ ...string, xml: { name: "animal" } }),
    value: { animals },
    want: "<document><animal>dog</animal><animal>cat</animal><animal>hamster</animal></document>",
  },
  {
    name: "3.2: attribute, prefix and namespace; the component names the root",
    version: "3.2.0",
    schemas: {
      Body: { $ref: "#/components/schemas/Person" },
      Person: {
        type: "object",
        properties: {
          id: { type: "integer", format: "int32", xml: { nodeType: "attribute" } },
          name: { ...string, xml: { namespace: "https://example.com/schema/sample", prefix: "sample" } },
        },
      },
    },
    value: { id: 123, name: "example" },
    want: '<Body id="123"><sample:name xmlns:sample="https://example.com/schema/sample">example</sample:name></Body>',
  },
  {
    name: "3.2: wrapped by nodeType, one name for both",
    version: "3.2.0",
    schema: inDocument({ ...strings, xml: { nodeType: "element" } }),
    value: { animals: ["dog"] },
    want: "<document><animals><animals>dog</animals></animals></document>",
  },
  {
    name: "3.2: wrapped by nodeType, both named",
    version: "3.2.0",
    schema: inDocument({
      type: "array",
      xml: { name: "aliens", nodeType: "element" },
      items: { ...string, xml: { name: "animal" } },
    }),
    value: { animals: ["dog", "cat"] },
    want: "<document><aliens><animal>dog</animal><animal>cat</animal></aliens></document>",
  },
  {
    name: "3.2: elements with attributes and text",
    version: "3.2.0",
    schema: {
      type: "array",
      xml: { nodeType: "element", name: "animals" },
      items: {
        xml: { name: "animal" },
        properties: {
          kind: { ...string, xml: { nodeType: "attribute" } },
          name: { ...string, xml: { nodeType: "text" } },
        },
      },
    },
    value: [{ kind: "Cat", name: "Fluffy" }, { kind: "Dog", name: "Fido" }],
    want: '<animals><animal kind="Cat">Fluffy</animal><animal kind="Dog">Fido</animal></animals>',
  },
  {
    name: "3.2: referenced element with CDATA, the root set at the point of use",
    version: "3.2.0",
    schemas: {
      Body: { xml: { nodeType: "element", name: "StoredDocument" }, $ref: "#/components/schemas/Documentation" },
      Documentation: {
        xml: { nodeType: "none" },
        type: "object",
        properties: { content: { ...string, contentMediaType: "text/html", xml: { nodeType: "cdata" } } },
      },
    },
    value: { content: "<html><head><title>Awesome Docs</title></head><body></body><html>" },
    want:
      "<StoredDocument><![CDATA[<html><head><title>Awesome Docs</title></head><body></body><html>]]></StoredDocument>",
  },
  {
    name: "3.2: ordered elements, and null",
    version: "3.2.0",
    schema: {
      xml: { nodeType: "element", name: "OneTwoThree" },
      type: "array",
      prefixItems: [
        { ...string, xml: { name: "One" } },
        {
          xml: { name: "Two" },
          type: "object",
          required: ["unit", "value"],
          properties: {
            unit: { ...string, xml: { nodeType: "attribute" } },
            value: { type: "number", xml: { nodeType: "text" } },
          },
        },
        { xml: { name: "Three" }, type: ["boolean", "null"] },
      ],
    },
    value: ["Some text", { unit: "cubits", value: 42 }, null],
    want: '<OneTwoThree><One>Some text</One><Two unit="cubits">42</Two>' +
      '<Three xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/></OneTwoThree>',
  },
  {
    name: "3.2: ordered elements and text",
    version: "3.2.0",
    schema: {
      xml: { nodeType: "element", name: "Report" },
      type: "array",
      prefixItems: [
        { ...string, xml: { nodeType: "text" } },
        { type: "number", xml: { name: "data" } },
        { ...string, xml: { nodeType: "text" } },
      ],
    },
    value: ["Some preamble text.", 42, "Some postamble text."],
    want: "<Report>Some preamble text.<data>42</data>Some postamble text.</Report>",
  },
  {
    name: "3.2: null as an attribute and as an element",
    version: "3.2.0",
    schema: {
      xml: { name: "product" },
      type: "object",
      required: ["count", "description", "related"],
      properties: {
        count: { type: ["number", "null"], xml: { nodeType: "attribute" } },
        rating: { ...string, xml: { nodeType: "attribute" } },
        description: string,
        related: { type: ["object", "null"] },
      },
    },
    value: { count: null, description: "Thing", related: null },
    want: "<product><description>Thing</description>" +
      '<related xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/></product>',
  },
  {
    name: "3.2: an empty object",
    version: "3.2.0",
    schema: {
      xml: { name: "product" },
      type: "object",
      properties: {
        count: { type: ["number", "null"], xml: { nodeType: "attribute" } },
        related: { type: ["object", "null"] },
      },
    },
    value: { count: 42, related: {} },
    want: '<product count="42"><related/></product>',
  },
  {
    name: "3.2: a name beside $ref counts only with a node type",
    version: "3.2.0",
    schemas: {
      Body: {
        xml: { name: "body" },
        properties: { pet: { xml: { name: "ignored" }, $ref: "#/components/schemas/Pet" } },
      },
      Pet: { type: "object", properties: { name: string } },
    },
    value: { pet: { name: "Puma" } },
    want: "<body><pet><name>Puma</name></pet></body>",
  },
  {
    name: "3.2: items of a list without a name are named by their component",
    version: "3.2.0",
    schemas: {
      Body: { type: "array", xml: { name: "pets" }, items: { $ref: "#/components/schemas/Pet" } },
      Pet: { type: "object", properties: { name: string } },
    },
    value: [{ name: "Puma" }],
    want: "<pets><Pet><name>Puma</name></Pet></pets>",
  },

  // Cases that the OpenAPI Specification leaves open.
  {
    name: "no schema",
    value: { a: 1, b: [true, "x"] },
    want: "<doc><a>1</a><b>true</b><b>x</b></doc>",
    readBack: { a: "1", b: ["true", "x"] },
  },
  { name: "a list", schema: strings, value: ["a", "b"], want: "<doc><item>a</item><item>b</item></doc>" },
  { name: "an empty list", schema: strings, value: [], want: "<doc/>" },
  {
    name: "lists within lists",
    schema: { type: "array", items: { type: "array", items: { type: "integer" } } },
    value: [[1, 2], [], [3]],
    want: "<doc><item><item>1</item><item>2</item></item><item/><item><item>3</item></item></doc>",
  },
  {
    name: "lists within the list of a property",
    schema: { properties: { rows: { type: "array", items: { type: "array", items: { type: "integer" } } } } },
    value: { rows: [[1, 2], [3]] },
    want: "<doc><rows><item>1</item><item>2</item></rows><rows><item>3</item></rows></doc>",
  },
  { name: "a number", schema: { type: "number" }, value: 1.5, want: "<doc>1.5</doc>" },
  { name: "a boolean", schema: { type: "boolean" }, value: false, want: "<doc>false</doc>" },
  { name: "an empty string", schema: string, value: "", want: "<doc/>" },
  {
    name: "null",
    schema: { type: ["string", "null"] },
    value: null,
    want: '<doc xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/>',
  },
  {
    name: "markup in text",
    schema: string,
    value: 'a < b && c > "d"',
    want: '<doc>a &lt; b &amp;&amp; c &gt; "d"</doc>',
  },
  { name: "white space in text", schema: string, value: " a\r\n\tb ", want: "<doc> a&#13;\n\tb </doc>" },
  {
    name: "markup and white space in an attribute",
    schema: { properties: { a: { ...string, xml: { attribute: true } } } },
    value: { a: "<\"'&>\t\r\n " },
    want: '<doc a="&lt;&quot;\'&amp;&gt;&#9;&#13;&#10; "/>',
  },
  {
    name: "characters that XML has no way to write",
    schema: string,
    value: "a\u0000b\u000bc\ufffed\ud800e😀",
    want: "<doc>a\ufffdb\ufffdc\ufffdd\ufffde😀</doc>",
    readBack: "a\ufffdb\ufffdc\ufffdd\ufffde😀",
  },
  {
    name: "the end of CDATA within CDATA",
    schema: { properties: { a: { ...string, xml: { nodeType: "cdata" } } } },
    value: { a: "x]]>y" },
    want: "<doc><![CDATA[x]]]]><![CDATA[>y]]></doc>",
  },
  {
    name: "keys that are no XML names",
    schema: { additionalProperties: { type: "integer" } },
    value: { "a b": 1, "2nd": 2, "": 3, "a:b": 4, "_x0020_": 5, "ключ": 6, "<&>": 7 },
    want: "<doc><a_x0020_b>1</a_x0020_b><_x0032_nd>2</_x0032_nd><_x_>3</_x_><a_x003A_b>4</a_x003A_b>" +
      "<_x005F_x0020_>5</_x005F_x0020_><ключ>6</ключ><_x003C__x0026__x003E_>7</_x003C__x0026__x003E_></doc>",
  },
  {
    name: "__proto__ as a key",
    schema: { additionalProperties: string },
    value: JSON.parse('{"__proto__": "a", "constructor": "b"}'),
    want: "<doc><__proto__>a</__proto__><constructor>b</constructor></doc>",
  },
  {
    name: "a default namespace",
    schema: { xml: { name: "pet", namespace: "urn:pets" }, properties: { name: string, id: { type: "integer" } } },
    value: { name: "Puma", id: 1 },
    want: '<pet xmlns="urn:pets"><name>Puma</name><id>1</id></pet>',
  },
  {
    name: "a prefix is declared once, where its uses meet",
    schema: {
      properties: {
        pets: { type: "array", items: { ...string, xml: { name: "pet", prefix: "p", namespace: "urn:pets" } } },
        other: { properties: { one: { ...string, xml: { prefix: "q", namespace: "urn:q" } } } },
      },
    },
    value: { pets: ["a", "b"], other: { one: "c" } },
    want:
      '<doc xmlns:p="urn:pets"><p:pet>a</p:pet><p:pet>b</p:pet><other><q:one xmlns:q="urn:q">c</q:one></other></doc>',
  },
  {
    name: "a prefix that means another namespace further down",
    schema: {
      xml: { name: "a", prefix: "p", namespace: "urn:1" },
      properties: {
        b: {
          xml: { prefix: "p", namespace: "urn:2" },
          properties: { c: { ...string, xml: { prefix: "p", namespace: "urn:1" } } },
        },
      },
    },
    value: { b: { c: "x" } },
    want: '<p:a xmlns:p="urn:1"><p:b xmlns:p="urn:2"><p:c xmlns:p="urn:1">x</p:c></p:b></p:a>',
  },
  {
    name: "a prefix without a namespace is that of an element around it",
    schema: {
      xml: { name: "a", prefix: "p", namespace: "urn:1" },
      properties: { b: { ...string, xml: { prefix: "p" } } },
    },
    value: { b: "x" },
    want: '<p:a xmlns:p="urn:1"><p:b>x</p:b></p:a>',
  },
  {
    name: "a prefix that nothing declares",
    schema: { properties: { b: { ...string, xml: { prefix: "p" } } } },
    value: { b: "x" },
    want: '<doc><p:b xmlns:p="urn:p">x</p:b></doc>',
  },
  {
    name: "a prefix within the name",
    schema: {
      xml: { name: "soap:Envelope", namespace: "urn:soap" },
      properties: { type: { ...string, xml: { name: "xsi:type", attribute: true } } },
    },
    value: { type: "x" },
    want: '<soap:Envelope xmlns:soap="urn:soap" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="x"/>',
  },
  {
    name: "an attribute of XML itself",
    schema: { properties: { "xml:lang": { ...string, xml: { attribute: true } } } },
    value: { "xml:lang": "en" },
    want: '<doc xml:lang="en"/>',
  },
  {
    name: "a namespace declaration among the data",
    schema: {
      xml: { name: "metalink", namespace: "urn:other" },
      properties: {
        xmlns: { ...string, xml: { attribute: true } },
        "xmlns:a": { ...string, xml: { attribute: true } },
        b: { ...string, xml: { prefix: "a" } },
      },
    },
    value: { xmlns: "urn:m", "xmlns:a": "urn:a", b: "x" },
    want: '<metalink xmlns="urn:m" xmlns:a="urn:a"><a:b>x</a:b></metalink>',
  },
  {
    name: "an array and an object as attributes",
    schema: {
      properties: {
        ids: { type: "array", items: { type: "integer" }, xml: { attribute: true } },
      },
    },
    value: { ids: [1, 2] },
    want: '<doc ids="1 2"/>',
  },
  {
    name: "two properties that are one attribute",
    schema: {
      properties: {
        a: { ...string, xml: { attribute: true, name: "x" } },
        b: { ...string, xml: { attribute: true, name: "x" } },
      },
    },
    value: { a: "1", b: "2" },
    want: '<doc x="1"/>',
    readBack: { a: "1" },
  },
  {
    name: "properties and XML Objects of allOf",
    schemas: {
      Body: {
        allOf: [{ $ref: "#/components/schemas/Base" }, { properties: { b: { ...string, xml: { name: "B" } } } }],
      },
      Base: { xml: { name: "base" }, properties: { a: { type: "integer", xml: { attribute: true } } } },
    },
    value: { a: 1, b: "x" },
    want: '<base a="1"><B>x</B></base>',
  },
  {
    name: "the branch of oneOf that fits",
    schemas: {
      Body: {
        type: "array",
        items: { oneOf: [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }] },
      },
      Cat: { type: "object", xml: { name: "cat" }, required: ["lives"], properties: { lives: { type: "integer" } } },
      Dog: { type: "object", xml: { name: "dog" }, required: ["bark"], properties: { bark: string } },
    },
    value: [{ bark: "loud" }, { lives: 9 }],
    want: "<doc><dog><bark>loud</bark></dog><cat><lives>9</lives></cat></doc>",
  },
  {
    name: "branches of oneOf in the list of a property",
    schemas: {
      Body: {
        properties: {
          pets: {
            type: "array",
            items: { oneOf: [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }] },
          },
        },
      },
      Cat: { type: "object", xml: { name: "cat" }, required: ["lives"], properties: { lives: { type: "integer" } } },
      Dog: { type: "object", xml: { name: "dog" }, required: ["bark"], properties: { bark: string } },
    },
    value: { pets: [{ bark: "loud" }, { lives: 9 }] },
    want: "<doc><dog><bark>loud</bark></dog><cat><lives>9</lives></cat></doc>",
  },
  {
    name: "items that only a branch of another type gives a name",
    schema: {
      properties: {
        part: {
          oneOf: [
            { type: "array", items: { type: "integer", xml: { name: "entry" } } },
            { type: "array", items: { type: "object", properties: { id: string } } },
          ],
        },
      },
    },
    value: { part: [{ id: "a" }] },
    want: "<doc><part><id>a</id></part></doc>",
  },
  {
    name: "an object whose properties stand in the object around it",
    schema: {
      properties: {
        id: { type: "integer" },
        name: { xml: { nodeType: "none" }, properties: { first: string, last: string } },
      },
    },
    value: { id: 1, name: { first: "A", last: "B" } },
    want: "<doc><id>1</id><first>A</first><last>B</last></doc>",
  },
  {
    name: "a required empty list",
    schema: { required: ["tags"], properties: { tags: strings, more: strings } },
    value: { tags: [] },
    want: "<doc/>",
  },
  {
    name: "null instead of a list",
    schema: {
      properties: {
        ids: { type: ["array", "null"], items: { type: "integer", xml: { name: "id" } } },
        tags: { type: ["array", "null"], items: string },
      },
    },
    value: { ids: null, tags: null },
    want:
      '<doc xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><ids xsi:nil="true"/><tags xsi:nil="true"/></doc>',
  },
  {
    name: "a recursive schema",
    schemas: {
      Body: {
        xml: { name: "tree" },
        type: "object",
        properties: { children: { type: "array", items: { $ref: "#/components/schemas/Body" } } },
      },
    },
    value: { children: [{ children: [{}] }, {}] },
    want: "<tree><tree><tree/></tree><tree/></tree>",
  },
  {
    name: "a petstore order",
    version: "3.0.4",
    schemas: {
      Body: {
        type: "object",
        xml: { name: "pet" },
        properties: {
          id: { type: "integer", format: "int64" },
          category: { $ref: "#/components/schemas/Category" },
          photoUrls: { type: "array", xml: { wrapped: true }, items: { ...string, xml: { name: "photoUrl" } } },
          tags: { type: "array", xml: { wrapped: true }, items: { $ref: "#/components/schemas/Tag" } },
        },
      },
      Category: { type: "object", xml: { name: "category" }, properties: { id: { type: "integer" }, name: string } },
      Tag: { type: "object", xml: { name: "tag" }, properties: { name: string } },
    },
    value: { id: 10, category: { id: 1, name: "Dogs" }, photoUrls: ["u"], tags: [{ name: "a" }, { name: "b" }] },
    want:
      "<pet><id>10</id><category><id>1</id><name>Dogs</name></category><photoUrls><photoUrl>u</photoUrl></photoUrls>" +
      "<tags><tag><name>a</name></tag><tag><name>b</name></tag></tags></pet>",
  },
];

const mediaType = parseMediaType("application/xml") ?? assert.fail();

for (const { name, version = "3.1.1", schema, schemas, value, want, readBack = value } of cases) {
  Deno.test(`encodeXml() writes ${name}, and it reads back`, async () => {
    const context = await contextOf(schemas ?? (schema === undefined ? {} : { Body: schema }), { version });
    // A component's name becomes the name of the root element. Only cases with `schemas` test that; otherwise the
    // schema is written inline.
    const bare = schemas !== undefined || context.schema === undefined ? context : await inlined(schema, version);
    const hints = readHints(bare.document, bare.schema);
    const { body } = encodeXml(value, mediaType, { document: bare.document, hints });
    assert.equal(body, DECLARATION + want);
    const reading = readXml(String(body), { most: 1000, left: 1000 });
    assert.equal(reading.kind, "document", JSON.stringify(reading));
    if (reading.kind !== "document") return;
    assert.deepEqual(fromXml(reading.root, hints, await new ValidatorLoader().load()), readBack);
  });
}

async function inlined(schema: unknown, version: string) {
  return await contextOf({}, { version, mediaTypeObject: { schema } });
}
