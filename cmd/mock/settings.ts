import { MOCKS } from "../../lib/cluster/names.ts";
import { MOST_DELAY } from "../../lib/mock/rules/delay.ts";
import { DEFAULT_EXAMPLES } from "../../lib/observe/record/recorded_answer.ts";
import {
  choice,
  type FlagTable,
  hostPattern,
  httpUrl,
  integer,
  number,
  origin,
  size,
  text,
  type Values,
} from "../line/flag.ts";
import type { FlagGroups } from "../line/command.ts";
import { insteadOf } from "../line/coming_from.ts";
import { addressRange } from "../io/address_range.ts";
import { DEFAULT_PORT } from "../io/listener.ts";
import { reportName } from "../io/files/report_file.ts";
import { ALLOW_REMOTE_REFS } from "../io/files/reference_policy.ts";
import { OVERLAY_FLAG } from "../line/overlay_flag.ts";
import { RULE_FLAG } from "../line/rule_flag.ts";
import { STATE_LIMIT_FLAG } from "./state_limit_flag.ts";

const ARRAY_FORMATS = ["repeat", "comma", "space", "pipe", "brackets", "indices", "dots"] as const;
const OBJECT_FORMATS = ["flat", "comma", "space", "pipe", "brackets", "dots", "json"] as const;

/** The most seconds of `--poll`: a day. */
const LONGEST_POLL = 86_400;

