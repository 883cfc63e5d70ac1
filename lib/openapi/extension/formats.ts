/**
 * The `format`s of strings in the schema of `x-svc`.
 *
 * @module
 */
import { normalPath } from "../../http/url/normal_path.ts";
import { isToken } from "../../http/token.ts";
import { percentDecode } from "../../http/url/url.ts";
import { decidesAnswer } from "./rule.ts";
import { isOrdered, readDelay, readRuleWords, readStep } from "./rule_words.ts";

/** A `format` with its test and its description for messages, such as "a path that starts with `/`". */
export interface StringFormat {
  readonly accepts: (text: string) => boolean;
  /**
   * Tells whether new deployments accept a text, if they don't accept all texts that earlier versions accepted. A refused
   * text is reported, but stays in force for definitions that are deployed already.
   */
  readonly isDeployable?: (text: string) => boolean;
  readonly description: string;
}

export type ExtensionFormat =
  | "path"
  | "path-key"
  | "http-url"
  | "host"
  | "host-pattern"
  | "origin"
  | "token"
  | "response-header"
  | "re2"
  | "delay"
  | "fault"
  | "step";

const LABEL = "[a-z0-9_](?:[-a-z0-9_]*[a-z0-9_])?";
const HOSTNAME = new RegExp(`^(?:${LABEL}\\.)*${LABEL}\\.?$`, "i");

/**
 * Headers that an authorization server's response can't add to the request for the upstream: headers of connections and
 * bodies, and headers that the gateway itself sets.
 */
const GATEWAY_HEADERS = new RegExp(
  "^(?:connection|content-.*|date|expect|forwarded|host|keep-alive|proxy-.*|set-cookie2?|te|trailer|transfer-encoding|" +
    "upgrade|via|x-envoy-.*|x-forwarded-.*|x-svc-.*)$",
  "i",
);

export const EXTENSION_FORMATS: Readonly<Record<ExtensionFormat, StringFormat>> = {
  "path": {
    accepts: (text) => text.startsWith("/"),
    isDeployable: isPlainPath,
    description: "a path that starts with `/`, without `?`, `#` and segments `.` and `..`",
  },
  "path-key": {
    accepts: (text) => text.startsWith("/"),
    description: "a path that starts with `/`",
  },
  "http-url": {
    accepts: (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ""),
    description: "a URL that starts with `https://` or `http://`",
  },
  "host": {
    accepts: isHost,
    description: "a host name or an IP address, such as `api.example.com`, without scheme, port or path",
  },
  "host-pattern": {
    accepts: (text) => text === "*" || isHost(text.startsWith("*.") ? text.slice(2) : text),
    description: "`*`, or a host name, such as `api.example.com` or `*.example.com`",
  },
  "origin": {
    accepts: (text) => text === "*" || /^[a-z][-a-z0-9+.]*:\/\/[^/\s]+$/i.test(text),
    description: "`*`, or an origin, such as `https://example.com`",
  },
  "token": {
    accepts: isToken,
    description: "a name without spaces",
  },
  "response-header": {
    accepts: (text) => isToken(text) && !GATEWAY_HEADERS.test(text.replaceAll("_", "-")),
    description: "the name of a header such as `x-user`, and not one of connections, bodies or gateways",
  },
  "re2": {
    accepts: () => true,
    description: "a regular expression of RE2",
  },
  "delay": {
    accepts: isDelay,
    description: "milliseconds such as `200`, `200-400`, or `200~0.5` (log-normal: median and sigma)",
  },
  "fault": {
    accepts: isFault,
    description:
      "the words of a rule: `reset`, `empty`, `truncated`, `slow`, `time-out`, a status or `example NAME`, " +
      "with a share such as `10%`, a number of times such as `x3`, or `if PART=VALUE`",
  },
  "step": {
    accepts: (text) => typeof readStep(text) !== "string",
    description: "a status, a fault such as `reset`, `example NAME`, or `ok` for the operation's own answer",
  },
};

/** Whether a text is a delay: milliseconds, a range of milliseconds, or a median with a sigma. */
function isDelay(text: string): boolean {
  const delay = readDelay(text);
  return delay !== undefined && isOrdered(delay);
}

/** Whether a text has the words of a rule, one of which changes the answer or delays it. */
function isFault(text: string): boolean {
  const read = readRuleWords(text);
  return typeof read !== "string" && (decidesAnswer(read) || read.delay !== undefined || read.sequence !== undefined);
}

/** Whether a text is a host name, an IPv4 address, or an IPv6 address with or without brackets. */
function isHost(text: string): boolean {
  if (text.includes(":")) return URL.canParse(`http://${text.startsWith("[") ? text : `[${text}]`}/`);
  return text.length <= 253 && HOSTNAME.test(text);
}

/** Tells whether a text is the path of a URL that gateways leave as it is, apart from percent-encoding. */
function isPlainPath(text: string): boolean {
  const segments = text.split("/").map(percentDecode);
  return !/[?#\\]/.test(text) && !segments.includes(".") && !segments.includes("..") && normalPath(text) !== undefined;
}
