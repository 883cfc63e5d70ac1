import { writeLine } from "../io/terminal/terminal.ts";
import { oneLine } from "../../lib/http/one_line.ts";
import { isObject, type JsonObject } from "../../lib/schema/json/node.ts";
import { parseStaticRoute } from "../../lib/gateway/plan_routes.ts";
import { bundle } from "../../lib/openapi/bundle.ts";
import { parseOverlay } from "../../lib/openapi/overlay/parse_overlay.ts";
import { overlaidText } from "../../lib/openapi/overlay/overlaid_text.ts";
import { parseDocument } from "../../lib/openapi/document.ts";
import { apiNameOf, nameSourceOf } from "../io/files/definition.ts";
import { readLine, refuse } from "../line/command.ts";
import { explainConditions, readWait, waitUntilServed } from "../remote/deploy_wait.ts";
import { explainWarnings, refusalMessage, servedAt } from "../remote/deploy_messages.ts";
import { EXIT } from "../line/platform.ts";
import { actionsOverlay, upstreamKeysIn } from "../remote/deploy_overlay.ts";
import { httpUrl, text } from "../line/flag.ts";
import { type Definition, type DefinitionOptions, definitionText } from "../io/files/definition.ts";
import { isRemote, STDIN, toUri } from "../io/files/location.ts";
import { type Client, type ClientReply, UnreachableError } from "../io/gateway/management_client.ts";
import { messageOf } from "../../lib/http/message.ts";
import { type Reload, Reloader } from "../io/files/reloader.ts";
import { createRetrier } from "../io/scheduling.ts";
import { definitionsOf } from "../line/operands.ts";
import { ALLOW_REMOTE_REFS } from "../io/files/reference_policy.ts";
import { OVERLAY_FLAG } from "../line/overlay_flag.ts";
import { firstProblems, readingProblems, unreadable } from "../mock/messages.ts";
import { connect, exitCodeOf, isFine, REMOTE_FLAGS } from "../remote/server.ts";
import { readingOf, readOperands } from "../line/read_operands.ts";
import type { Platform } from "../line/platform.ts";

export const DEPLOY_COMMAND = {
  name: "deploy",
  usage: "[definition] [flags]",
  description: "Deploys an OpenAPI definition to a running gw serve, or replaces what was deployed under its name.\n" +
    "With --static-route it is a document whose x-svc says where the requests go that no API takes.",
  flags: {
    ...REMOTE_FLAGS,
    "name": {
      value: "NAME",
      read: text,
      description:
        "Name of the API. Default: that of the file without its ending; of openapi.yaml and the like, the title.",
    },
    "fleet": {
      short: "f",
      value: "FLEET",
      read: text,
      description: "Fleet that serves it: NAME, or NAMESPACE/NAME. Default: the one it is on, else the default fleet.",
    },
    "mock": {
      description:
        "Mock all operations, those without examples by bodies from their schemas: for a definition that isn't " +
        "yours. --dry-run shows the overlay that does it.",
    },
    "upstream": {
      value: "URL",
      read: httpUrl,
      description: "Send the operations that aren't mocked to this server, in place of the upstream of the definition.",
    },
    "overlay": OVERLAY_FLAG,
    "allow-remote-refs": ALLOW_REMOTE_REFS,
    "static-route": { description: "Deploy a static route: only the x-svc of the document counts." },
    "watch": { short: "w", description: "Deploy again on each save, until told to stop." },
    "wait": {
      value: "TIME",
      read: readWait,
      description: "Wait until a cluster serves it, for TIME at most: 60s, 2m; 0 doesn't. Default: 60s on a terminal.",
    },
    "dry-run": { description: "Only say whether it could be deployed." },
    "quiet": { short: "q", description: "Print only errors." },
  },
  examples: [
    { line: "gw deploy todo.yaml", does: "As default/todo on the default fleet" },
    { line: "gw deploy openapi.yaml --name todo --fleet edge", does: "Under another name, on another fleet" },
    { line: "gw deploy todo.yaml --wait 2m", does: "And end with exit code 3 if a cluster doesn't serve it by then" },
    { line: "gw deploy todo.yaml --watch", does: "Again whenever the file is saved" },
    { line: "gw deploy stripe.json --mock", does: "A definition without x-svc, mocked" },
    { line: "gw deploy stripe.json --upstream https://api.stripe.com", does: "The same, sent on" },
    { line: "gw deploy rest.yaml --static-route", does: "Of `x-svc: {upstream: {service: {name: web}}}`" },
  ],
};