/** The flags of `gw mock`. */
const FLAGS = {
  "in": {
    short: "i",
    value: "FILE",
    read: text,
    many: true,
    operands: true,
    description: "Definition to mock, like the operands.",
  },
  "overlay": OVERLAY_FLAG,
  "port": {
    short: "p",
    value: "PORT",
    read: integer(0, 65535),
    description: `Port to listen on; 0 takes any. Default: ${DEFAULT_PORT}, or the next that is free.`,
  },
  "host": {
    value: "HOST",
    read: text,
    description: "Address to listen on. Default: 127.0.0.1; with --cluster in a pod ::, every address.",
  },
  "url-file": {
    value: "FILE",
    read: text,
    once: true,
    description:
      "Write the URL to this file once gw answers there, for a program that starts gw; remove it at the end.",
  },
  "allow-host": {
    value: "HOST",
    read: hostPattern,
    many: true,
    description:
      "Answer this host too, or *.example.com, where an upstream is behind a server of this machine: against " +
      "DNS rebinding it answers only hosts of the machine and of the upstream.",
  },
  "trusted-proxy": {
    value: "CIDR",
    read: addressRange,
    many: true,
    description:
      "With an upstream: addresses of proxies before gw whose X-Forwarded-Proto and -Host tell it how clients " +
      "have asked, such as 10.0.0.0/8. Default: none.",
  },
  "dynamic": { short: "d", description: "Generate another body for each request, also where there is an example." },
  "seed": {
    value: "N",
    read: integer(0, Number.MAX_SAFE_INTEGER),
    default: "0",
    description: "Seed of generated bodies: the same seed, the same bodies.",
  },
  "any-status": {
    description: "Mock operations without an exact 2xx code too, by their 2XX, lowest 3xx or default response.",
  },
  "as-gateway": { description: "Answer as the gateway will: only operations with x-svc.mocking.enabled." },
  "proxy": { value: "URL", read: httpUrl, description: "Send operations that are not mocked to this upstream." },
  "proxy-unknown": { description: "Send paths and methods that the definition doesn't have to the upstream too." },
  "record": {
    value: "FILE",
    read: text,
    once: true,
    description: "Write what the upstream answers to this file: an overlay of examples, without secrets.",
  },
  "record-examples": {
    value: "N",
    read: integer(1, 1000),
    default: String(DEFAULT_EXAMPLES),
    description: "Record so many examples of each status and media type.",
  },
  "redact": {
    value: "POINTER",
    read: pointer,
    many: true,
    description: "A further secret in recorded bodies: a JSON Pointer such as /user/email or /items/*/email.",
  },
  "validate": {
    value: "off|warn|error",
    read: choice("off", "warn", "error"),
    description: "Validation of requests, and of what the upstream responds: off, violations in the log, or error " +
      "responses. Default: warn; for mocked operations off with --quiet, unless a report or recording is made.",
  },
  "no-security": { description: "Don't ask requests for credentials: no 401 with --validate error." },
  "strict-queries": {
    description:
      "Take a query parameter that isn't declared for a violation. Default: a remark where a declared name " +
      "is near.",
  },
  "errors": { description: "Answer an example that its schema refuses by a problem, 500, that says why." },
  "callbacks": {
    value: "loopback|any",
    read: choice("loopback", "any"),
    bare: "loopback",
    description: "Send an operation's callbacks after its answer: to this machine only, or anywhere.",
  },
  "webhook": {
    value: "NAME URL",
    pair: true,
    read: webhook,
    description: "Send a webhook of the definition to a URL once, and end.",
  },
  "query-array": {
    value: "FORMAT",
    read: choice(...ARRAY_FORMATS),
    description: "How clients write arrays in queries, where the definition says otherwise: repeat, comma, space, " +
      "pipe, brackets, indices or dots.",
  },
  "query-object": {
    value: "FORMAT",
    read: choice(...OBJECT_FORMATS),
    description: "How clients write objects in queries, where the definition says otherwise: flat, comma, space, " +
      "pipe, brackets, dots or json.",
  },
  "form-array": {
    value: "FORMAT",
    read: choice(...ARRAY_FORMATS),
    description: "The same for arrays in forms.",
  },
  "form-object": {
    value: "FORMAT",
    read: choice(...OBJECT_FORMATS),
    description: "The same for objects in forms.",
  },
  "delay": { value: "MS|MIN-MAX", read: range, description: "Wait so many milliseconds before each answer." },
  "rule": RULE_FLAG,
  "stream-interval": {
    value: "MS",
    read: number(0, MOST_DELAY),
    default: "0",
    description: "Wait so many milliseconds between the items of a stream.",
  },
  "no-cors": { description: "Don't let pages of other origins read the answers." },
  "cors-origin": {
    value: "ORIGIN",
    read: origin,
    many: true,
    description: "Treat pages of this origin as those of this machine: they may read what --proxy answers and files " +
      "of externalValue, and cause callbacks.",
  },
  "stateful": {
    description: "Keep what clients create, change and delete: operations of one resource share its items.",
  },
  "items": {
    value: "N",
    read: integer(0, 10_000),
    default: "3",
    description: "With --stateful, begin a collection with so many items: examples first, then generated ones.",
  },
  "sessions": {
    value: "N",
    read: integer(1, 1_000_000),
    default: "1000",
    description: "Keep so many sessions (header X-Gw-Session, or base path /_gw/s/NAME); the least recently used go.",
  },
  "state-limit": STATE_LIMIT_FLAG,
  "state": {
    value: "FILE",
    read: text,
    once: true,
    description: "Keep the state of unnamed requests in this file over restarts.",
  },
  "journal": {
    value: "N",
    read: integer(0, 100_000),
    default: "1000",
    description: "Remember so many requests, for /_gw/requests.",
  },
  "journal-memory": {
    value: "BYTES",
    read: size,
    description: "Remember no more than fits in this memory. Default: 16MiB, or 1KiB for each of --journal.",
  },
  "control": {
    value: "PATH",
    read: controlPath,
    default: "/_gw/",
    description: "Serve gw's own endpoints below this path.",
  },
  "control-token": {
    value: "TOKEN",
    read: text,
    description: "Let clients that send this bearer token use gw's own endpoints from anywhere.",
  },
  "no-control": {
    description: "Leave /_gw/ and / to the definition: no console, no /_gw/health.",
  },
  "no-watch": { description: "Don't reload when files change." },
  "poll": {
    value: "S",
    read: number(0.1, LONGEST_POLL),
    description: "Fetch definitions given by URL again every so many seconds.",
  },
  "allow-remote-refs": ALLOW_REMOTE_REFS,
  "tls-cert": { value: "FILE", read: text, description: "Certificate in PEM: HTTPS and HTTP/2; needs --tls-key." },
  "tls-key": { value: "FILE", read: text, description: "Private key of the certificate, in PEM." },
  "cluster": { description: "Answer for a cluster's gateway: all APIs of the cluster, by the header x-svc-api." },
  "kubeconfig": {
    value: "FILE",
    read: text,
    description: "Which cluster, with --cluster. Default: that of the pod, else KUBECONFIG, else ~/.kube/config.",
  },
  "context": { value: "NAME", read: text, description: "A context of the kubeconfig. Default: its current one." },
  "check-port": {
    value: "PORT",
    read: integer(0, 65535),
    description: `Port of the checks of requests, probes and metrics, with --cluster. Default: ${MOCKS.checkPort}.`,
  },
  "report": {
    value: "FILE",
    read: reportName,
    once: true,
    description: "Write what was asked and what violates the definition, as the name says: .json, .xml (JUnit), .md.",
  },
  "fail-on-violations": {
    description: "End with 1 if a request or a response violated the definition, for CI; says at the end which did.",
  },
  "no-dashboard": { description: "Print the log to a terminal where gw proxy or --report would show a dashboard." },
  "log-format": { value: "text|json", read: choice("text", "json"), default: "text", description: "Form of the log." },
  "quiet": { short: "q", description: "Print only the URL, and errors; see --validate." },
  "verbose": { short: "v", description: "Print the operations, and why a request fits none of them." },
} satisfies FlagTable;

