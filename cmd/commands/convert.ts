import { printableYaml } from "../io/files/yaml.ts";
import type { Conversion, Leftover } from "../../lib/convert/conversion.ts";
import { convertKusk, isKusk } from "../../lib/convert/kusk/kusk.ts";
import { convertKuskApi, isKuskApi } from "../../lib/convert/kusk/kusk_api.ts";
import { convertMockoon, isMockoon } from "../../lib/convert/mockoon/mockoon.ts";
import { createLineIndex } from "../../lib/openapi/text/position.ts";
import { locateDiagnostics } from "../../lib/openapi/diagnostic.ts";
import { readSource } from "../../lib/openapi/text/source.ts";
import type { Source } from "../../lib/schema/json/source.ts";
import { type Command, readLine, refuse } from "../line/command.ts";
import { choice, type FlagTable } from "../line/flag.ts";
import { displayName, STDIN, toUri } from "../io/files/location.ts";
import { Progress } from "../io/terminal/progress.ts";
import { readText } from "../io/files/read.ts";
import { textReport } from "../io/terminal/report.ts";
import { oneLine } from "../../lib/http/one_line.ts";
import { createPaint, writeLine } from "../io/terminal/terminal.ts";
import { explainUnreadable, showOperand } from "../line/read_operands.ts";
import { EXIT, type Platform } from "../line/platform.ts";

const FLAGS = {
  "from": {
    value: "kusk|mockoon",
    read: choice("kusk", "mockoon"),
    description: "Program that the file is for. Default: the file shows it.",
  },
} satisfies FlagTable;

export const CONVERT_COMMAND = {
  name: "convert",
  usage: "<file> [flags]",
  description: "Converts a file of Kusk or Mockoon into an OpenAPI definition for gw, and prints it.\n\n" +
    "A file of Kusk is a definition with x-kusk, or the API resource that holds one; a file of Mockoon is an\n" +
    "environment. For each setting that gw lacks, or that means something else in gw, a line on standard error has\n" +
    "its place and what to do. The page migration of the documentation compares the programs.\n\n" +
    "Exit code: 0 all is converted, 1 something is left or the file can't be converted, 2 the command line is wrong,\n" +
    "3 the file can't be read.",
  flags: FLAGS,
  examples: [
    { line: "gw convert kusk.yaml > api.yaml", does: "x-kusk becomes x-svc; the rest of the text stays as it is" },
    {
      line: "gw convert mockoon.json > api.yaml",
      does: "Routes become operations, their responses examples with conditions",
    },
    { line: "curl -s https://example.com/kusk.yaml | gw convert -", does: "From standard input" },
  ],
} satisfies Command<typeof FLAGS>;

/** A program whose files `gw convert` can read. */
interface Converter {
  /** Tells whether the contents are a file of this program. */
  recognizes: (source: Source) => boolean;
  convert: (source: Source) => Conversion | Promise<Conversion>;
  /** What a file of the program is, for messages: `an environment file of Mockoon`. */
  looks: string;
}

const CONVERTERS: Readonly<Record<"kusk" | "mockoon", Converter>> = {
  kusk: {
    recognizes: (source) => isKusk(source) || isKuskApi(source),
    convert: (source) => isKuskApi(source) ? convertKuskApi(source) : convertKusk(source),
    looks: "a definition with x-kusk",
  },
  mockoon: { recognizes: isMockoon, convert: convertMockoon, looks: "an environment file of Mockoon" },
};

/**
 * Converts a file of another program.
 *
 * @param args The command line after `gw convert`.
 * @param platform The process that the command runs in.
 * @returns The exit code.
 */
export async function convert(args: readonly string[], platform: Platform): Promise<number> {
  const line = readLine(CONVERT_COMMAND, args, platform);
  if (line.kind === "exit") return line.code;
  const { values: settings, operands: [operand, ...others] } = line;
  if (operand === undefined || operand === "" || others.length > 0) {
    return refuse(
      "Which file? Name one file, one URL, or - for standard input: gw convert FILE",
      CONVERT_COMMAND.name,
      platform,
    ).code;
  }
  const bytes = await read(operand, platform);
  if (bytes === undefined) return EXIT.environment;

  const { source, diagnostics } = await readSource(toUri(operand), bytes);
  if (diagnostics.length > 0) {
    const options = { color: platform.stderr.color, nameOf: displayName, textOf: source.text };
    platform.stderr.write(textReport(locateDiagnostics(diagnostics), options));
    return EXIT.input;
  }
  const converter = Object.entries(CONVERTERS)
    .find(([name, { recognizes }]) => (settings.from ?? name) === name && recognizes(source))?.[1];
  if (converter === undefined) {
    writeLine(platform.stderr, `${displayName(source.uri)} is not ${wanted(settings.from)}.`);
    return EXIT.input;
  }
  const conversion = await converter.convert(source);
  platform.stdout.write(printableYaml(conversion.text));
  platform.stderr.write(leftoverReport(conversion.leftovers, source, platform));
  return conversion.leftovers.length === 0 ? EXIT.fine : EXIT.input;
}

/** Reads a file, a URL or standard input. Prints a message if that fails. */
async function read(operand: string, platform: Platform): Promise<Uint8Array | undefined> {
  await using progress = new Progress(platform);
  showOperand("Reading", operand, [operand], progress);
  try {
    return operand === STDIN ? await platform.readStdin() : (await readText(toUri(operand)))?.bytes;
  } catch (error) {
    await progress.erase();
    writeLine(platform.stderr, await explainUnreadable(error, operand));
    return undefined;
  }
}

function wanted(from: keyof typeof CONVERTERS | undefined): string {
  if (from !== undefined) return CONVERTERS[from].looks;
  return `a file that gw can convert: ${Object.values(CONVERTERS).map(({ looks }) => looks).join(", or ")}`;
}

/** The report of what wasn't converted: a line for each part of the file, with its place, JSON Pointer, and advice. */
function leftoverReport(leftovers: readonly Leftover[], source: Source, { stderr }: Platform): string {
  if (leftovers.length === 0) return "";
  const paint = createPaint(stderr.color);
  const positionOf = createLineIndex(source.text());
  const offsets = source.locate(leftovers);
  const lines = leftovers.map(({ pointer, message }, index) => ({ pointer, message, offset: offsets[index] ?? 0 }))
    .toSorted((a, b) => a.offset - b.offset)
    .map(({ pointer, message, offset }) => {
      const { line, column } = positionOf(offset);
      const place = oneLine(`${displayName(source.uri)}:${line}:${column}`);
      return `${paint.bold(place)} ${paint.dim(`${oneLine(pointer)}:`)} ${oneLine(message)}\n`;
    });
  const count = lines.length === 1 ? "1 thing is" : `${lines.length} things are`;
  return `${lines.join("")}${count} left to do by hand.\n`;
}