/**
 * The kinds of resources that have a definition, with their names in messages, paths in the management API, and
 * parsers.
 */
const DEPLOYED = {
  api: { name: "api", path: "/apis", parse: parseDocument },
  staticRoute: { name: "staticroute", path: "/staticroutes", parse: parseStaticRoute },
} as const;

/** What a deployment needs beside the definition. */
interface Target {
  client: Client;
  kind: (typeof DEPLOYED)[keyof typeof DEPLOYED];
  namespace: string;
  name: string;
  /** The file, or the title, after which the resource is named; `undefined` if neither names it. */
  source: string | undefined;
  /** Whether the command line gives the name, so that what came from another file may be replaced. */
  isNamed: boolean;
  fleet: { name: string; namespace: string } | undefined;
  dryRun: boolean;
  quiet: boolean;
  /** The most milliseconds to wait until it is served. */
  wait: number;
}

/** The default of `--wait` on a terminal, in milliseconds. */
const DEFAULT_WAIT = 60_000;

/**
 * Deploys a definition.
 *
 * @param args The command line after `gw deploy`.
 * @param platform The process that the command runs in.
 * @returns The exit code.
 */
export async function deploy(args: readonly string[], platform: Platform): Promise<number> {
  const line = readLine(DEPLOY_COMMAND, args, platform);
  if (line.kind === "exit") return line.code;
  const settings = line.values;
  const named = await definitionsOf(line.operands, settings.overlay, "gw deploy");
  if (named.kind === "mistake") return refuse(named.message, DEPLOY_COMMAND.name, platform).code;
  const [operand, ...more] = named.definitions;
  if (operand === undefined || more.length > 0) {
    return refuse("Which definition? Name one file, one URL, or - for standard input.", DEPLOY_COMMAND.name, platform)
      .code;
  }
  if (settings.watch && (operand === STDIN || isRemote(toUri(operand)))) {
    const what = operand === STDIN ? "Standard input" : "A URL";
    return refuse(`${what} can't be watched; deploy it again when it has changed.`, DEPLOY_COMMAND.name, platform).code;
  }

  if (settings.mock && settings["static-route"]) {
    return refuse("--mock is for APIs: a static route has no operations.", DEPLOY_COMMAND.name, platform).code;
  }

  const kind = settings["static-route"] ? DEPLOYED.staticRoute : DEPLOYED.api;
  const { mock, upstream } = settings;
  let flagsOverlay: JsonObject | undefined;
  const parse: typeof parseDocument = async (definition, options) => {
    if (!mock && upstream === undefined) return await kind.parse(definition, options);
    const replaced = upstream === undefined ? [] : upstreamKeysIn(await kind.parse(definition, options));
    flagsOverlay = actionsOverlay({ mock, upstream }, replaced);
    const overlay = await parseOverlay(flagsOverlay, { uri: "flags" });
    return await kind.parse(definition, { ...options, overlays: [...options?.overlays ?? [], overlay] });
  };
  const reading = { ...readingOf([operand], settings, platform), parse };
  const [read] = await readOperands([operand], reading, platform);
  if (read === undefined) return EXIT.environment;
  const namespace = settings.namespace ?? "default";
  const target: Target = {
    client: connect(settings.server, platform),
    kind,
    namespace,
    name: settings.name ?? apiNameOf(read),
    source: operand === STDIN ? undefined : nameSourceOf(read) || undefined,
    isNamed: settings.name !== undefined,
    fleet: readFleet(settings.fleet, namespace),
    dryRun: settings["dry-run"],
    quiet: settings.quiet,
    wait: settings.wait ?? (platform.terminal === undefined || settings.watch ? 0 : DEFAULT_WAIT),
  };
  if (flagsOverlay !== undefined && target.dryRun && !target.quiet) await showOverlay(flagsOverlay, platform);
  const outcome = await deployOnce(read, target, platform);
  return settings.watch ? await watch(read, outcome, target, reading, platform) : outcome.code;
}

