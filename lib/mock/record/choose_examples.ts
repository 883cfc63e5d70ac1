import type { PooledAnswer } from "./answer_pool.ts";
import { canonicalText, compareTexts, type Conditions, hashOf, type RecordedAnswer } from "./recorded_answer.ts";

/** An answer that becomes an example. */
export interface ChosenExample {
  readonly name: string;
  readonly answer: RecordedAnswer;
  /** The conditions on requests to get this example; empty for an example that any request may get. */
  readonly conditions: Conditions;
}

/** The examples of one status and media type. The first one has the most features: it shows most of the response. */
export interface ChosenResponse {
  readonly status: number;
  /** Empty for a response without a body, which has no examples. */
  readonly mediaType: string;
  readonly examples: readonly ChosenExample[];
  readonly headers: Readonly<Record<string, unknown>>;
}

/** How many conditions on headers and parts of the body an example may have. */
const MOST_DETAILS = 4;
/** The longest name of an example. */
const MOST_NAME = 60;

/**
 * Chooses the examples of an operation, and the conditions that tell their requests apart: the parameters always; headers
 * and parts of the body where requests with the same parameters were answered differently.
 *
 * @param responses The answers of each status and media type.
 * @param most How many examples a status and media type get.
 */
export function chooseExamples(responses: readonly PooledAnswer[][], most: number): ChosenResponse[] {
  const chosen = responses.map((answers) => mostTelling(answers, most));
  const conditionsOf = createConditions(chosen.flat());
  const bodiless = new Set(
    chosen.flat().filter(({ answer }) => isSuccess(answer) && answer.mediaType === "").map((pooled) =>
      canonicalText(conditionsOf(pooled))
    ),
  );
  return chosen.flatMap((answers): ChosenResponse[] => {
    const [first] = answers;
    if (first === undefined) return [];
    const { status, mediaType, headers } = first.answer;
    const unique = new Map<string, PooledAnswer>();
    for (const pooled of mediaType === "" ? [] : answers) {
      const key = canonicalText(conditionsOf(pooled));
      // The same request was also answered by a success without a body, which has no example. An example of this other
      // status would always win over that success, so it is left out.
      if (!isSuccess(pooled.answer) && bodiless.has(key)) continue;
      if (!unique.has(key)) unique.set(key, pooled);
    }
    const names = new Set<string>();
    const examples = [...unique].map(([key, pooled]): ChosenExample => {
      const conditions = conditionsOf(pooled);
      const short = nameOf(conditions);
      const name = names.has(short) ? `${short}-${hashOf(key)}` : short;
      names.add(name);
      return { name, answer: pooled.answer, conditions };
    });
    return mediaType !== "" && examples.length === 0 ? [] : [{ status, mediaType, examples, headers }];
  }).sort((a, b) => a.status - b.status || compareTexts(a.mediaType, b.mediaType));
}

function isSuccess({ status }: RecordedAnswer): boolean {
  return status >= 200 && status < 300;
}

/**
 * Chooses the answers that show most of what a response can be: greedily those that add the most features, then the
 * others in the order of their requests. Returns the one with the most features first, the rest in the order of their
 * requests.
 */
function mostTelling(answers: readonly PooledAnswer[], most: number): PooledAnswer[] {
  const left = new Set(answers);
  const seen = new Set<string>();
  const telling: PooledAnswer[] = [];
  while (telling.length < most && left.size > 0) {
    let best: PooledAnswer | undefined;
    let news = 0;
    for (const pooled of left) {
      const count = pooled.features.difference(seen).size;
      if (count > news) [best, news] = [pooled, count];
    }
    if (best === undefined) break;
    for (const feature of best.features) seen.add(feature);
    telling.push(best);
    left.delete(best);
  }
  const chosen = new Set([...telling, ...left].slice(0, most));
  const [first] = telling;
  const others = answers.filter((pooled) => pooled !== first && chosen.has(pooled));
  return first === undefined ? others : [first, ...others];
}

/** Finds the conditions of all answers of an operation. The returned function looks them up by answer. */
function createConditions(answers: readonly PooledAnswer[]): (pooled: PooledAnswer) => Conditions {
  const groups = Map.groupBy(answers, ({ answer }) => canonicalText(answer.parameters));
  const conditions = new Map<PooledAnswer, Conditions>();
  for (const group of groups.values()) {
    for (const pooled of group) {
      const others = group.filter((other) => isConflict(pooled, other));
      conditions.set(pooled, { ...pooled.answer.parameters, ...decidingDetails(pooled, others) });
    }
  }
  return (pooled) => conditions.get(pooled) ?? pooled.answer.parameters;
}

/** Whether two answers to requests with the same parameters differ, and not by their media type alone. */
function isConflict(a: PooledAnswer, b: PooledAnswer): boolean {
  return a.answer.status !== b.answer.status || (a.answer.mediaType === b.answer.mediaType && a.text !== b.text);
}

/**
 * Chooses details that distinguish the request of an answer from those of others: greedily, to need few. The whole body
 * is added where its parts aren't enough.
 */
function decidingDetails({ answer }: PooledAnswer, others: readonly PooledAnswer[]): Conditions {
  const { body, ...parts } = answer.details;
  const details: Record<string, unknown> = {};
  const keys = Object.keys(parts).sort(compareTexts);
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
  return Object.hasOwn(a, key) && canonicalText(a[key]) === canonicalText(b[key]);
}

/** A name that tells the conditions: `id-7`, `limit-2-status-sold`. */
function nameOf(conditions: Conditions): string {
  const parts = Object.entries(conditions).map(([key, value]) => {
    const text = typeof value === "object" ? canonicalText(value) : String(value);
    return `${key.replace(/^(?:path|query|header|cookie|body\b)[./]*/, "")}-${text}`;
  });
  const name = parts.join("-").replace(/[^A-Za-z0-9._-]+/g, "-").replace(/-{2,}/g, "-").slice(0, MOST_NAME);
  return name.replace(/^[-.]+|[-.]+$/g, "") || "recorded";
}
