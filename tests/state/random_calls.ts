import type { Binding, Resource } from "../../lib/mock/infer/resource.ts";
import { createRandom, type Random } from "../../lib/mock/generate/random.ts";
import { createResponder, type Responder } from "../../lib/mock/responder.ts";
import { listOperations, type Operation } from "../../lib/openapi/operation.ts";
import type { StatefulDefinition } from "../../scripts/resources/sample.ts";
import { type AnswerValidator, createAnswerValidator } from "./answer_validator.ts";
import {
  createRequestMaker,
  type PathValues,
  pickAny,
  type RandomRequest,
  type RequestMaker,
} from "./random_request.ts";
import { type KnownItem, StateModel, UNKNOWN_ID } from "./state_model.ts";

export interface CallResults {
  readonly calls: number;
  /**
   * The number of requests that couldn't be made valid. They were sent, but their responses weren't compared with the
   * model.
   */
  readonly invalidRequests: number;
  /** The number of responses by kind of binding and status: `create 201`. */
  readonly statuses: ReadonlyMap<string, number>;
  /** The faults that were found, as sentences. */
  readonly faults: readonly string[];
}

/** The share of calls to bound (stateful) operations, if the definition has others too. */
const BOUND_SHARE = 0.85;

/** The share of calls to a known item; other calls have a random id. */
const KNOWN_SHARE = 0.75;

/** The share of known items that are chosen only among those not deleted. */
const LIVING_SHARE = 0.7;

/** The number of attempts to make a valid request. */
const MOST_ATTEMPTS = 4;

/**
 * Makes random calls to a stateful mock server of a definition, validates the answers, and compares them with a naive
 * model of the state.
 */
export async function callAtRandom(definition: StatefulDefinition, calls: number, seed: number): Promise<CallResults> {
  const { document, resources, text } = definition;
  const random = createRandom(seed);
  const operations = listOperations(document).filter(isCallable);
  const bound = operations.filter((operation) => resources.bindingOf(operation) !== undefined);
  const respond = await createResponder([document], { stateful: true });
  const caller = new Caller(random, await createRequestMaker(document, random), createAnswerValidator(document, text));
  for (let call = 0; call < calls; call++) {
    const operation = pickAny(random() < BOUND_SHARE ? bound : operations, random);
    if (operation === undefined) break;
    await caller.call(operation, resources.bindingOf(operation), respond);
  }
  return caller.results();
}

/**
 * Tells whether the constructor of `Request` accepts the operation's method (Fetch Standard, section 2.2.1). OPTIONS
 * isn't called either.
 */
function isCallable({ method }: Operation): boolean {
  return !["CONNECT", "TRACE", "TRACK", "OPTIONS"].includes(method);
}

class Caller {
  readonly #random: Random;
  readonly #maker: RequestMaker;
  readonly #validator: AnswerValidator;
  readonly #model = new StateModel();
  readonly #statuses = new Map<string, number>();
  readonly #faults: string[] = [];
  readonly #scopes = new Map<string, string[]>();
  #calls = 0;
  #invalid = 0;

  constructor(random: Random, maker: RequestMaker, validator: AnswerValidator) {
    this.#random = random;
    this.#maker = maker;
    this.#validator = validator;
  }

  results(): CallResults {
    return { calls: this.#calls, invalidRequests: this.#invalid, statuses: this.#statuses, faults: this.#faults };
  }

  async call(
    operation: Operation,
    binding: Binding | undefined,
    respond: Responder,
  ): Promise<void> {
    const values = binding === undefined ? new Map<string, string>() : this.#valuesOf(operation, binding);
    const made = await this.#makeValid(operation, values);
    this.#calls++;
    const subject = `#${this.#calls} ${operation.method} ${made.path}${made.query === "" ? "" : `?${made.query}`}`;
    try {
      const { response, source } = await respond(made.request);
      const bytes = await response.bytes();
      // An example with conditions has precedence over the state.
      const isExample = source.startsWith("example") && response.ok;
      const status = `${binding?.kind ?? "unbound"} ${response.status}${isExample ? " example" : ""}`;
      this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
      // Operations without state are tested elsewhere.
      if (binding === undefined) return;
      const faults = await this.#validator.findFaults(operation, made.request, response, bytes);
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
      !await this.#validator.isValidRequest(operation, made) && ++attempts < MOST_ATTEMPTS
    );
    if (attempts === MOST_ATTEMPTS) this.#invalid++;
    return made;
  }

  /** Chooses path parameters: those of a known item, which may be deleted, or those of an item that never existed. */
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

  /** Chooses a known item, usually one that isn't deleted. */
  #knownItem(resource: Resource): KnownItem | undefined {
    const items = this.#model.itemsOf(resource);
    const living = items.filter(({ isDeleted }) => !isDeleted);
    return pickAny(living.length > 0 && this.#random() < LIVING_SHARE ? living : items, this.#random);
  }

  /** Chooses a scope: that of a known parent, or else one of a few values. */
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
