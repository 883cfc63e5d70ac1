import { parseArgs } from "node:util";
import { suggest } from "../../lib/http/message.ts";
import { EXTENSION_FORMATS } from "../../lib/openapi/extension/formats.ts";

/** A flag of a command. Parser, help and environment variables are all derived from the table of flags. */
export type Flag = Switch | Valued<unknown>;

/** A flag without a value. */
export interface Switch {
  /** One letter. */
  short?: string;
  /** One line for the help. */
  description: string;
  read?: undefined;
}

/** Parses the value of a flag; throws a RangeError that describes valid values. */
export interface Reader<T> {
  (written: string): T;
  /** All valid values, if they are few. */
  readonly words?: readonly string[];
}

/** A flag with a value. */
export interface Valued<T> {
  /** One letter. */
  short?: string;
  /** One line for the help. */
  description: string;
  /** The name of the value in the help: `PORT`. */
  value: string;
  read: Reader<T>;
  /** The default, as written. */
  default?: string;
  /** The value of the bare flag; any other value needs an equals sign: `--callbacks`, `--callbacks=any`. */
  bare?: string;
  /** The value is two arguments, parsed as one text with a space between: `--webhook NAME URL`. */
  pair?: true;
  /** The flag is repeatable; its environment variable holds values separated by commas. */
  many?: true;
  /** Two different values on the command line are a mistake. Default: the last value overrides those before it. */
  once?: true;
  /** Operands are values of this repeatable flag too. They precede the values written with the flag. */
  operands?: true;
}

/** The flags of a command, by name without dashes. */
export type FlagTable = Readonly<Record<string, Flag>>;

/** The type of the values: a boolean for a flag without a value; `undefined` for an absent value. */
export type Values<Table extends FlagTable> = {
  readonly [Name in keyof Table]: Table[Name] extends { read: (text: string) => infer T }
    ? Table[Name] extends { many: true } ? T[] : Table[Name] extends { default: string } ? T : T | undefined
    : boolean;
};

/** A parsed command line, or the message of its error. */
export type CommandLine<Table extends FlagTable> =
  | { kind: "line"; values: Values<Table>; operands: string[] }
  | { kind: "mistake"; message: string };

/** The value of a flag in the environment or in the configuration file. */
export interface Setting {
  /** Where the value is from, for messages: `GW_SERVE_PORT`. */
  name: string;
  /** The value; in a string, commas separate the values of a repeatable flag. */
  value: string | readonly string[] | undefined;
}

/**
 * Says what to write instead of a flag of another program; returns `undefined` for an unknown flag.
 *
 * @param written The flag with its dashes.
 * @param inline The value after an equals sign.
 * @param next The argument after the flag.
 */
export type Translator = (written: string, inline?: string, next?: string) => string | undefined;

/**
 * Reads a command line.
 *
 * @param table The flags of the command. If the table has `no-cors` but no `cors`, `--cors=false` means `--no-cors`.
 * @param args The arguments after the command's name. Arguments after `--` are operands.
 * @param settingOf Looks up a flag in the environment or the configuration file, by its name. The command line
 * overrides this value.
 * @param translate Explains flags of other programs.
 */
