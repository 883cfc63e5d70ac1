import assert from "node:assert/strict";
import { SaxesParser } from "saxes";
import { Coverage } from "../../../../lib/observe/report/coverage.ts";
import { formatJson } from "../../../../lib/observe/report/format_json.ts";
import { formatJunit } from "../../../../lib/observe/report/format_junit.ts";
import { formatMarkdown } from "../../../../lib/observe/report/format_markdown.ts";
import type { Summary } from "../../../../lib/observe/report/summary.ts";
import { exchange, type Given, parseTodo, TODO, violation } from "./exchanges.ts";

const RUN = { command: "gw proxy", started: "2026-11-22T20:00:00.123Z", seconds: 1.5 };

const LIMIT = violation("query.limit", "maximum", "Request query parameter limit must be <= 100.");
const TYPE = violation("response.body.0.id", "type", "Response body property 0.id must be `integer`.");

const GIVEN: readonly Given[] = [
  { operation: "GET /todos", body: [] },
  {
    operation: "GET /todos",
    request: "GET /todos?limit=500",
    body: [{ id: "a" }],
    requestViolations: [LIMIT],
    responseViolations: [TYPE],
  },
  { operation: "POST /todos", status: 201 },
  { request: "GET /todoz", status: 404 },
];

async function summarize(given: readonly Given[]): Promise<Summary> {
  const document = await parseTodo();
  const other = await parseTodo(TODO.replaceAll("todos", "pets"));
  const coverage = new Coverage();
  for (const one of given) coverage.observe(exchange(document, one));
  return coverage.summarize([
    { name: "todo.yaml", document },
    { name: "pets & co.yaml", document: { ...other, uri: "file:///pets.yaml" } },
  ]);
}

Deno.test("formatJson() writes the run and the summary", async () => {
  const summary = await summarize(GIVEN);
  assert.deepEqual(JSON.parse(formatJson(summary, RUN)), { version: 1, ...RUN, ...summary });
});

Deno.test("formatJunit() writes a suite for each definition and a case for each operation", async () => {
  assert.equal(
    formatJunit(await summarize(GIVEN), RUN),
    `<?xml version="1.0" encoding="UTF-8"?><testsuites name="gw proxy" tests="6" failures="1" errors="0" time="1.500">
<testsuite name="todo.yaml" tests="3" failures="1" errors="0" skipped="1" time="1.500" timestamp="2026-11-22T20:00:00">
<testcase name="GET /todos" classname="todo.yaml" time="0">
<failure message="2 violations: Request query parameter limit must be &lt;= 100." type="maximum">once: Request query parameter limit must be &lt;= 100.
  first: GET /todos?limit=500 200: limit=500
once: Response body property *.id must be \`integer\`.
  first: GET /todos?limit=500 200: "a"</failure>
<system-out>Responses: 200 application/json (2)</system-out></testcase>
<testcase name="POST /todos" classname="todo.yaml" time="0">
<system-out>Responses: 201 (1)</system-out></testcase>
<testcase name="PUT /resets/{token}" classname="todo.yaml" time="0">
<skipped message="It was not asked."/></testcase>
<system-out>4 requests, to 2 of 6 operations. 1 request and 1 response violate the definition. 1 request fit no operation.
  GET /todoz 404 (1)</system-out></testsuite>
<testsuite name="pets &amp; co.yaml" tests="3" failures="0" errors="0" skipped="3" time="1.500" timestamp="2026-11-22T20:00:00">
<testcase name="GET /pets" classname="pets &amp; co.yaml" time="0">
<skipped message="It was not asked."/></testcase>
<testcase name="POST /pets" classname="pets &amp; co.yaml" time="0">
<skipped message="It was not asked."/></testcase>
<testcase name="PUT /resets/{token}" classname="pets &amp; co.yaml" time="0">
<skipped message="It was not asked."/></testcase></testsuite></testsuites>
`,
  );
});

Deno.test("formatJunit() writes well-formed XML for any text, with correct counts", async () => {
  const hostile = violation("body.\u0000<x>", "]]>", "It's \u0000\u001b[2J <b>&\ud800 ]]> wrong.\r\n");
  const warning = { ...violation("query.a", "deprecated", "a is deprecated."), severity: "Warning" as const };
  const xml = formatJunit(
    await summarize([
      { operation: "GET /todos", request: 'GET /todos?<&">', requestViolations: [hostile], unchecked: "Too large." },
      { operation: "POST /todos", requestViolations: [warning] },
    ]),
    RUN,
  );
  const counted: Record<string, number> = {};
  const declared: Record<string, number> = {};
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, attributes }) => {
    counted[name] = (counted[name] ?? 0) + 1;
    if (name !== "testsuite") return;
    for (const [key, value] of Object.entries(attributes)) declared[key] = (declared[key] ?? 0) + Number(value);
  });
  parser.write(xml).close();
  assert.equal(counted.testcase, declared.tests);
  assert.equal(counted.failure, declared.failures);
  assert.equal(counted.failure, 1);
  assert.equal(counted.skipped, declared.skipped);
  assert.match(xml, /1 body not checked\. Too large\./);
  assert.match(xml, /once, as a warning: a is deprecated\./);
});

