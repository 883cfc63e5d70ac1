import { checkDeployment } from "../../lib/gateway/check_deployment.ts";
import {
  type FleetRef,
  parseStaticRoute,
  planRoutes,
  planStaticRoute,
  type RoutePlan,
} from "../../lib/gateway/route.ts";
import { type Diagnostic, locateDiagnostics } from "../../lib/openapi/diagnostic.ts";
import { type Document, parseDocument } from "../../lib/openapi/document.ts";
import { messageOf } from "../../lib/http/message.ts";
import { createTurns } from "./scheduling.ts";

/** The name of a definition's resource. */
export type DefinitionName = Pick<RoutePlan, "kind" | "namespace" | "name">;

/** A definition as its store has it. */
export interface StoredDefinition extends DefinitionName {
  readonly fleet: FleetRef;
  /** Changes with the text and with the fleet. */
  readonly version: string;
  /** Gives the text. Called at most once per version. */
  readText: () => string | Promise<string>;
}

/** Whether a definition can be deployed. */
export type CheckedPlan =
  | { kind: "deployable"; plan: RoutePlan; warnings: readonly string[] }
  /** Each error is a sentence after its place, `3:5: /paths: …`. */
  | { kind: "refused"; errors: readonly string[] };

/** A plan made before its definition was stored, with its warnings. */
interface ExpectedPlan {
  readonly plan: RoutePlan;
  readonly warnings: readonly string[];
}

/** Runs a step of the work on a definition after all earlier steps, of any definition, are done. */
type InTurn = <Result>(step: () => Promise<Result>) => Promise<Result>;

/** The most errors, and the most warnings, that are listed of a definition. */
const MOST_LISTED = 10;

/**
 * One version of a definition. Each step runs on demand, and only once:
 *
 * ```text
 * text -> document -> plan
 *                  -> check
 * ```
 */
export class PlannedDefinition {
  readonly #stored: StoredDefinition;
  readonly #expected: ExpectedPlan | undefined;
  readonly #findProblems: typeof checkDeployment;
  readonly #inTurn: InTurn;
  #text: Promise<string> | undefined;
  #document: Promise<Document> | undefined;
  #plan: Promise<RoutePlan> | undefined;
  #checked: Promise<CheckedPlan> | undefined;

  /** If `expected` has a plan of the same text and fleet, that plan is used, and the text isn't parsed. */
  constructor(
    stored: StoredDefinition,
    { check, inTurn, expected }: { check: typeof checkDeployment; inTurn: InTurn; expected?: ExpectedPlan | undefined },
  ) {
    this.#stored = stored;
    this.#findProblems = check;
    this.#inTurn = inTurn;
    this.#expected = expected;
  }

  get version(): string {
    return this.#stored.version;
  }

  /** The text; rejects where the store can't give it. */
  text(): Promise<string> {
    return this.#text ??= Promise.resolve().then(() => this.#stored.readText());
  }

  /** The plan, without a check; rejects where none can be made. */
  plan(): Promise<RoutePlan> {
    return this.#plan ??= this.#makePlan();
  }

  /** Whether the definition can be deployed. Never rejects: a definition that can't be read counts as refused. */
  check(): Promise<CheckedPlan> {
    return this.#checked ??= this.#makeCheck().catch((error: unknown) => refused([messageOf(error)]));
  }

  /** Like {@linkcode check}, for a definition that was checked before: plans it, and repeats the given warnings. */
  async trust(warnings: readonly string[]): Promise<CheckedPlan> {
    try {
      return { kind: "deployable", plan: await this.plan(), warnings };
    } catch (error) {
      return refused([messageOf(error)]);
    }
  }

  /** Like {@linkcode check}, with only the diagnostics of parsing. */
  async parse(): Promise<CheckedPlan> {
    try {
      const { diagnostics } = await this.#parsed();
      const errors = diagnostics.filter(({ severity }) => severity === "error");
      return errors.length > 0 ? refused(list(errors)) : { kind: "deployable", plan: await this.plan(), warnings: [] };
    } catch (error) {
      return refused([messageOf(error)]);
    }
  }

