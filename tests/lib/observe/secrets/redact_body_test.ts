import assert from "node:assert/strict";
import { parseMediaType } from "../../../../lib/http/media_type.ts";
import { redactBody } from "../../../../lib/observe/secrets/redact_body.ts";
import { createRedactor } from "../../../../lib/observe/secrets/redactor.ts";

const CASES: readonly { mediaType: string; given: string; want: string }[] = [
  { mediaType: "application/json", given: '{ "a": 1 }', want: '{ "a": 1 }' },
  { mediaType: "application/json", given: '{ "secret": "x" }\n', want: '{"secret":"REDACTED"}\n' },
  { mediaType: "application/json", given: '{ "secret": "x"', want: '{ "secret": "REDACTED"' },
  { mediaType: "application/x-ndjson", given: '{"pin":1}\n{"a":2}\n', want: '{"pin":0}\n{"a":2}\n' },
  {
    mediaType: "text/event-stream",
    given: 'event: x\ndata: {"token":"abc"}\n\ndata: hello\n\n',
    want: 'event: x\ndata: {"token":"REDACTED"}\n\ndata: hello\n\n',
  },
  {
    mediaType: "application/x-www-form-urlencoded",
    given: "user=a&pass%77ord=b+c",
    want: "user=a&pass%77ord=REDACTED",
  },
  {
    mediaType: 'multipart/form-data; boundary="x"',
    given: '--x\r\nContent-Disposition: form-data; name="password"\r\n\r\nhunter2\r\n--x\r\n' +
      'Content-Disposition: form-data; name="a"\r\nContent-Type: application/json\r\n\r\n{"secret":"s"}\r\n--x--\r\n',
    want: '--x\r\nContent-Disposition: form-data; name="password"\r\n\r\nREDACTED\r\n--x\r\n' +
      'Content-Disposition: form-data; name="a"\r\nContent-Type: application/json\r\n\r\n{"secret":"REDACTED"}\r\n--x--\r\n',
  },
  { mediaType: "text/csv", given: "name,password\r\nada,hunter2\r\n", want: "name,password\r\nada,REDACTED\r\n" },
  {
    mediaType: "application/xml",
    given: '<?xml version="1.0"?><u><Password>a<b>c</b></Password><n>x</n><k apiKey="y" z=\'1\'/></u>',
    want:
      '<?xml version="1.0"?><u><Password>REDACTED<b>REDACTED</b></Password><n>x</n><k apiKey="REDACTED" z=\'1\'/></u>',
  },
  {
    mediaType: "application/xml",
    given: "<u><db:secret><![CDATA[a<b]]></db:secret><!-- token=abc --></u>",
    want: "<u><db:secret><![CDATA[REDACTED]]></db:secret><!-- token=REDACTED --></u>",
  },
  {
    mediaType: "text/html",
    given: '<input type="password" value="hunter2"><p>x</p>',
    want: '<input type="password" value="REDACTED"><p>REDACTED</p>',
  },
  { mediaType: "text/plain", given: "password: hunter2\n", want: "password: REDACTED\n" },
  {
    mediaType: "application/yaml",
    given: "passwords:\n  - hunter2\nb: 1 # two\n",
    want: "passwords:\n  - REDACTED\nb: 1\n",
  },
  { mediaType: "application/yaml", given: "password: >\n  hunter2\n", want: "password: REDACTED\n" },
  { mediaType: "application/yaml", given: "a: &a [1]\nb: *a # x\n", want: "a: &a [1]\nb: *a # x\n" },
  { mediaType: "application/yaml", given: "db:\n  password: hunter2\n", want: "db:\n  password: REDACTED\n" },
];

for (const { mediaType: written, given, want } of CASES) {
  Deno.test(`redactBody() of ${written}: ${JSON.stringify(given.slice(0, 40))}`, () => {
    const mediaType = parseMediaType(written);
    assert.ok(mediaType);
    assert.equal(redactBody(given, mediaType, createRedactor()), want);
  });
}

const HOSTILE = ["<a ", "<a b='", "<!--", "<![CDATA[", "<a><b ", '"', '<a b="c" ', "<".repeat(3), " ".repeat(10)];
for (const text of HOSTILE) {
  Deno.test(`redactBody() of XML takes linear time: ${JSON.stringify(text)}`, () => {
    const mediaType = parseMediaType("text/xml");
    assert.ok(mediaType);
    redactBody(`<a>${text.repeat(Math.floor(300_000 / text.length))}`, mediaType, createRedactor());
  });
}