/** Prints the overlay of flags, for a file of one's own. */
async function showOverlay(overlay: JsonObject, platform: Platform): Promise<void> {
  const [{ dump }, { printableYaml }] = await Promise.all([import("js-yaml"), import("../io/files/yaml.ts")]);
  platform.stdout.write(`With this overlay:\n${printableYaml(dump(overlay, { flowLevel: 5 }))}`);
}

interface Outcome {
  readonly code: number;
  /** Whether the server can't be reached or is unavailable, so that a later attempt may succeed. */
  readonly isAway: boolean;
}

/** Deploys again at each change of the definition, and retries while the server is unavailable. */
async function watch(
  definition: Definition,
  first: Outcome,
  target: Target,
  reading: DefinitionOptions,
  platform: Platform,
): Promise<number> {
  let wasAway = first.isAway;
  const deployments = createRetrier<Definition>(async (definition) => {
    const { isAway } = await deployOnce(definition, target, platform, wasAway);
    if (isAway && !wasAway) platform.stderr.write(TRYING_AGAIN);
    wasAway = isAway;
    return !isAway;
  });
  const reloader = new Reloader([definition], { ...reading, watch: true }, deployAgain);
  if (first.isAway) {
    platform.stderr.write(TRYING_AGAIN);
    deployments.give(definition);
  }
  if (!target.quiet) platform.stdout.write(`Watching ${reloader.files} file${reloader.files === 1 ? "" : "s"}.\n`);
  await new Promise<void>((resolve) => {
    const forget = platform.onStop(() => {
      forget();
      resolve();
    });
  });
  reloader.close();
  deployments.close();
  return EXIT.fine;

  function deployAgain(reload: Reload): void {
    switch (reload.kind) {
      case "reloaded":
        reload.definitions.forEach(deployments.give);
        return;
      case "broken":
        return complain(
          firstProblems(reload.definition.document.unlocatedDiagnostics, [reload.definition.operand], {
            color: platform.stderr.color,
          }),
        );
      case "unreadable":
        return complain([oneLine(unreadable(reload.operand, reload.reason))]);
      case "readable":
        return;
    }
  }

  function complain(lines: readonly string[]): void {
    platform.stderr.write(`${lines.join("\n")}\nWhat was deployed before stays.\n`);
  }
}

const TRYING_AGAIN = "Trying again until the server answers.\n";

/**
 * Creates or replaces the resource, and prints the outcome.
 *
 * @param wasAway Whether the server was unavailable at the attempt before. Then the message that it is isn't repeated.
 */
async function deployOnce(
  definition: Definition,
  target: Target,
  platform: Platform,
  wasAway = false,
): Promise<Outcome> {
  const { document } = definition;
  const { report, isRefused } = readingProblems([definition], { color: platform.stderr.color });
  platform.stderr.write(report);
  if (isRefused) return { code: EXIT.input, isAway: false };
  // The server loads no references and applies no overlays, so the text that is sent contains their results.
  const bundled = bundle(document) ?? overlaidText(document);
  const openapi = bundled?.text ?? definitionText(definition);
  let answer: Put;
  try {
    answer = await put(openapi, target);
  } catch (error) {
    const isAway = error instanceof UnreachableError;
    if (!isAway || !wasAway) writeLine(platform.stderr, messageOf(error));
    return { code: EXIT.environment, isAway };
  }
  if (answer.kind === "another-source") {
    writeLine(platform.stderr, anotherSource(answer.source, target));
    return { code: EXIT.input, isAway: false };
  }
  const { reply, verb } = answer;
  const sent = { definition, bundled };
  if (!isFine(reply)) {
    const isAway = AWAY.has(reply.status);
    if (!isAway || !wasAway) platform.stderr.write(await refusalMessage(reply, sent, platform.stderr.color));
    return { code: exitCodeOf(reply), isAway };
  }
  platform.stderr.write(await explainWarnings(reply, sent, platform.stderr.color));
  const fleet = fleetOf(reply.body);
  const place = fleet === undefined ? "" : ` on fleet ${fleet.proxyFleetNamespace}/${fleet.proxyFleetName}`;
  if (!target.quiet) {
    writeLine(platform.stdout, `${verb} ${target.kind.name} ${target.namespace}/${target.name}${place}.`);
    platform.stdout.write(servedAt(reply, document));
  }
  return { code: target.dryRun ? EXIT.fine : await waitFor(target, platform), isAway: false };
}