export function readCommandLine<Table extends FlagTable>(
  table: Table,
  args: readonly string[],
  settingOf: (flag: string) => Setting,
  translate: Translator = () => undefined,
): CommandLine<Table> {
  const written = new Map<string, string[]>();
  const operands: string[] = [];
  const { tokens } = parseArgs({ args: [...args], options: optionsOf(table), strict: false, tokens: true });
  const seconds = new Set<(typeof tokens)[number]>();
  for (const [index, token] of tokens.entries()) {
    if (token.kind === "positional" && !seconds.has(token)) operands.push(token.value);
    if (token.kind !== "option") continue;
    const flag = Object.hasOwn(table, token.name) ? table[token.name] : undefined;
    if (flag === undefined) {
      const opposite = oppositeOf(token.name, table);
      if (opposite === undefined) {
        const argument = tokens[index + 1];
        const next = argument?.kind === "positional" ? argument.value : undefined;
        return mistake(translate(token.rawName, token.value, next) ?? unknownFlag(token.rawName, table));
      }
      written.set(opposite, [negated(token.value)]);
      continue;
    }
    // In `--port --quiet`, the value of `--port` is missing. But `-` is a value (standard input), and so is a negative
    // number: the flag's own parser refuses it with a better message.
    const looksLikeFlag = !token.inlineValue && /^-[^\d]/.test(token.value ?? "");
    let text = looksLikeFlag ? undefined : token.value ?? (flag.read === undefined ? "true" : flag.bare);
    if (flag.read && flag.pair && text !== undefined) {
      const second = tokens[index + 1];
      if (second !== undefined) seconds.add(second);
      text = second?.kind === "positional" ? `${text} ${second.value}` : undefined;
    }
    if (text === undefined) return mistake(`${token.rawName} needs a value: ${usageOf(token.name, flag)}.`);
    written.set(token.name, [...(written.get(token.name) ?? []), text]);
  }

  for (const [name, texts] of written) {
    const ambiguity = ambiguityOf(name, table[name], texts);
    if (ambiguity !== undefined) return mistake(ambiguity);
  }
  if (operands.length > 0) {
    for (const [name, flag] of Object.entries(table)) {
      if (flag.read && flag.operands) written.set(name, [...operands, ...(written.get(name) ?? [])]);
    }
  }

  const values: Record<string, unknown> = {};
  for (const [name, flag] of Object.entries(table)) {
    const { name: from, value } = settingOf(name);
    const onLine = written.get(name);
    const texts = onLine ?? textsOf(value, flag);
    try {
      values[name] = readFlag(flag, texts);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return mistake(`${onLine ? `--${name}` : from} ${texts.at(-1)}: ${error.message}`);
    }
  }
  return { kind: "line", values: values as Values<Table>, operands };
}

/** The error message if a flag with `once` has several different values. */
function ambiguityOf(name: string, flag: Flag | undefined, texts: readonly string[]): string | undefined {
  if (flag?.read === undefined || flag.once === undefined) return undefined;
  const different = [...new Set(texts)];
  if (different.length < 2) return undefined;
  const times = texts.length === 2 ? "twice" : `${texts.length} times`;
  return `--${name} is given ${times}: ${different.slice(0, -1).join(", ")} and ${different.at(-1)}. Give it once.`;
}

function textsOf(value: Setting["value"], flag: Flag): readonly string[] {
  if (value === undefined || value === "") return [];
  if (typeof value !== "string") return value;
  return flag.read && flag.many ? value.split(",") : [value];
}

function mistake(message: string): { kind: "mistake"; message: string } {
  return { kind: "mistake", message };
}

function optionsOf(table: FlagTable): Record<string, { type: "string" | "boolean"; short?: string }> {
  return Object.fromEntries(
    Object.entries(table).map(([name, flag]) => {
      const type = flag.read === undefined || flag.bare !== undefined ? "boolean" : "string";
      return [name, { type, ...(flag.short === undefined ? {} : { short: flag.short }) }];
    }),
  );
}

function readFlag(flag: Flag, texts: readonly string[]): unknown {
  const last = texts.at(-1);
  if (flag.read === undefined) return last !== undefined && readSwitch(last);
  if (flag.many) return texts.map(flag.read);
  const text = last ?? flag.default;
  return text === undefined ? undefined : flag.read(text);
}

function unknownFlag(written: string, table: FlagTable): string {
  const otherCase = Object.values(table).find(({ short }) => `-${short}`.toLowerCase() === written.toLowerCase());
  if (otherCase?.short !== undefined) return `There is no flag ${written}. Did you mean -${otherCase.short}?`;
  const [nearest] = suggest(written.replace(/^-+/, ""), Object.keys(table));
  return `There is no flag ${written}.${nearest === undefined ? "" : ` Did you mean --${nearest}?`}`;
}

/** The usage of a flag in the help: `-p, --port PORT`. */
export function usageOf(name: string, flag: Flag): string {
  const short = flag.short === undefined ? "" : `-${flag.short}, `;
  if (flag.read === undefined) return `${short}--${name}`;
  return `${short}--${name}${flag.bare === undefined ? ` ${flag.value}` : `[=${flag.value}]`}`;
}

/** Finds the flag `no-cors` for the name `cors`. */
function oppositeOf(name: string, table: FlagTable): string | undefined {
  const opposite = `no-${name}`;
  return Object.hasOwn(table, opposite) && table[opposite]?.read === undefined ? opposite : undefined;
}

/**
 * Inverts a boolean: `--cors=false` means `--no-cors=true`. Another text is returned unchanged; `readSwitch` refuses
 * it.
 */
