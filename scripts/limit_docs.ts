/**
 * Generates docs/limits.md from constants of the program, for `deno task docs`.
 *
 * @module
 */
import { ROWS } from "../tests/gateways/rows.ts";

export const LIMITS_PAGE = new URL("../docs/limits.md", import.meta.url);

const ROOT = new URL("../", import.meta.url);

/** A row of the table: what is limited, the constant with the limit, its unit, and what happens beyond the limit. */
type Row = readonly [what: string, constant: `${string}.ts ${string}`, unit: keyof typeof UNITS, beyond: string];

const UNITS = {
  "": (value: number) => value.toLocaleString("en-US"),
  B: (value: number) => value % MIB === 0 ? `${value / MIB} MiB` : `${value.toLocaleString("en-US")} bytes`,
  KiB: (value: number) => `${value / 1024} KiB`,
  characters: (value: number) => `${value.toLocaleString("en-US")} characters`,
  ms: (value: number) => value % 1000 === 0 ? `${value / 1000} s` : `${value} ms`,
} as const;

const MIB = 1024 * 1024;

const TABLES: Readonly<Record<string, readonly Row[]>> = {
  "Definitions": [
    ["a text: definition, overlay, referred file", "lib/openapi/reading.ts LIMITS.bytes", "B", "refused"],
    [
      "texts of a definition: its own, overlays, and those that it refers to",
      "lib/openapi/reading.ts LIMITS.texts",
      "",
      "not read",
    ],
    ["these texts together", "lib/openapi/reading.ts LIMITS.allBytes", "B", "not read"],
    ["nesting of objects and arrays", "lib/openapi/reading.ts LIMITS.depth", "", "refused"],
    [
      "values after YAML aliases are expanded, if that is more than ten for each character",
      "lib/openapi/reading.ts LIMITS.values",
      "",
      "refused",
    ],
    ["length of a key", "lib/openapi/reading.ts LIMITS.key", "characters", "refused"],
    ["syntax errors of a text that are reported", "lib/openapi/reading.ts LIMITS.syntaxErrors", "", "left out"],
    ["broken references that are reported", "lib/openapi/document.ts MOST_BROKEN", "", "left out"],
    ["problems that a deployment collects", "lib/gateway/check_deployment.ts MOST_PROBLEMS", "", "left out"],
    ["problems that `gw deploy` prints", "cmd/io/terminal/report.ts MOST_SHOWN", "", "counted"],
    [
      "steps of overlays; a written value counts as 20",
      "lib/openapi/overlay/apply_overlays.ts OVERLAY_LIMITS.steps",
      "",
      "refused",
    ],
    ["time for a definition by URL", "cmd/io/files/read.ts TIMEOUT", "ms", "not loaded; `--poll` tries again"],
    ["time for all texts that a definition refers to", "cmd/io/files/definition.ts TIMEOUT", "ms", "not read"],
    ["redirects to a definition", "cmd/io/files/read.ts MOST_REDIRECTS", "", "not loaded"],
    ["conditions of a path key", "lib/openapi/path_condition.ts MOST_CONDITIONS", "", "refused"],
    [
      "pattern of `upstream.rewrite`",
      "lib/openapi/extension/rewrite_pattern.ts MOST.characters",
      "characters",
      "refused",
    ],
  ],
  "Requests and answers of gw mock": [
    [
      "body of a request to a mocked operation",
      "lib/mock/engine.ts MOST_BODY",
      "B",
      "413, or a remark in the log",
    ],
    [
      "bodies of all requests while they are read",
      "lib/http/limits/body_limits.ts MOST_BODIES",
      "B",
      "503, `Retry-After`",
    ],
    ["time between two parts of a body", "lib/http/limits/body_limits.ts MOST_SILENCE", "ms", "408"],
    ["values of a body, in any format", "lib/wire/body.ts MOST_VALUES", "", "413, or a remark in the log"],
    ["fields of a form", "lib/wire/nested_name.ts MOST_FIELDS", "", "refused, or a remark in the log"],
    ["levels of a nested name, such as `a[b][c]`", "lib/wire/nested_name.ts MOST_LEVELS", "", "not read"],
    [
      "body of a request or response that `gw proxy` checks",
      "lib/observe/relay/limits.ts MOST_RELAYED_BODY",
      "B",
      "not checked",
    ],
    [
      "content codings on top of each other",
      "lib/http/content_coding.ts MOST_CODINGS",
      "",
      "refused, if to be checked",
    ],
    ["items of a generated array", "lib/mock/generate/array.ts MOST_ITEMS", "", "not generated: 500 problem"],
    [
      "`array-size` of a page of another site",
      "lib/mock/answer_operation.ts MOST_FOREIGN_ITEMS",
      "",
      "cut to this, with a remark in the log",
    ],
    [
      "length of a generated text",
      "lib/mock/generate/text.ts LONGEST_TEXT",
      "characters",
      "not generated: 500 problem",
    ],
    ["steps for one generated body", "lib/mock/generate/generate.ts MOST_WORK", "", "500 problem with the reason"],
    ["violations of a value that are reported", "lib/schema/document_validator.ts MOST_VIOLATIONS", "", "left out"],
    [
      "JSON text in a string that is checked",
      "lib/schema/json/json_content.ts LONGEST_JSON_CONTENT",
      "characters",
      "not checked",
    ],
    [
      "a `pattern` that is matched in linear time",
      "lib/regexp/parse.ts LONGEST_PATTERN",
      "characters",
      "may accept too much",
    ],
    ["a `pattern` that is parsed", "lib/regexp/parse.ts LONGEST_PARSED", "characters", "accepts all texts"],
    ["groups of a `pattern`", "lib/regexp/parse.ts MOST_GROUPS", "", "accepts all texts"],
    ["groups in each other in a `pattern`", "lib/regexp/parse.ts DEEPEST", "", "accepts all texts"],
    [
      "steps for the `pattern`s of a definition that are hard to match",
      "lib/regexp/pattern.ts MATCHING.shared",
      "",
      "may accept too much",
    ],
    ["header `x-gw-violations`", "lib/mock/validation/error_response.ts MOST_BYTES", "KiB", "shortened"],
    ["callbacks at once", "cmd/io/callbacks.ts MOST_AT_ONCE", "", "wait"],
    ["callbacks that wait", "cmd/io/callbacks.ts MOST_WAITING", "", "left out"],
    ["time for requests in flight at SIGTERM", "cmd/io/lifecycle.ts GRACE", "ms", "cut off"],
  ],
  "State, sessions, rules": [
    [
      "items that a session has written; `--state-limit items=N`",
      "lib/mock/state/store/limits.ts DEFAULT_LIMITS.items",
      "",
      "507",
    ],
    ["memory of these items; `bytes=N`", "lib/mock/state/store/limits.ts DEFAULT_LIMITS.bytes", "B", "507"],
    ["items of all sessions; `allItems=N`", "lib/mock/state/store/limits.ts DEFAULT_LIMITS.allItems", "", "507"],
    ["memory of all sessions; `allBytes=N`", "lib/mock/state/store/limits.ts DEFAULT_LIMITS.allBytes", "B", "507"],
    ["length of an id; `idLength=N`", "lib/mock/state/store/limits.ts DEFAULT_LIMITS.idLength", "characters", "507"],
    [
      "initial items that a list of all parents shows",
      "lib/mock/state/store/initial_states.ts MOST_LISTED",
      "",
      "those of the first parents",
    ],
    ["items of a session's snapshots; `items=N`", "lib/mock/state/store/limits.ts DEFAULT_LIMITS.items", "", "507"],
    ["memory of a session's snapshots; `bytes=N`", "lib/mock/state/store/limits.ts DEFAULT_LIMITS.bytes", "B", "507"],
    ["snapshots of a session; `snapshots=N`", "lib/mock/state/store/limits.ts DEFAULT_LIMITS.snapshots", "", "507"],
    [
      "snapshots of all sessions; `allSnapshots=N`",
      "lib/mock/state/store/limits.ts DEFAULT_LIMITS.allSnapshots",
      "",
      "507",
    ],
    ["rules that a session adds; `rules=N`", "lib/mock/state/store/limits.ts DEFAULT_LIMITS.rules", "", "507"],
    ["rules of all sessions; `allRules=N`", "lib/mock/state/store/limits.ts DEFAULT_LIMITS.allRules", "", "507"],
    [
      "JSON of the rules of all sessions; `allRuleBytes=N`",
      "lib/mock/state/store/limits.ts DEFAULT_LIMITS.allRuleBytes",
      "B",
      "507",
    ],
    ["sessions; `--sessions N`", "lib/mock/session/sessions.ts MOST_SESSIONS", "", "the least recently used go"],
    [
      "sessions that only pages of other sites have used",
      "lib/mock/session/sessions.ts MOST_FOREIGN_SESSIONS",
      "",
      "the least recently used of them go",
    ],
    ["name of a session", "lib/mock/session/session_name.ts LONGEST_NAME", "characters", "400"],
    ["file of `--state`", "cmd/io/files/state_file.ts MOST_BYTES", "B", "not read"],
    ["operations of a JSON Patch", "lib/mock/state/item/json_patch.ts MOST_OPERATIONS", "", "refused"],
    ["a delay", "lib/mock/rules/delay.ts MOST_DELAY", "ms", "cut to this; by a flag refused"],
    ["steps of a sequence", "lib/openapi/extension/rule.ts MOST_STEPS", "", "refused"],
    ["`x-svc.mocking.faults` of an operation", "lib/openapi/extension/rule.ts MOST_FAULTS", "", "refused"],
    ["a rule in words", "lib/mock/rules/parse_rule.ts LONGEST", "characters", "refused"],
    [
      "requests in the journal; `--journal N`",
      "lib/mock/journal/limits.ts DEFAULT_JOURNAL_LIMITS.most",
      "",
      "the oldest go",
    ],
    [
      "memory of all journals; `--journal-memory`",
      "lib/mock/journal/limits.ts DEFAULT_JOURNAL_LIMITS.bytes",
      "B",
      "the oldest go",
    ],
    ["a recorded body", "lib/mock/journal/limits.ts DEFAULT_JOURNAL_LIMITS.body", "KiB", "cut off"],
    ["body of a request to the control API", "lib/mock/control/content.ts MOST_CONTENT", "B", "413"],
    ["values of such a body", "lib/mock/control/content.ts MOST_CONTROL_VALUES", "", "413"],
    ["listeners of a journal", "lib/mock/journal/limits.ts MOST_LISTENERS", "", "refused"],
    ["listeners of all journals", "lib/mock/journal/limits.ts MOST_ALL_LISTENERS", "", "refused"],
    ["requests that wait for a slow listener", "lib/mock/journal/limits.ts MOST_WAITING", "B", "counted"],
    ["requests that wait for all listeners", "lib/mock/journal/limits.ts MOST_ALL_WAITING", "B", "counted"],
  ],
  "Upstreams, recordings, reports": [
    ["copies of all bodies that `gw proxy` checks", "lib/observe/relay/limits.ts MOST_COPIES", "B", "not checked"],
    ["uploads that are passed on fast", "cmd/io/upstream/fast_uploads.ts MOST_FAST", "", "wait"],
    ["time between two parts of one; `qos.idle_timeout`", "lib/http/url/upstream.ts LONGEST_SILENCE", "ms", "408"],
    ["header fields of a response", "cmd/io/upstream/response_head.ts MOST_FIELDS", "", "502"],
    ["informational responses before a response", "cmd/io/upstream/client.ts MOST_INFORMATIONAL", "", "502"],
    ["a WebSocket message, either way", "cmd/io/upstream/websocket_memory.ts MOST_MESSAGE", "B", "cut off"],
    [
      "incomplete and unread messages of all WebSockets",
      "cmd/io/upstream/websocket_memory.ts MOST_MESSAGES",
      "B",
      "the largest are cut off",
    ],
    ["all recorded bodies", "lib/observe/record/recording.ts MOST_CHARACTERS", "characters", "left out"],
    [
      "examples of a status and media type; `--record-examples N`",
      "lib/observe/record/recorded_answer.ts DEFAULT_EXAMPLES",
      "",
      "the most different stay",
    ],
    ["a recorded body", "lib/observe/record/read_response.ts MOST_RECORDED_BODY", "B", "left out"],
    ["operations of a report", "lib/observe/report/coverage.ts MOST_OPERATIONS", "", "left out"],
    [
      "different violations of an operation in a report",
      "lib/observe/report/coverage.ts MOST_VIOLATIONS.operation",
      "",
      "counted",
    ],
    ["different responses of an operation in a report", "lib/observe/report/coverage.ts MOST_RESPONSES", "", "counted"],
    ["requests to no operation in a report", "lib/observe/report/coverage.ts MOST_UNMATCHED", "", "counted"],
  ],
  "Gateways": [
    ["body that is checked", "lib/gateway/embedded/request_check.ts MOST_BODY", "B", "413"],
    ["steps of `upstream.rewrite` for a path", "lib/gateway/embedded/rewrite.ts MOST_STEPS", "", "414"],
    [
      "body of a request that is sent again; in a cluster Envoy's buffer, 32 KiB by default",
      "lib/gateway/embedded/proxy.ts MOST_KEPT",
      "KiB",
      "not sent again",
    ],
    ["pause before a request is sent again", "lib/gateway/embedded/proxy.ts LONGEST_PAUSE", "ms", "cut to this"],
    ["retries without a warning", "lib/mock/lint/check_gateway_use.ts MOST_RETRIES", "", "a warning"],
    ["time for `auth.custom`", "lib/gateway/embedded/custom_auth.ts TIMEOUT", "ms", "503"],
    ["keys of `jwks_uri`", "lib/gateway/embedded/jwks.ts MOST_BYTES", "B", "not used"],
    ["items of a page of the management API", "lib/management/page.ts MOST_ITEMS", "", "400"],
  ],
  "In a cluster": [
    ["definition that is stored as it is", "lib/cluster/definition_text.ts MOST_PLAIN_BYTES", "KiB", "compressed"],
    ["compressed definition", "lib/cluster/crds/api_schema.ts MOST_PACKED", "characters", "refused"],
    ["path", "lib/cluster/translate/path_match.ts LONGEST_PATH", "characters", "refused"],
    ["body that Envoy has gw check", "lib/cluster/translate/ext_auth.ts MOST_CHECKED_BODY", "B", "413"],
  ],
};

