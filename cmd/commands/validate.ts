import { relative } from "node:path";
import { createDocumentValidation } from "../../lib/mock/lint/document_validation.ts";
import { suggest } from "../../lib/http/message.ts";
import type { Diagnostic } from "../../lib/openapi/diagnostic.ts";
import { OTHER_RULES, type RuleCode, type Severity, VALIDATION_RULES } from "../../lib/openapi/rules.ts";
import type { Severities } from "../../lib/openapi/rules.ts";
import { readLine, refuse } from "../line/command.ts";
import { EXIT } from "../line/platform.ts";
import { choice, type FlagTable } from "../line/flag.ts";
import { type Definition, textIn } from "../io/files/definition.ts";
import { displayName, toPath } from "../io/files/location.ts";
import { Progress } from "../io/terminal/progress.ts";
import { githubReport, jsonReport, summary, textReport } from "../io/terminal/report.ts";
import { definitionsOf } from "../line/operands.ts";
import { ALLOW_REMOTE_REFS } from "../io/files/reference_policy.ts";
import { OVERLAY_FLAG } from "../line/overlay_flag.ts";
import { readingOf, readOperand, showOperand } from "../line/read_operands.ts";
import type { Platform } from "../line/platform.ts";

const FLAGS = {
  "format": {
    value: "text|json|github",
    read: choice("text", "json", "github"),
    default: "text",
    description: "For a person, a program, or the annotations of a GitHub workflow.",
  },
  "severity": {
    value: "CODE=off|warning|error",
    read: readSeverity,
    many: true,
    description: "Set how bad a kind of problem is; several times. All codes: page validate of the documentation.",
  },
  "strict": { description: "Let warnings count as errors." },
  "allow-remote-refs": ALLOW_REMOTE_REFS,
  "overlay": OVERLAY_FLAG,
  "quiet": { short: "q", description: "Print problems only, no summary." },
} satisfies FlagTable;

const CODES: readonly string[] = Object.keys({ ...VALIDATION_RULES, ...OTHER_RULES });

export const VALIDATE_COMMAND = {
  name: "validate",
  usage: "[definition]... [flags]",
  description: "Prints every problem of OpenAPI definitions, with file, line and column.\n\n" +
    "A definition is a file, a URL, or - for standard input; none stands for the one in this folder. Exit code:\n" +
    "0 nothing is wrong (warnings don't count), 1 there are errors, 2 the command line is wrong, 3 a definition can't be read.",
  flags: FLAGS,
  examples: [
    { line: "gw validate openapi.yaml", does: "Problems with the lines they are in" },
    { line: "gw validate apis/*.yaml --strict", does: "Several definitions, each on its own; no warnings" },
    {
      line: "gw validate openapi.yaml --severity bad-example=error --severity ignored-sibling=off",
      does: "Examples have to fit, and fields beside a $ref don't matter",
    },
    { line: "gw validate openapi.yaml --format github", does: "Annotations of a pull request, in a GitHub workflow" },
  ],
};

/**
 * Prints the problems of definitions.
 *
 * @param args The command line after `gw validate`.
 * @param platform The process that the command runs in.
 * @returns The exit code.
 */
export async function validate(args: readonly string[], platform: Platform): Promise<number> {
  const line = readLine(VALIDATE_COMMAND, args, platform);
  if (line.kind === "exit") return line.code;
  const settings = line.values;
  const named = await definitionsOf(line.operands, settings.overlay, "gw validate");
  if (named.kind === "mistake") return refuse(named.message, VALIDATE_COMMAND.name, platform).code;
  const operands = named.definitions;

  const reading = readingOf(operands, settings, platform);
  const validateDocument = createDocumentValidation();
  const severities: Severities = Object.fromEntries(settings.severity);
  const names: string[] = [];
  const printed = new Map<string, Diagnostic>();
  const unmatched = new UnmatchedTargets();
  // Read and report one definition at a time. Otherwise all of them would be in memory.
  await using progress = new Progress(platform);
  for (const operand of operands) {
    // Nobody would read the rest of the report: gw validate apis/*.yaml | head
    if (platform.stdout.isClosed) break;
    showOperand("Checking", operand, operands, progress);
    const definition = await readOperand(operand, reading, platform, progress);
    if (definition === undefined) continue;
    names.push(definition.operand);
    if (operands.length > 1) unmatched.count(definition);
    const found = (await validateDocument(definition.document, { severities }))
      .map((diagnostic) => [JSON.stringify(diagnostic), diagnostic] as const)
      .filter(([key, diagnostic]) => !printed.has(key) && !unmatched.defers(diagnostic));
    for (const [key, diagnostic] of found) printed.set(key, diagnostic);
    if (settings.format !== "json" && found.length > 0) {
      await progress.erase();
      platform.stdout.write(report(found.map(([, diagnostic]) => diagnostic), definition, settings.format, platform));
    }
  }
  await progress.erase();
  for (const { diagnostic, definition } of unmatched.diagnostics()) {
    printed.set(JSON.stringify(diagnostic), diagnostic);
    if (settings.format !== "json") platform.stdout.write(report([diagnostic], definition, settings.format, platform));
  }
  const diagnostics = [...printed.values()];
  if (settings.format === "json") platform.stdout.write(jsonReport(diagnostics));
  if (settings.format === "text" && !settings.quiet && names.length > 0) {
    platform.stdout.write(summary(diagnostics, names));
  }

  if (names.length < operands.length) return EXIT.environment;
  const refused = diagnostics.some(({ severity }) => severity === "error" || settings.strict);
  return refused ? EXIT.input : EXIT.fine;
}