/** Waits until what was deployed is served, and returns the exit code. */
async function waitFor(target: Target, platform: Platform): Promise<number> {
  const { client, kind, namespace, name, wait } = target;
  if (wait === 0) return EXIT.fine;
  try {
    const served = await waitUntilServed(client, pathOf(target), wait);
    if (served.kind === "served") return EXIT.fine;
    writeLine(platform.stderr, `The ${kind.name} ${namespace}/${name} is stored, but isn't served:`);
    platform.stderr.write(explainConditions(served.conditions));
  } catch (error) {
    writeLine(platform.stderr, messageOf(error));
  }
  return EXIT.environment;
}

function pathOf({ kind, namespace, name }: Pick<Target, "kind" | "namespace" | "name">): string {
  return `${kind.path}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
}

/**
 * Statuses that the server, or a proxy in front of it, answers while the server is unavailable. A later attempt may
 * succeed.
 */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504]);

type Put =
  | { readonly kind: "sent"; readonly reply: ClientReply; readonly verb: string }
  /** The resource of this name was deployed from another file, so nothing was sent. */
  | { readonly kind: "another-source"; readonly source: string };

function anotherSource(before: string, { kind, namespace, name, source = "" }: Target): string {
  return `The ${kind.name} ${namespace}/${name} was deployed from ${before}, and this is ${source}. Both have this name ` +
    `by default. Give this one another by --name NAME, or replace the other by --name ${name}.`;
}

async function put(openapi: string, target: Target): Promise<Put> {
  const { client, kind, namespace, name, source, isNamed, fleet, dryRun } = target;
  const query = dryRun ? "?dryRun=true" : "";
  const path = pathOf(target);
  const content = {
    name,
    namespace,
    openapi,
    ...(fleet === undefined ? {} : { proxyFleetName: fleet.name, proxyFleetNamespace: fleet.namespace }),
  };
  const known = await client({ method: "GET", path });
  if (isFine(known)) {
    if (!isNamed && source !== undefined && known.source !== undefined && known.source !== source) {
      return { kind: "another-source", source: known.source };
    }
    const stays = fleet === undefined ? fleetOf(known.body) : undefined;
    const reply = await client({ method: "PUT", path: path + query, content: { ...stays, ...content }, source });
    const isUnchanged = reply.etag !== null && reply.etag === known.etag;
    return { kind: "sent", reply, verb: dryRun ? "Could replace" : isUnchanged ? "Unchanged:" : "Replaced" };
  }
  if (known.status !== 404) return { kind: "sent", reply: known, verb: "" };
  const reply = await client({ method: "POST", path: `${kind.path}${query}`, content, source });
  return { kind: "sent", reply, verb: dryRun ? "Could create" : "Created" };
}

/** The fleet of the API or static route in a response, as parameters of the next request. */
function fleetOf(body: unknown): { proxyFleetName: string; proxyFleetNamespace: string } | undefined {
  if (!isObject(body)) return undefined;
  const { fleet, proxyFleetName: name, proxyFleetNamespace: namespace } = body;
  if (isObject(fleet)) {
    return { proxyFleetName: String(fleet["name"]), proxyFleetNamespace: String(fleet["namespace"]) };
  }
  return name === undefined ? undefined : { proxyFleetName: String(name), proxyFleetNamespace: String(namespace) };
}

function readFleet(written: string | undefined, namespace: string): Target["fleet"] {
  if (written === undefined) return undefined;
  const [first = "", second] = written.split("/");
  return second === undefined ? { name: first, namespace } : { name: second, namespace: first };
}
