import { decodeQueryText, splitQuery, splitTarget } from "../../http/url/url.ts";
import { listParameters, type Parameter } from "../../openapi/parameter.ts";
import { formatPointer } from "../../schema/json/pointer.ts";
import { describeRequest } from "../../mock/callback/callback_context.ts";
import type { Exchange } from "../exchange.ts";
import type { Operation } from "../../openapi/operation.ts";
import { PREFERENCE_QUERIES } from "../../mock/answer/preferences.ts";
import type { DeclaredSecrets } from "../secrets/declared_secrets.ts";
import { isSecretParameter } from "../secrets/redact_url.ts";
import type { Redactor } from "../secrets/redactor.ts";
import { createCompanionTest, isSecretName } from "../../names/secret_names.ts";
import { equalityKey } from "../../schema/json/equal.ts";
import type { Conditions } from "./recorded_answer.ts";

/** The most characters of a value that may become a condition. */
const MOST_LENGTH = 200;
/** The most conditions on a request's parameters, and the most on its headers. */
const MOST_CONDITIONS = 32;
/** The most parts of a body that are considered as conditions. */
const MOST_PARTS = 200;

/** The most characters of a body that may become a condition as a whole. */
const MOST_BODY = 500;

/** Headers that never become conditions: they vary between requests, but answers seldom depend on them. */
const IGNORED_HEADERS =
  /^(?:accept.*|cache-control|connection|content-.*|date|forwarded|host|idempotency-key|if-.*|origin|prefer|pragma|priority|range|referer|sec-.*|te|trace.*|user-agent|via|x-.*request-id|x-amz-.*|x-b3-.*|x-correlation-id|x-forwarded-.*|x-real-ip|x-request-.*|x-stainless-.*|x-trace.*)$/;
/** Query parameters that clients add to bypass caches. */
const CACHE_BUSTERS = /^(?:_|_t|_ts|cb|nocache|nonce|timestamp|rand|random)$/i;

/** The parts of a request on which its answer may depend. */
export interface RequestConditions {
  readonly parameters: Conditions;
  readonly details: Conditions;
}

/** Lists the parts of a request on which its answer may depend. Secrets are left out. */
export async function readRecordedRequest(
  operation: Operation,
  { request, pathParameters }: Exchange,
  declared: DeclaredSecrets,
  redactor: Redactor,
): Promise<RequestConditions> {
  const parameters: Record<string, unknown> = {};
  const add = (to: Record<string, unknown>, key: string, value: unknown): void => {
    if (Object.keys(to).length >= MOST_CONDITIONS || !mayBeCondition(value, redactor)) return;
    to[key] = value;
  };
  for (const [name, text] of sorted(Object.entries(pathParameters))) {
    if (!declared.paths.has(name) && !isSecretName(name)) add(parameters, `path.${name}`, toNumber(text));
  }
  const queries = splitQuery(splitTarget(request.url).query);
  const isCode = createCompanionTest([...queries.keys()]);
  for (const [name, values] of sorted([...queries])) {
    const value = decodeQueryText(values[0] ?? "");
    const isLeftOut = isSecretParameter(name, value, isCode, declared) || CACHE_BUSTERS.test(name) ||
      PREFERENCE_QUERIES.has(name);
    if (!isLeftOut) add(parameters, `query.${name}`, toNumber(value));
  }
  const details: Record<string, unknown> = {};
  for (const name of headerNames(listParameters(operation))) {
    const value = request.headers.get(name);
    const isLeftOut = declared.headers.has(name) || isSecretName(name) || IGNORED_HEADERS.test(name);
    if (value !== null && !isLeftOut) add(details, `header.${name}`, value);
  }
  return {
    parameters,
    details: { ...details, ...await bodyConditions(operation, { request, pathParameters }, redactor) },
  };
}

async function bodyConditions(
  operation: Operation,
  { request, pathParameters }: Pick<Exchange, "request" | "pathParameters">,
  redactor: Redactor,
): Promise<Conditions> {
  if (request.body === undefined || request.body.length === 0) return {};
  const { body } = await describeRequest(operation, request, pathParameters, request.body);
  const { value, paths } = redactor.value(body);
  const secret = new Set(paths.map((path) => formatPointer(path)));
  const conditions: Record<string, unknown> = {};
  if (value !== undefined && paths.length === 0 && equalityKey(value).length <= MOST_BODY) conditions["body"] = value;
  const pending: [string[], unknown][] = [[[], value]];
  let parts = 0;
  for (const [path, part] of pending) {
    if (++parts > MOST_PARTS) break;
    const pointer = formatPointer(path);
    if (typeof part === "object" && part !== null) {
      for (const [key, inner] of Object.entries(part).slice(0, MOST_PARTS)) pending.push([[...path, key], inner]);
    } else if (path.length > 0 && !secret.has(pointer) && part !== undefined && String(part).length <= MOST_LENGTH) {
      conditions[`body.${pointer}`] = part;
    }
  }
  return conditions;
}

function headerNames(parameters: readonly Parameter[]): string[] {
  return parameters.filter((parameter) => parameter.in === "header").map(({ name }) => name.toLowerCase()).sort();
}

function mayBeCondition(value: unknown, redactor: Redactor): boolean {
  const text = String(value);
  return text.length <= MOST_LENGTH && redactor.text(text) === text;
}

/**
 * Converts a text to a number if it is the canonical form of one (`7`, but not `07`). Conditions treat `7` and `"7"`
 * alike.
 */
function toNumber(text: string): unknown {
  const number = Number(text);
  return /^-?\d/.test(text) && String(number) === text ? number : text;
}

function sorted<Value>(entries: [string, Value][]): [string, Value][] {
  return entries.sort(([a], [b]) => (a < b ? -1 : 1));
}