  async #makePlan(): Promise<RoutePlan> {
    const expected = await this.#match();
    if (expected !== undefined) return expected.plan;
    const document = await this.#parsed();
    const { kind, namespace, name, fleet } = this.#stored;
    return kind === "api"
      ? planRoutes({ namespace, name, fleet, document })
      : planStaticRoute({ namespace, name, fleet, document });
  }

  async #makeCheck(): Promise<CheckedPlan> {
    const expected = await this.#match();
    if (expected !== undefined) return { kind: "deployable", ...expected };
    const document = await this.#parsed();
    const { kind } = this.#stored;
    const diagnostics = await this.#inTurn(() => this.#findProblems(document, { kind, oauth2: true }));
    const found = locateDiagnostics(diagnostics);
    const errors = found.filter(({ severity }) => severity === "error");
    if (errors.length > 0) return refused(list(errors));
    return { kind: "deployable", plan: await this.plan(), warnings: list(found) };
  }

  #parsed(): Promise<Document> {
    const { kind, namespace, name } = this.#stored;
    const parse = kind === "api" ? parseDocument : parseStaticRoute;
    return this.#document ??= this.#inTurn(async () => {
      const expected = await this.#match();
      return expected?.plan.document ?? await parse(await this.text(), { uri: `${namespace}/${name}` });
    });
  }

  async #match(): Promise<ExpectedPlan | undefined> {
    if (this.#expected === undefined) return undefined;
    const { fleet, document } = this.#expected.plan;
    const { namespace, name } = this.#stored.fleet;
    const isSame = fleet.namespace === namespace && fleet.name === name &&
      document.written.source.text() === await this.text();
    return isSame ? this.#expected : undefined;
  }
}

/**
 * The plans of deployed resources: each definition is read, planned and checked once per version. The cache works on
 * one definition at a time, and yields to timers and requests in between.
 */
export class PlanCache {
  readonly #check: typeof checkDeployment;
  readonly #known = new Map<string, PlannedDefinition>();
  readonly #expected = new Map<string, ExpectedPlan>();
  readonly #turns = createTurns();
  /** Resolves when all steps so far are done, including those that wait: the next step runs after them. */
  #last: Promise<unknown> = Promise.resolve();

  /**
   * `check` finds why a definition can't be deployed; `createDeploymentCheck` makes one that caches its validators.
   */
  constructor({ check = checkDeployment }: { check?: typeof checkDeployment | undefined } = {}) {
    this.#check = check;
  }

  /** Returns the same object as long as the version is the same. */
  get(stored: StoredDefinition): PlannedDefinition {
    const key = keyOf(stored);
    const known = this.#known.get(key);
    if (known?.version === stored.version) return known;
    const added = this.#add(stored, this.#expected.get(key));
    this.#known.set(key, added);
    return added;
  }

  /** Plans a version that isn't the current one, without caching it. */
  uncached(stored: StoredDefinition): PlannedDefinition {
    return this.#add(stored, undefined);
  }

  /** Takes the plan of a definition that is about to be stored, and its warnings, so that neither is made again. */
  expect(plan: RoutePlan, warnings: readonly string[] = []): void {
    this.#expected.set(keyOf(plan), { plan, warnings });
  }

  /** Forgets all plans that were given to {@linkcode expect}, and whose definitions weren't stored after all. */
  expectNothing(): void {
    this.#expected.clear();
  }

  /** Forgets a deleted definition. */
  delete(name: DefinitionName): void {
    this.#known.delete(keyOf(name));
  }

  /** Forgets all definitions but those named. */
  retain(names: readonly DefinitionName[]): void {
    const kept = new Set(names.map(keyOf));
    for (const key of this.#known.keys()) if (!kept.has(key)) this.#known.delete(key);
  }

  #add(stored: StoredDefinition, expected: ExpectedPlan | undefined): PlannedDefinition {
    return new PlannedDefinition(stored, { check: this.#check, inTurn: (step) => this.#inTurn(step), expected });
  }

  #inTurn<Result>(step: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(() => this.#turns.next()).then(step);
    this.#last = result.catch(() => {});
    return result;
  }
}

function keyOf({ kind, namespace, name }: DefinitionName): string {
  return `${kind} ${namespace}/${name}`;
}

function refused(errors: readonly string[]): CheckedPlan {
  return { kind: "refused", errors };
}

function list(diagnostics: readonly Diagnostic[]): string[] {
  const listed = diagnostics.slice(0, MOST_LISTED).map(({ line, column, pointer, message }) =>
    `${line}:${column}: ${pointer === "" ? "" : `${pointer}: `}${message}`
  );
  const rest = diagnostics.length - listed.length;
  return rest === 0 ? listed : [...listed, `There are ${rest} more.`];
}