const PROSE = `## What gw doesn't do

### gw mock and gw proxy

- \`gw mock\` checks that a request has credentials, not that they are valid.
- State is bound where a definition shows what an operation does: \`gw resources\` prints what isn't bound, and why. What
  only prose says (a state machine, a quota, a price) isn't known; rules and \`x-svc.mocking.resource\` help.
- \`gw proxy\` passes no WebSockets on. A recording has no binary bodies, and can't tell answers apart that depend on a
  credential or on the time. Conditions of a path are looked for in queries and headers, not in the body of a form.
- As a gateway, \`gw mock\` doesn't apply \`x-svc\` settings other than mocking, disabled, redirect and path.prefix: hosts, rate
  limits and the like need \`gw serve\`.
- Values of \`pattern\` are ECMAScript regular expressions; a malformed one is ignored. On long texts, patterns with
  look-behind, word boundaries or back-references may accept too much. The JavaScript engine compiles and matches a
  pattern only if both take little time for certain; gw matches others itself. A pattern that takes too long for gw too
  accepts all texts; \`gw validate\` warns of those that it can tell without a text (\`unmatched-pattern\`).
- Of a value with more than 5,000 parts only the first violation is reported, and of a definition only 20 examples that
  don't fit.
- The limits of bodies hold before and after their content coding is undone: gzip, deflate, and up to three of them on
  top of each other. A body that must be checked is refused in any other coding.
- \`gw deploy\` doesn't bundle definitions whose schemas have \`$id\` or \`$anchor\`.

### Connections

- Requests to upstreams are HTTP/1.1. A malformed response becomes a 502, and so does a response with a head over 64
  KiB, or with an unexpected \`100 Continue\`. A 205 is answered as 204, as \`Deno.serve\` writes a 205 without a length.
  Trailers are dropped in both directions, and a GET or HEAD goes on without its body. \`HTTP_PROXY\`, \`HTTPS_PROXY\`,
  \`ALL_PROXY\` and \`NO_PROXY\` hold for upstreams, not for WebSockets.
- The limits of bodies hold for all servers of a process together: mocks, gateways, control API and management API. A
  body that is streamed to an upstream isn't counted. The management API waits 60 s for the whole body of a request.
- \`Deno.serve\` has no time limit for a half-sent head, and keeps the connection of a half-sent body until the client
  closes it, also after a 408 or 503. Clients can hold connections open this way: put a server with such limits in front
  of a \`--host\` that other machines reach.
- \`Deno.upgradeWebSocket\` has no limit for the fragments of a message, and accepts frames that aren't masked (RFC 6455,
  section 5.1). gw measures what clients have sent by the kernel's counters, on Linux only, so that on other systems the
  limits of WebSockets hold for messages of upstreams only.
- \`Deno.serve\` of Deno 2.9.6 answers a request that has \`Upgrade\` and a \`Content-Length\`, be it 0, with 400, before gw
  sees it. Java's \`HttpClient\` sends such requests unless it is told \`HttpClient.Version.HTTP_1_1\`.
- \`Deno.serve\` doesn't tell the version of a request. So HTTP/1.1 without \`Host\` is answered like HTTP/1.0, instead of
  400 (RFC 9112, section 3.2).

### Rewrites

\`x-svc.upstream.rewrite\` takes RE2 patterns of at most 1,000 characters and 1,000 instructions. Patterns with look-around
or back-references that an earlier version deployed are kept, for paths on which backtracking is quick.

### Clusters

- In a cluster, hosts and paths have no owners: everyone who may create APIs on a fleet can take a path below another
  API's template. Give teams that don't trust each other fleets of their own, with \`allowedNamespaces\`. An upstream may
  be any address that isn't loopback or link-local.
- Envoy and the embedded gateway differ. Envoy doesn't fall back from an API of a specific host to APIs of any host, and
  counts rate limits for each rule and proxy. Beside the open paths \`/a/b\` and \`/a\` of an API, \`/a%2Fb\` and \`/a;x\`
  reach a static route through Envoy; the embedded gateway answers them 404. Where \`/a/b\` is protected or disabled, both
  refuse them. Envoy resolves \`/x/..;v/a\` to \`/a\`; the embedded gateway answers it 400.
- Envoy's \`Location\` of a \`redirect\` that changes only the path has scheme and host too, those of the request.
- \`qos.request_timeout\` is the time to the head of the response, over all attempts. Envoy Gateway has only a limit of
  the whole response, so there it cuts a longer download or event stream too; by default there is none. Envoy ends
  WebSockets on which nothing comes for \`qos.idle_timeout\`, pings included. The embedded gateway doesn't, since the
  runtime shows it no pings of clients: it pings clients itself, and ends WebSockets whose client doesn't answer. In both,
  a WebSocket stays open whose client or server pings at least that often.
- The proxies that \`--trusted-proxy\` names are the only ones that the embedded gateway believes. With
  \`spec.trustedProxies\` of a fleet, Envoy believes \`X-Forwarded-Proto\` of every client.
- A private certificate authority of an upstream has no key in \`x-svc\`. On a laptop, \`DENO_CERT=ca.pem gw serve\` or
  \`NODE_EXTRA_CA_CERTS=ca.pem\` trusts it. In a cluster \`upstream.host\` with \`tls\` trusts the authorities of the
  proxy's system; name the server as \`upstream.service\`, and give the Service a BackendTLSPolicy of the Gateway API.
- \`cache\` in a cluster: Envoy's routes add a header or replace it, and can't compare it with the upstream's. So it is
  added behind the upstream's \`Cache-Control\`, whose \`no-store\`, \`no-cache\`, \`private\` and \`max-age\` stay in force,
  since caches take the first of repeated directives (RFC 9111, section 4.2.1). Unlike the embedded gateway, Envoy also
  keeps a longer \`max-age\` of the upstream, and adds the header to responses with a cookie and to refusals and errors.
- \`auth.oauth2\` in a cluster: Envoy Gateway signs all sessions with one key and names only the host in them. So logins
  on one host of a fleet must have the same \`issuer\` and \`client_id\`, or \`auth.jwt\` with \`audiences\` beside
  \`forward_access_token: true\`; across fleets only the latter helps. Envoy always passes the access and ID tokens to the
  upstream in cookies. Envoy checks that the certificates of \`jwks_uri\` and of the provider come from a trusted
  authority, but not their host names.
- The tests of the manifests have a real API server and real programs, but no kubelet: images and security contexts
  were tried [by hand only](cluster.md#requirements), autoscalers and ServiceMonitors not at all.

### The library

\`fetch\` of Node.js doesn't let \`loadDocument()\` choose the address of a host name, as the commands do. So a definition
by URL can refer to this machine or to its network link if its author changes the addresses of the host name at the
right moment (DNS rebinding). Load definitions of authors that you don't trust from files.

Without permission to read the environment, the library reports only the first syntax error of a broken YAML text.
`;

