import { checkDeployment } from "../../../lib/gateway/check_deployment.ts";
import { parseStaticRoute, planRoutes, planStaticRoute } from "../../../lib/gateway/plan_routes.ts";
import type { FleetRef, RoutePlan } from "../../../lib/gateway/route.ts";
import { type Diagnostic, locateDiagnostics } from "../../../lib/openapi/diagnostic.ts";
import { type Document, parseDocument } from "../../../lib/openapi/document.ts";
import { messageOf } from "../../../lib/http/message.ts";
import { createTurns } from "../scheduling.ts";

/** Identifies the resource of a definition. */
export type DefinitionName = Pick<RoutePlan, "kind" | "namespace" | "name">;

/** A definition in the store. */
export interface StoredDefinition extends DefinitionName {
  readonly fleet: FleetRef;
  /** Differs if the text or the fleet differs. */
  readonly version: string;
  /** Reads the text. Called at most once per version. */
  readText: () => string | Promise<string>;
}

/** A plan that can be deployed, or the errors because of which the definition can't be. */
export type CheckedPlan =
  | { kind: "deployable"; plan: RoutePlan; warnings: readonly string[] }
  /** Each error is a sentence after its position: `3:5: /paths: …`. */
  | { kind: "refused"; errors: readonly string[] };

/** A plan that was made before its definition was stored, with the warnings of the check. */
interface ExpectedPlan {
  readonly plan: RoutePlan;
  readonly warnings: readonly string[];
}

/** Runs a step after all earlier steps, also those of other definitions, are done. */
type InTurn = <Result>(step: () => Promise<Result>) => Promise<Result>;

/** The number of errors, and of warnings, that are listed for a definition. */
const MOST_LISTED = 10;

/**
 * One version of a definition. Each of these steps runs on demand, at most once:
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

  /**
   * @param expected The plan that was made before the definition was stored. If text and fleet are the same, this plan
   * is used, and the text isn't parsed.
   */
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

  /** The text. Rejects if the store can't read it. */
  text(): Promise<string> {
    return this.#text ??= Promise.resolve().then(() => this.#stored.readText());
  }

  /** The plan, without checking whether it can be deployed. Rejects if the definition has no plan. */
  plan(): Promise<RoutePlan> {
    return this.#plan ??= this.#makePlan();
  }

  /** Checks whether the definition can be deployed. Never rejects: an unreadable definition counts as refused. */
  check(): Promise<CheckedPlan> {
    return this.#checked ??= this.#makeCheck().catch((error: unknown) => refused([messageOf(error)]));
  }

  /**
   * Like {@linkcode check}, for a definition that passed a check before. Makes the plan, and returns the given
   * warnings.
   */
  async trust(warnings: readonly string[]): Promise<CheckedPlan> {
    try {
      return { kind: "deployable", plan: await this.plan(), warnings };
    } catch (error) {
      return refused([messageOf(error)]);
    }
  }

  /** Like {@linkcode check}, but finds only the errors of parsing. */
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
 * The plans of deployed resources. Each version of a definition is read, planned and checked only once. The cache works
 * on one definition at a time, and between two steps lets timers and requests go first.
 */
export class PlanCache {
  readonly #check: typeof checkDeployment;
  readonly #known = new Map<string, PlannedDefinition>();
  readonly #expected = new Map<string, ExpectedPlan>();
  readonly #turns = createTurns();
  /** Resolves when all earlier steps are done, including those that wait. The next step runs then. */
  #last: Promise<unknown> = Promise.resolve();

  /**
   * @param check Finds why a definition can't be deployed. `createDeploymentCheck` makes a check that caches its
   * validators.
   */
  constructor({ check = checkDeployment }: { check?: typeof checkDeployment | undefined } = {}) {
    this.#check = check;
  }

  /** Returns the version of a definition, which is the same object as long as the version is the same. */
  get(stored: StoredDefinition): PlannedDefinition {
    const key = keyOf(stored);
    const known = this.#known.get(key);
    if (known?.version === stored.version) return known;
    const added = this.#add(stored, this.#expected.get(key));
    this.#known.set(key, added);
    return added;
  }

  /** Returns another version of a definition than the current one, without caching it. */
  uncached(stored: StoredDefinition): PlannedDefinition {
    return this.#add(stored, undefined);
  }

  /** Takes the plan and the warnings of a definition that is about to be stored. Otherwise both would be made again. */
  expect(plan: RoutePlan, warnings: readonly string[] = []): void {
    this.#expected.set(keyOf(plan), { plan, warnings });
  }

  /** Drops the plans that {@linkcode expect} took and whose definitions weren't stored. */
  expectNothing(): void {
    this.#expected.clear();
  }

  /** Drops the plan of a deleted definition. */
  delete(name: DefinitionName): void {
    this.#known.delete(keyOf(name));
  }

  /** Drops all plans but those of the named definitions. */
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
