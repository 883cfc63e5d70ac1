import { checkGatewayUse } from "../mock/lint/check_gateway_use.ts";
import { checkMocking } from "../mock/lint/check_mocking.ts";
import { checkMatches } from "../mock/condition/example_matcher.ts";
import type { ConfiguredOperation } from "../openapi/lint/operations.ts";
import { atKey, error, warning } from "../openapi/lint/report.ts";
import type { Document } from "../openapi/document.ts";
import { EXTENSION, type Extension, readLevel } from "../openapi/extension/extension.ts";
import type { ExtensionSettings } from "../openapi/extension/settings.ts";
import { suggest } from "../http/message.ts";
import { child, entries, type Node } from "../schema/json/node.ts";
import { parsePointer } from "../schema/json/pointer.ts";
import { nameOf } from "../openapi/operation.ts";
import type { UnlocatedDiagnostic } from "../openapi/diagnostic.ts";
import { checkDocument } from "../openapi/lint/lint.ts";
import type { Validators } from "../openapi/lint/structure.ts";
import { planRoutes, planStaticRoute } from "./plan_routes.ts";
import { type PlannedRoute, showRoutePath, upstreamsOf } from "./route.ts";

/** Options of {@linkcode checkDeployment}. */
export interface DeploymentOptions {
  /** Whether the definition is deployed as an API or as a static route. Default: `api`. */
  kind?: "api" | "static-route";
  /**
   * Whether the gateway supports logins (`auth.oauth2`), as that of a cluster does. There the mocks also run in several
   * replicas, which don't share state. Default: false, as for the embedded gateway.
   */
  oauth2?: boolean;
}

/** Placeholders for the names of the API and its fleet, on which diagnostics don't depend. */
const PLACEHOLDER_NAMES = { namespace: "", name: "", fleet: { namespace: "", name: "" } };

/**
 * Finds the errors that prevent a definition's deployment, and warnings. `locateDiagnostics` adds their lines and
 * columns.
 *
 * @param document The definition, read without loading the texts that it refers to. A server never fetches what a
 * definition names, so a reference to another text is an error.
 */
export function checkDeployment(document: Document, options: DeploymentOptions = {}): Promise<UnlocatedDiagnostic[]> {
  return createDeploymentCheck()(document, options);
}

/**
 * The budget for validating the examples of a definition. It is smaller than that of `gw validate`, because a client
 * waits for the deployment.
 */
const EXAMPLE_WORK = { steps: 1_000_000, explained: 100_000, reported: 20 };

/** The most diagnostics that the check of a definition reports. */
const MOST_PROBLEMS = 1_000;

/** Codes of errors after which the check stops. */
const FINAL_CODES = new Set(["not-openapi", "syntax", "too-many-problems"]);

/** Creates a {@linkcode checkDeployment} that caches validators, and so is faster from the second definition on. */
export function createDeploymentCheck(): typeof checkDeployment {
  const validators: Validators = new Map();
  return (document, options = {}) => check(document, options, validators);
}

async function check(
  document: Document,
  options: DeploymentOptions,
  validators: Validators,
): Promise<UnlocatedDiagnostic[]> {
  const { kind = "api", oauth2 = false } = options;
  const checked = await checkDocument(document, {
    validators,
    exampleWork: EXAMPLE_WORK,
    mostProblems: MOST_PROBLEMS,
  });
  const { operations } = checked;
  const diagnostics = checked.diagnostics.map(suggestValidate);
  // A definition that can't be read has no routes to check, and one with too many problems needs no further
  // diagnostics.
  if (diagnostics.some(({ code, severity }) => severity === "error" && FINAL_CODES.has(code))) return diagnostics;
  const root = readLevel(document, document.root, "root");
  return [
    ...new Set([
      ...diagnostics,
      ...(kind === "api"
        ? [
          ...checkMocking(operations),
          ...checkGatewayUse(document, operations),
          ...operations.flatMap(({ operation }) => checkMatches(operation)),
          ...checkActions(document, operations),
        ]
        : checkStaticRoute(document, root)),
      ...checkSettings(planOf(document, kind), oauth2),
    ]),
  ];
}

/** Adds to the warning about examples that weren't validated that `gw validate` validates more of them. */
function suggestValidate(diagnostic: UnlocatedDiagnostic): UnlocatedDiagnostic {
  if (diagnostic.code !== "unchecked-examples") return diagnostic;
  return { ...diagnostic, message: `${diagnostic.message} \`gw validate\` takes longer, and checks more.` };
}

function planOf(document: Document, kind: "api" | "static-route"): readonly PlannedRoute[] {
  const api = { ...PLACEHOLDER_NAMES, document };
  return (kind === "api" ? planRoutes(api) : planStaticRoute(api)).routes;
}

const NOT_YOURS = "If the definition isn't yours, `gw deploy --mock` and `gw deploy --upstream URL` do it for this " +
  "deployment, and `--overlay FILE` does more.";

