import { messageOf } from "../../lib/http/message.ts";
import { checkMockable } from "../../lib/mock/lint/check_mockable.ts";
import { createRedactor } from "../../lib/observe/secrets/redactor.ts";
import type { UnlocatedDiagnostic } from "../../lib/openapi/diagnostic.ts";
import {
  type Definition,
  type DefinitionOptions,
  documentsOf,
  readDefinition,
  withoutRepeatedTargets,
} from "../io/files/definition.ts";
import type { Log } from "../io/terminal/log.ts";
import { isRemote, toUri } from "../io/files/location.ts";
import type { OverlayFiles } from "../io/files/overlay_files.ts";
import { Progress } from "../io/terminal/progress.ts";
import type { TlsFiles } from "../io/tls.ts";
import * as say from "./messages.ts";
import type { MockSettings, ServerSettings } from "./settings.ts";
import { overlayArguments } from "../line/overlay_flag.ts";
import { EXIT, type Platform } from "../line/platform.ts";
import { explainUnreadable, readingOf } from "../line/read_operands.ts";

/** What a server reads before it starts: definitions, certificate, rules. */
export interface MockInputs {
  readonly kind: "read";
  /** The options for reading the definitions, at the start and at each reload. */
  readonly reading: DefinitionOptions & { readonly overlays: OverlayFiles };
  readonly definitions: readonly Definition[];
  /** The warnings about the definitions. */
  readonly diagnostics: readonly UnlocatedDiagnostic[];
  readonly tls: TlsFiles | undefined;
}

/** Reading failed. The log has a message. */
interface Failed {
  readonly kind: "failed";
  /** The exit code. */
  readonly code: number;
}

/** Reads and checks the definitions, the certificate and the rules that the settings name. */
export async function readInputs(
  settings: ServerSettings,
  platform: Platform,
  log: Log,
): Promise<MockInputs | Failed> {
  const { stderr: { color } } = platform;
  const operands = settings.in;
  const reading = readingOf(operands, settings, platform);
  const read = await readDefinitions(operands, reading, { platform, log });
  if (read.kind === "failed") return read;
  const tls = await readTls(settings, log);
  if (tls.kind === "failed") return tls;
  const { definitions } = read;
  const diagnostics = await checkDefinitions(definitions, settings);
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length > 0) {
    log.complain(say.firstProblems(errors, inputNames(settings), { color }));
    return { kind: "failed", code: EXIT.input };
  }
  const mistakes = settings.rule.length === 0
    ? []
    : await (await import("./check_rules.ts")).mistakesInRules(settings.rule, documentsOf(definitions));
  if (mistakes.length > 0) {
    log.complain(mistakes);
    return { kind: "failed", code: EXIT.usage };
  }
  return { kind: "read", reading, definitions, diagnostics, tls: tls.files };
}

/** The names of definitions and overlays, as the user wrote them. */
export function inputNames(settings: Pick<ServerSettings, "in" | "overlay">): string[] {
  return [...settings.in, ...overlayArguments(settings.overlay)];
}

/** Finds the warnings about definitions, and the errors because of which they can't be mocked together. */
export async function checkDefinitions(
  definitions: readonly Definition[],
  settings: Pick<MockSettings, "as-gateway">,
): Promise<UnlocatedDiagnostic[]> {
  const diagnostics = await checkMockable(documentsOf(definitions), { asGateway: settings["as-gateway"] });
  return withoutRepeatedTargets(diagnostics, definitions);
}

async function readDefinitions(
  operands: readonly string[],
  options: DefinitionOptions,
  { platform, log }: { platform: Platform; log: Log },
): Promise<{ kind: "read"; definitions: readonly Definition[] } | Failed> {
  const progress = new Progress(platform);
  const remote = operands.find((operand) => isRemote(toUri(operand)));
  if (remote !== undefined) progress.update(`Reading ${createRedactor().url(remote)}`);
  const outcomes = await Promise.allSettled(operands.map((operand) => readDefinition(operand, options)));
  await progress.erase();
  const definitions: Definition[] = [];
  const complaints = new Set<string>();
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === "fulfilled") definitions.push(outcome.value);
    else complaints.add(await explainUnreadable(outcome.reason, operands[index] ?? ""));
  }
  for (const complaint of complaints) log.complain(complaint);
  return definitions.length === outcomes.length
    ? { kind: "read", definitions }
    : { kind: "failed", code: EXIT.environment };
}

async function readTls(
  { "tls-cert": certFile, "tls-key": keyFile }: MockSettings,
  log: Log,
): Promise<{ kind: "read"; files?: TlsFiles } | Failed> {
  if (certFile === undefined || keyFile === undefined) return { kind: "read" };
  try {
    const { readTlsFiles } = await import("../io/tls.ts");
    return { kind: "read", files: await readTlsFiles(certFile, keyFile) };
  } catch (error) {
    log.complain(messageOf(error));
    return { kind: "failed", code: EXIT.environment };
  }
}