Deno.test("every format reports requests without a response of the upstream, JUnit as an error", async () => {
  const failure = "The upstream <http://h> can't be reached.";
  const summary = await summarize([
    { operation: "GET /todos", body: [] },
    { operation: "GET /todos", status: 502, failure, requestViolations: [LIMIT] },
    { operation: "POST /todos", status: 502, failure },
  ]);
  const xml = formatJunit(summary, RUN);
  assert.match(xml, /^<\?xml .*<testsuites name="gw proxy" tests="6" failures="1" errors="2" /);
  assert.match(xml, /<testsuite name="todo.yaml" tests="3" failures="1" errors="2" /);
  assert.ok(xml.includes(`<testcase name="POST /todos" classname="todo.yaml" time="0">
<error message="1 request got no response of the upstream." type="no-response">The upstream &lt;http://h&gt; can't be reached.</error>
<system-out>Responses: no response (1)</system-out></testcase>`));
  assert.match(xml, /<error [^]*<failure [^]*<system-out>Responses: 200 application\/json \(1\), no response \(1\)</);
  const markdown = formatMarkdown(summary, RUN);
  assert.match(markdown, /1 request violates the definition\. 2 requests got no response of the upstream\. From /);
  assert.match(markdown, /^First without a response: The upstream \\<http:\\\/\/h\\> can't be reached\.$/m);
  assert.match(markdown, /^\| `GET \/todos` \| 2 \| `200 application\/json` 1, no response 1 \|/m);
  assert.deepEqual(JSON.parse(formatJson(summary, RUN)), { version: 1, ...RUN, ...summary });
});

/**
 * The elements and attributes that gw writes, with the parents that the schema allows for them. Jenkins validates
 * reports by this schema, junit-10.xsd.
 */
const JUNIT: Readonly<Record<string, { in: string[]; attributes: string[] }>> = {
  "testsuites": { in: [""], attributes: ["name", "tests", "failures", "errors", "time"] },
  "testsuite": {
    in: ["testsuites"],
    attributes: ["name", "tests", "failures", "errors", "skipped", "time", "timestamp"],
  },
  "testcase": { in: ["testsuite"], attributes: ["name", "classname", "time"] },
  "failure": { in: ["testcase"], attributes: ["message", "type"] },
  "error": { in: ["testcase"], attributes: ["message", "type"] },
  "skipped": { in: ["testcase"], attributes: ["message"] },
  "system-out": { in: ["testcase", "testsuite"], attributes: [] },
};

Deno.test("formatJunit() writes XML that is valid against the schema of Jenkins", async () => {
  const parser = new SaxesParser();
  const open: string[] = [];
  parser.on("opentag", ({ name, attributes }) => {
    const allowed = JUNIT[name];
    assert.ok(allowed !== undefined && allowed.in.includes(open.at(-1) ?? ""), `${name} in ${open.at(-1)}`);
    assert.deepEqual(Object.keys(attributes), allowed.attributes);
    for (const key of ["tests", "failures", "errors", "skipped"]) assert.match(String(attributes[key] ?? 0), /^\d+$/);
    assert.match(String(attributes.time ?? "0"), /^\d+(?:\.\d+)?$/);
    assert.match(String(attributes.timestamp ?? RUN.started.slice(0, 19)), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    open.push(name);
  });
  parser.on("closetag", () => open.pop());
  const failing = { operation: "POST /todos", status: 502, failure: "The upstream is away." };
  parser.write(formatJunit(await summarize([...GIVEN, failing]), RUN)).close();
});

Deno.test("formatMarkdown() writes tables that CI systems show", async () => {
  assert.equal(
    formatMarkdown(await summarize(GIVEN), RUN),
    `# Report of gw proxy

4 requests, to 2 of 6 operations. 1 request and 1 response violate the definition. 1 request fit no operation. From 2026-11-22T20:00:00.123Z, for 1.5 s.

## Operations

| operation | requests | responses | not seen | violations |
| --- | ---: | --- | --- | ---: |
| \`GET /todos\` | 2 | \`200 application/json\` 2 | \`404\`, \`4XX\` | 2 |
| \`POST /todos\` | 1 | \`201\` 1 | \`default\` | 0 |

## Violations

### \`GET /todos\`

- once: Request query parameter limit must be \\<= 100.
  First: \`GET /todos?limit=500\` 200: \`limit=500\`
- once: Response body property \\*.id must be \`integer\`.
  First: \`GET /todos?limit=500\` 200: \`"a"\`

## Not asked

- \`PUT /resets/{token}\`
- \`GET /pets\`
- \`POST /pets\`
- \`PUT /resets/{token}\`

## Requests to no operation

| request | status | times |
| --- | ---: | ---: |
| \`GET /todoz\` | 404 | 1 |
`,
  );
});

Deno.test("formatMarkdown() escapes markup in texts", async () => {
  const wrong = violation("query.a", "x", "Wrong: `|` <img src=x> [a](http://b) *c* ``` \n# d");
  const text = formatMarkdown(
    await summarize([
      { operation: "GET /todos", request: "GET /todos?a=|`x`", requestViolations: [wrong] },
      { request: "GET /a|b``c", status: 404 },
    ]),
    RUN,
  );
  const markup = text.split("\n").filter((line) => /^(?:- once|\s+First)|b``c/.test(line));
  assert.deepEqual(markup, [
    "- once: Wrong: '\\|' \\<img src=x\\> \\[a\\](http:\\//b) \\*c\\* '''  \\# d",
    "  First: `` GET /todos?a=|`x` `` 200: `` a=|`x` ``",
    "| ```GET /a\\|b``c``` | 404 | 1 |",
  ]);
});