const HEAD = `# Limits

Every input from outside has a limit. The tables are made from the constants of the program (\`deno task docs\`); below
them is [what gw doesn't do](#what-gw-doesnt-do).

`;

/** The text of docs/limits.md before formatting. */
export async function limitsPage(): Promise<string> {
  const tables: string[] = [];
  for (const [title, rows] of Object.entries(TABLES)) {
    const lines: string[] = [];
    for (const [what, constant, unit, beyond] of rows) {
      lines.push(`| ${what} | ${UNITS[unit](await valueOf(constant))} | ${beyond} |`);
    }
    tables.push([`## ${title}\n`, "| what | at most | beyond it |", "| --- | ---: | --- |", ...lines, ""].join("\n"));
  }
  return `${HEAD}${tables.join("\n")}\n${PROSE.trimEnd()}\n\n${differences()}`;
}

/** What Envoy does otherwise than the embedded gateway, by the table of exchanges that both are tested against. */
function differences(): string {
  const reasons = ROWS.flatMap(({ name, exchanges }) =>
    exchanges.flatMap(({ but }) => but?.gateway === "envoy" ? [`- \`${name}\`: ${but.why}`] : [])
  );
  return [
    "### Where Envoy answers otherwise",
    "",
    "With one replica of the mocks, the embedded gateway and Envoy answer the exchanges of `tests/gateways/rows.ts` alike, but for these:",
    "",
    ...new Set(reasons),
    "",
  ].join("\n");
}

/**
 * Reads the value of a constant from its source file. It isn't imported, since most constants aren't exported.
 *
 * @throws {Error} If the file has no such constant, or its value isn't a product of numbers.
 */
async function valueOf(constant: string): Promise<number> {
  const [file = "", name = ""] = constant.split(" ");
  const [object = "", property] = name.split(".");
  const text = (await Deno.readTextFile(new URL(file, ROOT))).replaceAll(/\/\*\*[^]*?\*\//g, "");
  const [, declared] = new RegExp(`\\bconst ${object}(?:: \\w+)? = ([^;]*)`).exec(text) ?? [];
  const [, product] = property === undefined
    ? ["", declared]
    : new RegExp(`\\b${property}: ([^,]*),`).exec(declared ?? "") ?? [];
  const value = (product ?? "").split("*").map((factor) => numberOf(factor.trim())).reduce(
    (one, other) => one * other,
    1,
  );
  if (!(value > 0)) throw new Error(`${file} has no constant ${name} that is a number.`);
  return value;
}

function numberOf(factor: string): number {
  if (factor === "KiB") return 1024;
  return factor === "MiB" ? MIB : /^[\d_]+$/.test(factor) ? Number(factor.replaceAll("_", "")) : NaN;
}
