/**
 * Takes the forms of well-known tokens from the rules of Gitleaks, for `deno task tokens`, which writes
 * lib/observe/secrets/token_formats.json. A form is a prefix, the characters of the rest, and its least length. So the
 * search for tokens takes linear time whatever a rule says, and finds tokens that are a little shorter or longer than
 * the rule knows.
 *
 * @module
 */
import { type AST, RegExpParser } from "@eslint-community/regexpp";

/** The file that the task writes. */
export const FILE = new URL("../lib/observe/secrets/token_formats.json", import.meta.url);

/** A rule of Gitleaks. Its regular expression has the syntax of Go. */
export interface Rule {
  readonly id: string;
  readonly regex: string;
}

/** The form of a token: its prefix as a regular expression, the characters of the rest as a class, its least length. */
export type TokenFormat = readonly [prefix: string, characters: string, least: number];

/** Beyond this length, a rest is long enough to tell a token after a prefix that says what it is. */
const LONG = 16;
/** The most prefixes of one rule. */
const MOST_PREFIXES = 64;

/** Reads the rules of gitleaks.toml. Of TOML, only what the generated file uses is understood. */
export function readRules(toml: string): Rule[] {
  return toml.split(/^\[\[rules\]\]$/m).slice(1).flatMap((block) => {
    const id = /^id = "([^"]+)"$/m.exec(block)?.[1];
    const regex = /^regex = '''([^]*?)'''$/m.exec(block)?.[1];
    return id === undefined || regex === undefined ? [] : [{ id, regex }];
  });
}

/** The forms of the tokens that rules find by a prefix. Rules that need the name of a service nearby have none. */
export function tokenFormats(rules: readonly Rule[]): TokenFormat[] {
  const formats = new Map<string, TokenFormat>();
  for (const format of rules.flatMap(formatsOf)) {
    const [prefix, characters, least] = format;
    const known = formats.get(prefix);
    if (known === undefined) formats.set(prefix, format);
    else formats.set(prefix, [prefix, union(known[1], characters), Math.min(known[2], least)]);
  }
  return [...formats.values()].sort(([a], [b]) => (a < b ? -1 : 1));
}

function formatsOf({ regex }: Rule): TokenFormat[] {
  const pattern = new RegExpParser({ ecmaVersion: 2025 }).parsePattern(toEcmaScript(regex));
  return pattern.alternatives.flatMap((alternative) => {
    const { secret, ignoresCase } = secretIn(alternative);
    const needsName = SERVICE_NAME.test(alternative.raw);
    return alternativesOf(secret, ignoresCase).map((places) => formatOf(places, needsName));
  }).filter((format) => format !== undefined);
}

/** The beginning of rules that need the name of a service before the token. */
const SERVICE_NAME = /^(?:\(\?i:)?\[\\w.-\]\{0,50\}/;

/** Rewrites a regular expression of Go as one of ECMAScript. */
function toEcmaScript(regex: string): string {
  let text = regex.replaceAll("[[:alnum:]]", "[A-Za-z0-9]").replaceAll("\\z", "$").replaceAll("(?P<", "(?<")
    .replaceAll("(?s:.)", "[^]");
  // A flag without a group holds until the end of the enclosing group.
  for (let at = text.lastIndexOf("(?i)"); at >= 0; at = text.lastIndexOf("(?i)")) {
    const end = endOfGroup(text, at + 4);
    text = `${text.slice(0, at)}(?i:${text.slice(at + 4, end)})${text.slice(end)}`;
  }
  return text;
}

function endOfGroup(text: string, start: number): number {
  let depth = 0;
  let inClass = false;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === "\\") at++;
    else if (inClass) inClass = character !== "]";
    else if (character === "[") inClass = true;
    else if (character === "(") depth++;
    else if (character === ")" && --depth < 0) return at;
  }
  return text.length;
}

/** The part of a rule that is the secret, its first capturing group, else the whole; and whether case matters in it. */
function secretIn(alternative: AST.Alternative): { secret: readonly AST.Alternative[]; ignoresCase: boolean } {
  const found: { secret: readonly AST.Alternative[]; ignoresCase: boolean }[] = [];
  const visit = ({ elements }: AST.Alternative, ignoresCase: boolean): void => {
    for (const element of elements) {
      if (element.type !== "CapturingGroup" && element.type !== "Group") continue;
      const inside = ignoresCaseIn(element, ignoresCase);
      if (element.type === "CapturingGroup") found.push({ secret: element.alternatives, ignoresCase: inside });
      else element.alternatives.forEach((inner) => visit(inner, inside));
    }
  };
  visit(alternative, false);
  return found[0] ?? { secret: [alternative], ignoresCase: false };
}

/** An element of a pattern, and whether case matters there. */
interface Place {
  readonly element: AST.Element;
  readonly ignoresCase: boolean;
}

/** The alternatives, with the groups that are neither repeated nor alternatives themselves dissolved. */
function alternativesOf(alternatives: readonly AST.Alternative[], ignoresCase = false): Place[][] {
  return alternatives.flatMap(({ elements }) => {
    let all: Place[][] = [[]];
    for (const element of elements) {
      const parts: Place[][] = element.type === "Group" || element.type === "CapturingGroup"
        ? alternativesOf(element.alternatives, ignoresCaseIn(element, ignoresCase))
        : element.type === "Assertion"
        ? [[]]
        : [[{ element, ignoresCase }]];
      all = all.flatMap((before) => parts.map((part) => [...before, ...part])).slice(0, MOST_PREFIXES);
    }
    return all;
  });
}

