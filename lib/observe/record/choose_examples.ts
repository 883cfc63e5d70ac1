import type { PooledAnswer } from "./answer_pool.ts";
import { equalityKey } from "../../schema/json/equal.ts";
import { compareRecorded, type Conditions, type RecordedResponse, responseHash } from "./recorded_answer.ts";

/** A recorded answer that becomes an example. */
export interface ChosenExample {
  readonly name: string;
  readonly answer: RecordedResponse;
  /** The conditions that a request must fulfil to get this example; empty if every request gets it. */
  readonly conditions: Conditions;
}

/** The examples of one status and media type. The first one shows most of the response, as it has the most features. */
export interface ChosenResponse {
  readonly status: number;
  /** The key under `content` of the response; empty for a response without a body, which has no examples. */
  readonly mediaType: string;
  readonly examples: readonly ChosenExample[];
  readonly headers: Readonly<Record<string, unknown>>;
}

/** The most conditions of an example on headers and on parts of the body. */
const MOST_DETAILS = 4;
/** The most characters in the name of an example. */
const MOST_NAME = 60;

/**
 * Chooses the examples of an operation, and the conditions that distinguish their requests. Parameters are always
 * conditions. Headers and parts of the body become conditions if requests with the same parameters got different
 * answers.
 *
 * @param responses The answers of each status and media type.
 * @param most The most examples of each status and media type.
 */
export function chooseExamples(responses: readonly PooledAnswer[][], most: number): ChosenResponse[] {
  const chosen = responses.map((answers) => mostInformative(answers, most));
  const conditionsOf = createConditions(chosen.flat());
  const bodiless = new Set(
    chosen.flat().filter(({ answer }) => isSuccess(answer) && answer.mediaType === "").map((pooled) =>
      equalityKey(conditionsOf(pooled))
    ),
  );
  return chosen.flatMap((answers): ChosenResponse[] => {
    const [first] = answers;
    if (first === undefined) return [];
    const { status, mediaType, headers } = first.answer;
    const unique = new Map<string, PooledAnswer>();
    for (const pooled of mediaType === "" ? [] : answers) {
      const key = equalityKey(conditionsOf(pooled));
      // A success without a body was also recorded for this request. It can't have an example, so an example with
      // another status would always be preferred to it. Leave that example out.
      if (!isSuccess(pooled.answer) && bodiless.has(key)) continue;
      if (!unique.has(key)) unique.set(key, pooled);
    }
    const names = new Set<string>();
    const examples = [...unique].map(([key, pooled]): ChosenExample => {
      const conditions = conditionsOf(pooled);
      const short = nameOf(conditions);
      const name = names.has(short) ? `${short}-${responseHash(key)}` : short;
      names.add(name);
      return { name, answer: pooled.answer, conditions };
    });
    return mediaType !== "" && examples.length === 0 ? [] : [{ status, mediaType, examples, headers }];
  }).sort((a, b) => a.status - b.status || compareRecorded(a.mediaType, b.mediaType));
}

function isSuccess({ status }: RecordedResponse): boolean {
  return status >= 200 && status < 300;
}

/**
 * Chooses the answers that together show most of a response. A greedy choice takes those that add the most features;
 * the rest are taken in the order of their requests. In the result, the answer with the most features comes first, the
 * rest follow in the order of their requests.
 */
function mostInformative(answers: readonly PooledAnswer[], most: number): PooledAnswer[] {
  const left = new Set(answers);
  const seen = new Set<string>();
  const informative: PooledAnswer[] = [];
  while (informative.length < most && left.size > 0) {
    let best: PooledAnswer | undefined;
    let news = 0;
    for (const pooled of left) {
      const count = pooled.features.difference(seen).size;
      if (count > news) [best, news] = [pooled, count];
    }
    if (best === undefined) break;
    for (const feature of best.features) seen.add(feature);
    informative.push(best);
    left.delete(best);
  }
  const chosen = new Set([...informative, ...left].slice(0, most));
  const [first] = informative;
  const others = answers.filter((pooled) => pooled !== first && chosen.has(pooled));
  return first === undefined ? others : [first, ...others];
}

/** Finds the conditions of all answers of an operation. The returned function looks them up by answer. */
function createConditions(answers: readonly PooledAnswer[]): (pooled: PooledAnswer) => Conditions {
  const groups = Map.groupBy(answers, ({ answer }) => equalityKey(answer.parameters));
  const conditions = new Map<PooledAnswer, Conditions>();
  for (const group of groups.values()) {
    for (const pooled of group) {
      const others = group.filter((other) => isConflict(pooled, other));
      conditions.set(pooled, { ...pooled.answer.parameters, ...distinguishingDetails(pooled, others) });
    }
  }
  return (pooled) => conditions.get(pooled) ?? pooled.answer.parameters;
}

/**
 * Whether two answers to requests with equal parameters need conditions to be distinguished. Answers that differ only
 * by media type don't, since the `Accept` header selects among those.
 */
function isConflict(a: PooledAnswer, b: PooledAnswer): boolean {
  return a.answer.status !== b.answer.status || (a.answer.mediaType === b.answer.mediaType && a.text !== b.text);
}

/**
 * Chooses details of a request that distinguish it from the requests of `others`. A greedy choice keeps their number
 * small. The whole body is added if its parts don't suffice.
 */
function distinguishingDetails({ answer }: PooledAnswer, others: readonly PooledAnswer[]): Conditions {
  const { body, ...parts } = answer.details;
  const details: Record<string, unknown> = {};
  const keys = Object.keys(parts).sort(compareRecorded);
  let left = others;
  for (let count = 0; left.length > 0 && count < MOST_DETAILS; count++) {
    let best: string | undefined;
    let remaining = left;
    for (const key of keys) {
      const same = left.filter(({ answer: other }) => isSame(other.details, parts, key));
      if (same.length < remaining.length) [best, remaining] = [key, same];
    }
    if (best === undefined) break;
    details[best] = parts[best];
    left = remaining;
  }
  const isOther = ({ answer: other }: PooledAnswer): boolean => !isSame(other.details, answer.details, "body");
  return left.length > 0 && body !== undefined && left.some(isOther) ? { ...details, body } : details;
}

function isSame(a: Conditions, b: Conditions, key: string): boolean {
  return Object.hasOwn(a, key) && equalityKey(a[key]) === equalityKey(b[key]);
}

/** The name of an example, made from its conditions: `id-7`, `limit-2-status-sold`. */
function nameOf(conditions: Conditions): string {
  const parts = Object.entries(conditions).map(([key, value]) => {
    const text = typeof value === "object" ? equalityKey(value) : String(value);
    return `${key.replace(/^(?:path|query|header|cookie|body\b)[./]*/, "")}-${text}`;
  });
  const name = parts.join("-").replace(/[^A-Za-z0-9._-]+/g, "-").replace(/-{2,}/g, "-").slice(0, MOST_NAME);
  return name.replace(/^[-.]+|[-.]+$/g, "") || "recorded";
}