/** The headings of `gw mock --help`, most used first. */
export const MOCK_GROUPS = {
  "Most used": ["port", "validate", "stateful", "proxy", "dynamic", "rule", "delay", "quiet", "verbose", "help"],
  "Answers": ["seed", "any-status", "errors", "as-gateway", "stream-interval", "callbacks", "webhook"],
  "State that clients create": ["items", "state", "state-limit"],
  "Requests": ["no-security", "strict-queries", "query-array", "query-object", "form-array", "form-object"],
  "Upstream and recording": ["proxy-unknown", "record", "record-examples", "redact"],
  "Addresses and browsers": [
    "host",
    "url-file",
    "allow-host",
    "trusted-proxy",
    "no-cors",
    "cors-origin",
    "tls-cert",
    "tls-key",
  ],
  "Definitions": ["in", "overlay", "no-watch", "poll", "allow-remote-refs"],
  "Log and report": ["log-format", "report", "fail-on-violations", "no-dashboard"],
  "Tests": ["sessions", "journal", "journal-memory", "control", "control-token", "no-control"],
  "Kubernetes": ["cluster", "kubeconfig", "context", "check-port"],
} satisfies FlagGroups<keyof typeof FLAGS>;

export type MockSettings = Values<typeof FLAGS>;

/** The settings of a server: the flags of `gw mock`, and what `gw proxy` adds. */
export interface ServerSettings extends MockSettings {
  /** Whether the upstream gets all operations. Default: `false`. */
  readonly proxyAll?: boolean;
}

export const MOCK_COMMAND = {
  name: "mock",
  usage: "[definition]... [flags]",
  description: "Answers every operation of OpenAPI definitions, and reloads while they are edited.\n\n" +
    "A definition is a file, a URL, or - for standard input; none stands for the one in this folder. Bodies are the\n" +
    "definition's examples, or made from its schemas.",
  flags: FLAGS,
  groups: MOCK_GROUPS,
  translate: insteadOf,
  examples: [
    { line: "gw mock openapi.yaml", does: `Answer on http://127.0.0.1:${DEFAULT_PORT}` },
    { line: "gw mock users.yaml orders.json --port 3000", does: "Two definitions on one port" },
    {
      line: "gw mock https://petstore3.swagger.io/api/v3/openapi.json --poll 60",
      does: "By URL, looked at each minute",
    },
    {
      line: "gw mock openapi.yaml --as-gateway --proxy http://localhost:3000",
      does: "Only what x-svc mocks; the rest is real",
    },
    { line: "gw mock openapi.yaml --callbacks", does: "Send callbacks, as far as they go to this machine" },
    { line: "gw mock --cluster --context kind-dev", does: "What runs behind the gateway of a cluster, on a laptop" },
    {
      line: "gw mock openapi.yaml --webhook orderShipped http://localhost:3000/hooks",
      does: "Send a webhook of the definition, once",
    },
    { line: "curl -H 'Prefer: code=404' http://127.0.0.1:8080/todos/1", does: "Ask for another response" },
  ],
};

export interface Webhook {
  name: string;
  url: URL;
}

/** Reads a name, which may contain spaces, and a URL. */
function webhook(written: string): Webhook {
  const space = written.lastIndexOf(" ");
  if (space === -1) throw new RangeError("a name and a URL are meant here.");
  return { name: written.slice(0, space), url: httpUrl(written.slice(space + 1)) };
}

/** Reads a JSON Pointer (RFC 6901). */
function pointer(written: string): string {
  if (written.startsWith("/")) return written;
  throw new RangeError("a JSON Pointer is meant here, such as /user/email.");
}

/** Reads the value of `--control-path`, such as `/_gw/`. Adds the last slash if it is missing. */
function controlPath(written: string): string {
  if (/^(?:\/[-\w.~]+)+\/?$/.test(written)) return written.endsWith("/") ? written : `${written}/`;
  throw new RangeError("a path is meant here, such as /_gw/.");
}

/** A span of milliseconds. */
interface Range {
  least: number;
  most: number;
}

/** Reads milliseconds: `200`, or a range `100-300`, at most {@linkcode MOST_DELAY}. */
function range(written: string): Range {
  const [, least, most] = /^(\d+)(?:-(\d+))?$/.exec(written) ?? [];
  const span = { least: Number(least), most: Number(most ?? least) };
  if (least !== undefined && span.least <= span.most && span.most <= MOST_DELAY) return span;
  throw new RangeError(`milliseconds are meant here, such as 200 or 100-300. The most is ${MOST_DELAY}.`);
}