/** Reports operations without an action: each of them, or all by one error if no operation has an action. */
function checkActions({ root }: Document, operations: readonly ConfiguredOperation[]): UnlocatedDiagnostic[] {
  const unanswered = operations.filter(({ extension }) => !hasAction(extension.settings) && !hasBadAction(extension));
  if (unanswered.length > 1 && unanswered.length === operations.length) {
    const [misspelt, at] = entries(root).find(([key]) => /^x-./i.test(key) && suggest(key, [EXTENSION]).length > 0) ??
      [];
    if (at !== undefined) {
      const message = `None of the ${unanswered.length} operations has an action: did you mean \`${EXTENSION}\` by ` +
        `\`${misspelt}\`?`;
      return [atKey(error("no-action", message, at))];
    }
    const message = `None of the ${unanswered.length} operations has an action: give the definition ` +
      `\`${EXTENSION}: {mocking: {enabled: true}}\` at its top to mock them all, or \`${EXTENSION}.upstream\`, ` +
      "`upstreams` or `redirect`; single operations may have an `" + EXTENSION + "` of their own. " + NOT_YOURS;
    return [error("no-action", message, root)];
  }
  return unanswered.map(({ operation }) => {
    const message = `\`${nameOf(operation)}\` has no action: give it \`${EXTENSION}.upstream\`, \`upstreams\`, ` +
      "`redirect` or `mocking: {enabled: true}`, or hide it by `disabled: true`; at the top of the definition they hold " +
      "for all operations." + (operations.length === 1 ? ` ${NOT_YOURS}` : "");
    return atKey(error("no-action", message, operation.node));
  });
}

function hasAction(settings: ExtensionSettings): boolean {
  const { disabled, redirect, mocking } = settings;
  return disabled === true || redirect !== undefined || mocking?.enabled === true || upstreamsOf(settings).length > 0;
}

/** The keys of `x-svc` that give an operation an action. */
const ACTION_KEYS: readonly string[] = ["disabled", "mocking", "redirect", "upstream", "upstreams"];

/** Whether an action is written that is wrong or misspelt, which has an error of its own. */
function hasBadAction({ diagnostics }: Extension): boolean {
  return diagnostics.some(({ severity, code, pointer }) => {
    if (severity !== "error") return false;
    const tokens = parsePointer(pointer);
    const key = tokens[tokens.indexOf(EXTENSION) + 1];
    // Without a key, the whole `x-svc` is wrong.
    if (key === undefined || ACTION_KEYS.includes(key)) return true;
    return code === "unknown-extension-key" && suggest(key, ACTION_KEYS).length > 0;
  });
}

function checkStaticRoute(document: Document, extension: Extension): UnlocatedDiagnostic[] {
  const { root } = document;
  const { settings } = extension;
  const diagnostics: UnlocatedDiagnostic[] = [];
  const isAnswered = settings.disabled === true || settings.redirect !== undefined || upstreamsOf(settings).length > 0;
  if (!isAnswered && !hasBadAction(extension)) {
    const message = `A static route needs \`${EXTENSION}.upstream\`, \`upstreams\` or \`redirect\` at the top of its ` +
      "document.";
    diagnostics.push(error("no-action", message, root));
  }
  const paths = child(root, "paths");
  if (typeof paths.value === "object" && paths.value !== null && Object.keys(paths.value).length > 0) {
    const message = "A static route takes every path; what stands under `paths` is not looked at. Deploy it as an API.";
    diagnostics.push(atKey(warning("ignored-paths", message, paths)));
  }
  return diagnostics;
}

/** Reports settings that the gateway doesn't support, settings without effect, and operations with equal requests. */
function checkSettings(routes: readonly PlannedRoute[], oauth2: boolean): UnlocatedDiagnostic[] {
  const diagnostics = new Map<string, UnlocatedDiagnostic>();
  const report = (diagnostic: UnlocatedDiagnostic): void => {
    const { source, pointer, code } = diagnostic;
    const place = `${source.uri}#${pointer} ${code}`;
    if (!diagnostics.has(place)) diagnostics.set(place, diagnostic);
  };
  const first = new Map<string, PlannedRoute>();
  for (const route of routes) {
    const { settings: { auth, cors, cache, mocking }, origins } = route;
    const isStateful = route.action.kind === "mock" && mocking?.stateful === true;
    if (isStateful && oauth2 && origins.mocking !== undefined) report(unsharedState(origins.mocking));
    if (auth?.oauth2 !== undefined && !oauth2 && origins.auth !== undefined) report(noOauth2(origins.auth));
    if (cors !== undefined && cors.origins === undefined && origins.cors !== undefined) report(noOrigins(origins.cors));
    if (cache?.enabled === true && cache.max_age === undefined && origins.cache !== undefined) {
      report(noMaxAge(origins.cache));
    }
    const request = `${route.method} ${showRoutePath(route)}`;
    const earlier = first.get(request);
    if (earlier === undefined) first.set(request, route);
    else reportTwice(request, route);
  }
  return [...diagnostics.values()];

  function reportTwice(request: string, { operation, origins }: PlannedRoute): void {
    const node = operation?.node ?? origins.public_api_path;
    if (node === undefined) return;
    report(error("duplicate-route", `${request} is taken by another operation of this definition.`, node));
  }
}

function noOauth2(auth: Node): UnlocatedDiagnostic {
  const message = `The embedded gateway can't log users in: \`${EXTENSION}.auth.oauth2\` works in a cluster only. ` +
    "Use `auth.jwt` or `auth.custom` here.";
  return atKey(error("unsupported-setting", message, child(auth, "oauth2")));
}

function unsharedState(mocking: Node): UnlocatedDiagnostic {
  const message = `Each replica of the mocks keeps the state of \`${EXTENSION}.mocking.stateful\` in its own memory: ` +
    "run one replica, or send the requests of a session to the same one, by the header X-Gw-Session.";
  return atKey(warning("unshared-state", message, mocking));
}

function noOrigins(cors: Node): UnlocatedDiagnostic {
  const message = `\`${EXTENSION}.cors\` has no \`origins\`, so that no page may read the answers.`;
  return atKey(warning("cors-without-origins", message, cors));
}

function noMaxAge(cache: Node): UnlocatedDiagnostic {
  const message = `\`${EXTENSION}.cache\` is enabled without \`max_age\`, so that it says nothing.`;
  return atKey(warning("cache-without-age", message, cache));
}