/**
 * Collects the warnings that an overlay's target finds nothing. An overlay may apply to several definitions: such a
 * warning is reported, after the last definition, only if the target finds nothing in any of them.
 */
class UnmatchedTargets {
  /** The definitions that each overlay applies to, by its URI. */
  readonly #applied = new Map<string, Definition[]>();
  readonly #found = new Map<string, Diagnostic[]>();

  count(definition: Definition): void {
    for (const { overlay: { uri } } of definition.overlays) {
      this.#applied.set(uri, [...this.#applied.get(uri) ?? [], definition]);
    }
  }

  /**
   * Keeps the warning that a target finds nothing until the last definition was checked. Returns whether the diagnostic
   * is such a warning.
   */
  defers(diagnostic: Diagnostic): boolean {
    if (diagnostic.code !== "unmatched-target" || !this.#applied.has(diagnostic.uri)) return false;
    const key = JSON.stringify(diagnostic);
    this.#found.set(key, [...this.#found.get(key) ?? [], diagnostic]);
    return true;
  }

  /** The warnings to report, each with one definition that the overlay applies to. */
  diagnostics(): { diagnostic: Diagnostic; definition: Definition }[] {
    return [...this.#found.values()].flatMap((times) => {
      const [diagnostic] = times;
      const applied = diagnostic === undefined ? [] : this.#applied.get(diagnostic.uri) ?? [];
      const [definition] = applied;
      if (diagnostic === undefined || definition === undefined || times.length < applied.length) return [];
      return [{ diagnostic, definition }];
    });
  }
}

/** Reads `bad-example=off`. */
function readSeverity(written: string): [RuleCode, Severity | "off"] {
  const [, code = written, severity = ""] = /^([^=]*)=(.*)$/.exec(written.trim()) ?? [];
  if (!isCode(code)) {
    const [nearest] = suggest(code, CODES);
    const hint = nearest === undefined
      ? "The page validate of the documentation lists them."
      : `Did you mean ${nearest}?`;
    throw new RangeError(`there is no kind of problem ${code === "" ? "without a code" : code}. ${hint}`);
  }
  switch (severity) {
    case "off":
    case "warning":
    case "error":
      return [code, severity];
    default:
      throw new RangeError(`off, warning or error is meant after ${code}=.`);
  }
}

function isCode(code: string): code is RuleCode {
  return CODES.includes(code);
}

function report(
  diagnostics: readonly Diagnostic[],
  { document }: Definition,
  format: "text" | "github",
  platform: Platform,
): string {
  if (format === "github") return githubReport(diagnostics, (uri) => nameInRepository(uri, platform));
  const textOf = (uri: string): string | undefined => textIn(document, uri);
  return textReport(diagnostics, { color: platform.stdout.color, nameOf: displayName, textOf });
}

/** The path of a file from the root of the repository. GitHub's annotations need it, in whichever folder gw runs. */
function nameInRepository(uri: string, platform: Platform): string {
  const path = toPath(uri);
  const top = platform.env("GITHUB_WORKSPACE");
  if (path === undefined || top === undefined || top === "") return displayName(uri);
  const inside = relative(top, path).replaceAll("\\", "/");
  return inside.startsWith("../") ? displayName(uri) : inside;
}