function negated(text = "true"): string {
  const truth = readTruth(text);
  return truth === undefined ? text : String(!truth);
}

function readSwitch(text: string): boolean {
  const truth = readTruth(text);
  if (truth === undefined) throw new RangeError("a switch is true or false.");
  return truth;
}

function readTruth(text: string): boolean | undefined {
  if (/^(1|true|yes|on)$/i.test(text)) return true;
  return /^(0|false|no|off)$/i.test(text) ? false : undefined;
}

/** Reads any text. */
export function text(written: string): string {
  return written;
}

/** Reads a whole number within bounds. */
export function integer(least: number, most: number): (written: string) => number {
  return (written) => {
    const number = Number(written);
    if (/^-?\d+$/.test(written) && number >= least && number <= most) return number;
    throw new RangeError(`a whole number from ${least} to ${most} is meant here.`);
  };
}

/** Reads a number within bounds. */
export function number(least: number, most: number): (written: string) => number {
  return (written) => {
    const number = Number(written);
    if (written.trim() !== "" && number >= least && number <= most) return number;
    throw new RangeError(`a number from ${least} to ${most} is meant here.`);
  };
}

const UNITS: Readonly<Record<string, number>> = { "": 1, b: 1, kib: 1024, mib: 1024 ** 2, gib: 1024 ** 3 };

/** Reads a number of bytes, perhaps with a unit: `500000`, `16MiB`. */
export function size(written: string): number {
  const [, number = "", unit = ""] = /^(\d+)\s*([a-z]*)$/i.exec(written) ?? [];
  const bytes = Number(number) * (UNITS[unit.toLowerCase()] ?? NaN);
  if (number !== "" && bytes > 0) return bytes;
  throw new RangeError("a size is meant here, such as 500000, 512KiB or 16MiB.");
}

/** Reads one of the given words. */
export function choice<Word extends string>(...words: readonly Word[]): Reader<Word> {
  const read = (written: string): Word => {
    const word = words.find((candidate) => candidate === written);
    if (word !== undefined) return word;
    const [nearest] = suggest(written, words);
    const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
    throw new RangeError(`one of ${words.join(", ")} is meant here.${hint}`);
  };
  return Object.assign(read, { words });
}

/** Reads an absolute `http:` or `https:` URL. */
export function httpUrl(written: string): URL {
  const url = URL.parse(written);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new RangeError(`a URL such as ${withScheme(written) ?? "https://api.example.com"} is meant here.`);
}

/** An address without scheme: a host with a port, this machine, or an IP address; perhaps with a path. */
const ADDRESS = /^(?:localhost|\[[\da-f:.]+\]|\d{1,3}(?:\.\d{1,3}){3}|[\w.-]*(?=:\d))(?::\d{1,5})?(?:[/?#]|$)/i;
/** A domain name without port, and not the name of a file. */
const DOMAIN = /^(?:[a-z\d-]+\.)+(?!(?:ya?ml|json5?)$)[a-z]{2,}(?:[/?#]|$)/i;

/**
 * The URL that a text without scheme means: `http://localhost:3000` for `localhost:3000` and `:3000`. `undefined` for a
 * text that names no host, such as a file.
 */
export function withScheme(written: string): string | undefined {
  const url = ADDRESS.test(written)
    ? `http://${written.startsWith(":") ? "localhost" : ""}${written}`
    : DOMAIN.test(written)
    ? `https://${written}`
    : "";
  return URL.canParse(url) ? url : undefined;
}

/** Reads a host, or a wildcard for the hosts of a domain: `api.example.com`, `*.example.com`. */
export function hostPattern(written: string): string {
  const [, wildcard = "", name = ""] = /^(\*\.)?(.*)$/.exec(written) ?? [];
  const url = URL.parse(`http://${name.includes(":") && !name.startsWith("[") ? `[${name}]` : name}/`);
  if (url !== null && name !== "*" && EXTENSION_FORMATS["host-pattern"].accepts(written)) {
    return wildcard + url.hostname;
  }
  throw new RangeError("a host such as api.example.com or *.example.com is meant here, without scheme and port.");
}

/** Reads an origin (RFC 6454). */
export function origin(written: string): string {
  const url = URL.parse(written);
  if (url !== null && url.origin === written) return written;
  throw new RangeError("an origin is meant here, such as https://console.example.com.");
}
