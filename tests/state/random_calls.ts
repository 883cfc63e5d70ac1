import type { Binding, Resource } from "../../lib/mock/infer/resource.ts";
import { createRandom, type Random } from "../../lib/mock/generate/random.ts";
import { createResponder } from "../../lib/mock/mock.ts";
import { listOperations, type Operation } from "../../lib/openapi/operation.ts";
import type { StatefulDefinition } from "../../scripts/resources/sample.ts";
import { type AnswerJudge, createAnswerJudge } from "./answer_judge.ts";
import {
  createRequestMaker,
  type PathValues,
  pickAny,
  type RandomRequest,
  type RequestMaker,
} from "./random_request.ts";
import { type KnownItem, StateModel, UNKNOWN_ID } from "./state_model.ts";

/** The results of random calls to a definition. */
export interface CallResults {
  readonly calls: number;
  /** Calls whose request couldn't be made valid; they were made all the same, and only their answers count. */
  readonly invalidRequests: number;
  /** Answers by binding and status: `create 201`. */
  readonly statuses: ReadonlyMap<string, number>;
  /** What was wrong, as sentences. */
  readonly faults: readonly string[];
}

/** How often a call is to a bound operation, where the definition has others. */
const BOUND_SHARE = 0.85;

/** How often a call is about an item that is known, rather than about any id. */
const KNOWN_SHARE = 0.75;

/** How often a known item is one that is there, rather than any that is known. */
const LIVING_SHARE = 0.7;

/** So often a request is made anew, where it isn't valid. */
const MOST_ATTEMPTS = 4;

/** Makes random calls to a stateful mock server of a definition, and compares its answers with a naive model. */
export async function callAtRandom(definition: StatefulDefinition, calls: number, seed: number): Promise<CallResults> {
  const { document, resources, text } = definition;
  const random = createRandom(seed);
  const operations = listOperations(document).filter(isCallable);
  const bound = operations.filter((operation) => resources.bindingOf(operation) !== undefined);
  const respond = createResponder([document], { stateful: true });
  const caller = new Caller(random, await createRequestMaker(document, random), createAnswerJudge(document, text));
  for (let call = 0; call < calls; call++) {
    const operation = pickAny(random() < BOUND_SHARE ? bound : operations, random);
    if (operation === undefined) break;
    await caller.call(operation, resources.bindingOf(operation), respond);
  }
  return caller.results();
}

/** A `Request` can't be made with these methods (Fetch Standard, section 2.2.1). */
function isCallable({ method }: Operation): boolean {
  return !["CONNECT", "TRACE", "TRACK", "OPTIONS"].includes(method);
}

class Caller {
  readonly #random: Random;
  readonly #maker: RequestMaker;
  readonly #judge: AnswerJudge;
  readonly #model = new StateModel();
  readonly #statuses = new Map<string, number>();
  readonly #faults: string[] = [];
  readonly #scopes = new Map<string, string[]>();
  #calls = 0;
  #invalid = 0;

  constructor(random: Random, maker: RequestMaker, judge: AnswerJudge) {
    this.#random = random;
    this.#maker = maker;
    this.#judge = judge;
  }

  results(): CallResults {
    return { calls: this.#calls, invalidRequests: this.#invalid, statuses: this.#statuses, faults: this.#faults };
  }

  async call(
    operation: Operation,
    binding: Binding | undefined,
    respond: ReturnType<typeof createResponder>,
  ): Promise<void> {
    const values = binding === undefined ? new Map<string, string>() : this.#valuesOf(operation, binding);
    const made = await this.#makeValid(operation, values);
    this.#calls++;
    const subject = `#${this.#calls} ${operation.method} ${made.path}${made.query === "" ? "" : `?${made.query}`}`;
    try {
      const { response, source } = await respond(made.request);
      const bytes = await response.bytes();
      // An example with conditions that the request fulfils comes before the state.
      const isExample = source.startsWith("example") && response.ok;
      const status = `${binding?.kind ?? "unbound"} ${response.status}${isExample ? " example" : ""}`;
      this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
      // Operations without state are examined by other tests.
      if (binding === undefined) return;
      const faults = await this.#judge.findFaults(operation, made.request, response, bytes);
      const received = valueOf(response, bytes);
      if (!isExample) {
        faults.push(...this.#model.observe({ ...made, binding, sent: made.body, status: response.status, received }));
      }
      this.#faults.push(...faults.map((fault) => `${subject} ${response.status}: ${fault}`));
    } catch (error) {
      this.#faults.push(`${subject}: threw ${error instanceof Error ? error.stack : error}`);
    }
  }

  async #makeValid(operation: Operation, values: PathValues): Promise<RandomRequest> {
    let made: RandomRequest;
    let attempts = 0;
    do made = await this.#maker.make(operation, values); while (
      !await this.#judge.isValidRequest(operation, made) && ++attempts < MOST_ATTEMPTS
    );
    if (attempts === MOST_ATTEMPTS) this.#invalid++;
    return made;
  }

  /** Chooses path parameters: those of an item that is known, was deleted, or never was. */
  #valuesOf(operation: Operation, { resource, idParameter, scopeParameters }: Binding): Map<string, string> {
    const values = new Map<string, string>();
    const known = this.#random() < KNOWN_SHARE ? this.#knownItem(resource) : undefined;
    if (known === undefined) this.#chooseScope(operation, resource, scopeParameters, values);
    for (const [index, name] of scopeParameters.entries()) {
      const value = known?.scope[index];
      if (name !== undefined && value !== undefined) values.set(name, value);
    }
    if (idParameter !== undefined) values.set(idParameter, known?.id ?? this.#unknownId(operation, idParameter));
    return values;
  }

  /** Mostly an item that is there. */
  #knownItem(resource: Resource): KnownItem | undefined {
    const items = this.#model.itemsOf(resource);
    const living = items.filter(({ isDeleted }) => !isDeleted);
    return pickAny(living.length > 0 && this.#random() < LIVING_SHARE ? living : items, this.#random);
  }

  /** Chooses scopes: those of a parent that is known, else one of few values. */
  #chooseScope(
    operation: Operation,
    { scope }: Resource,
    names: Binding["scopeParameters"],
    values: Map<string, string>,
  ): void {
    const innermost = scope.findLastIndex(({ parent }) => parent !== undefined);
    const parent = scope[innermost]?.parent;
    const living = parent === undefined ? [] : this.#model.itemsOf(parent).filter(({ isDeleted }) => !isDeleted);
    const chosen = pickAny(living, this.#random);
    const place = chosen === undefined ? [] : [...chosen.scope, chosen.id];
    for (const [index, name] of names.entries()) {
      if (name === undefined) continue;
      const value = (place.length === innermost + 1 ? place[index] : undefined) ?? this.#scopeValue(operation, name);
      values.set(name, value);
    }
  }

  #scopeValue(operation: Operation, name: string): string {
    const pool = this.#scopes.get(name) ?? [];
    this.#scopes.set(name, pool);
    if (pool.length < 2) pool.push(this.#maker.pathValue(operation, name));
    return pickAny(pool, this.#random) ?? "1";
  }

  #unknownId(operation: Operation, name: string): string {
    const value = this.#maker.pathValue(operation, name);
    return /^some-/.test(value) ? `${UNKNOWN_ID}${this.#calls}` : value;
  }
}

function valueOf(response: Response, bytes: Uint8Array): unknown {
  if (bytes.length === 0 || !/\bjson\b/.test(response.headers.get("content-type") ?? "")) return undefined;
  return JSON.parse(new TextDecoder().decode(bytes));
}