function ignoresCaseIn(group: AST.Group | AST.CapturingGroup, outside: boolean): boolean {
  if (group.type === "CapturingGroup" || group.modifiers === null) return outside;
  if (group.modifiers.remove?.ignoreCase === true) return false;
  return outside || group.modifiers.add.ignoreCase;
}

function formatOf(places: readonly Place[], needsName: boolean): TokenFormat | undefined {
  let prefix = "";
  let literal = "";
  const rest = [...places];
  for (let place = rest[0]; place !== undefined; place = rest[0]) {
    const characters = charactersOf(place.element, place.ignoresCase);
    const isOne = place.element.type === "Character" ||
      (place.element.type === "CharacterClass" && characters.size < 7);
    if (!isOne) break;
    literal += [...characters][0];
    prefix += classOf(characters, true);
    rest.shift();
  }
  const characters = new Set<string>();
  let least = 0;
  for (const { element, ignoresCase } of rest) {
    const found = charactersOf(element, ignoresCase);
    if (found.size === 0) return undefined;
    for (const character of found) characters.add(character);
    least += leastOf(element);
  }
  if (least < 8 || characters.size > 70 || !isTelling(literal)) return undefined;
  // A long prefix with a separator tells a token of any version; a short one or a word may begin an ordinary text.
  const isSure = literal.length > 4 && /[^A-Za-z0-9]/.test(literal) && !needsName;
  return [prefix, classOf(characters, false), isSure ? Math.min(least, LONG) : least];
}

/** Whether a prefix hardly begins an ordinary text. */
function isTelling(literal: string): boolean {
  return (literal.length >= 4 || /^(?:EAA|SG\.|SK)/.test(literal)) && !literal.includes("://");
}

function leastOf(element: AST.Element): number {
  return element.type === "Quantifier" ? element.min * leastOf(element.element) : 1;
}

/** The characters of ASCII that an element may match; none if it is no character or class. */
function charactersOf(element: AST.Element, ignoresCase: boolean): ReadonlySet<string> {
  if (element.type === "Quantifier") return charactersOf(element.element, ignoresCase);
  if (element.type === "Group" || element.type === "CapturingGroup") {
    const inside = ignoresCaseIn(element, ignoresCase);
    return new Set(
      element.alternatives.flatMap(({ elements }) => elements.flatMap((inner) => [...charactersOf(inner, inside)])),
    );
  }
  if (element.type !== "Character" && element.type !== "CharacterClass" && element.type !== "CharacterSet") {
    return new Set();
  }
  const pattern = new RegExp(`^${element.raw}$`, ignoresCase ? "i" : "");
  return new Set(VISIBLE.filter((character) => pattern.test(character)));
}

const VISIBLE = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index));

/** A class of characters as a regular expression, with ranges; a single character without brackets. */
function classOf(characters: ReadonlySet<string>, isLiteral: boolean): string {
  const sorted = VISIBLE.filter((character) => characters.has(character));
  let text = "";
  for (let at = 0; at < sorted.length; at++) {
    let end = at;
    while (sorted[end + 1]?.charCodeAt(0) === (sorted[end]?.charCodeAt(0) ?? 0) + 1) end++;
    const [first = "", last = ""] = [sorted[at], sorted[end]];
    text += end - at < 2 ? sorted.slice(at, end + 1).map(escaped).join("") : `${escaped(first)}-${escaped(last)}`;
    at = end;
  }
  return isLiteral && sorted.length === 1 ? text : `[${text}]`;
}

function escaped(character: string): string {
  return /[A-Za-z0-9_]/.test(character)
    ? character
    : /[\\^$.*+?()[\]{}|/-]/.test(character)
    ? `\\${character}`
    : character;
}

function union(a: string, b: string): string {
  const [left, right] = [new RegExp(a), new RegExp(b)];
  return classOf(new Set(VISIBLE.filter((character) => left.test(character) || right.test(character))), false);
}

/** The text of the file. */
export function fileText(rules: readonly Rule[], source: string, license: string): string {
  const formats = tokenFormats(rules).map((format) => `    ${JSON.stringify(format)}`).join(",\n");
  const head = { source, license };
  return `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "formats": [\n${formats}\n  ]\n}\n`;
}

if (import.meta.main) {
  const cwd = new URL("tokens/", import.meta.url);
  const { stdout } = await new Deno.Command("go", {
    args: ["mod", "download", "-json", "github.com/zricethezav/gitleaks/v8"],
    cwd,
    stderr: "inherit",
  }).output();
  const { Path, Version, Dir } = JSON.parse(new TextDecoder().decode(stdout));
  const rules = readRules(await Deno.readTextFile(`${Dir}/config/gitleaks.toml`));
  const license = await Deno.readTextFile(`${Dir}/LICENSE`);
  await Deno.writeTextFile(FILE, fileText(rules, `${Path} ${Version}, config/gitleaks.toml`, license.trim()));
}
