/**
 * Patterns that are meant to take long to parse, to compile, to match, or to make sample texts for. They are made by
 * generators from a fixed seed, so each run has the same patterns.
 *
 * @module
 */

/** A pattern, and texts on which it is meant to take long. */
export interface HostilePattern {
  readonly name: string;
  readonly pattern: string;
  readonly texts: readonly string[];
}

/** Returns an integer from `least` to `most`. */
type Pick = (least: number, most: number) => number;

const SEED = 20_241_127;
/** The number of patterns of each kind. */
const EACH = 18;

const KINDS: Readonly<Record<string, (pick: Pick) => string>> = {
  "optional runs": (pick) => {
    const [count, atom] = [pick(20, 400), anAtom(pick)];
    return `${anchor(pick)}${`${atom}?`.repeat(count)}${atom.repeat(pick(0, count))}${pick(0, 1) ? "$" : ""}`;
  },
  "optional runs with gaps": (pick) =>
    `${anchor(pick)}(?:${`${`${anAtom(pick)}${"*?{}".charAt(pick(0, 1))}`.repeat(pick(6, 16))}bbbbbbbb`})`
      .repeat(pick(1, 60)),
  "nested quantifiers": (pick) => {
    let pattern = anAtom(pick);
    for (let depth = pick(2, 8); depth > 0; depth--) pattern = `(?:${pattern}${aQuantifier(pick)})${aQuantifier(pick)}`;
    return `${anchor(pick)}${pattern}${pick(0, 1) ? "$" : "b"}`;
  },
  "alternations": (pick) =>
    `${anchor(pick)}${
      `(?:${Array.from({ length: pick(2, 12) }, () => anAtom(pick).repeat(pick(0, 3))).join("|")})${aQuantifier(pick)}`
        .repeat(pick(1, 40))
    }c`,
  "counted repetitions": (pick) => {
    let pattern = anAtom(pick);
    for (let depth = pick(2, 6); depth > 0; depth--) {
      const least = pick(0, 40);
      pattern = `(${pattern}){${least},${least + pick(0, 900)}}`;
    }
    return `${anchor(pick)}${pattern}`;
  },
  "deep groups": (pick) => {
    const depth = [50, 190, 250, 3_000, 20_000][pick(0, 4)] ?? 0;
    const open = ["(", "(?:", "(?=", "([)]", "(\\)", "(|"][pick(0, 5)] ?? "";
    return `${open.repeat(depth)}a${`)${["", "?", "*", "+?"][pick(0, 3)]}`.repeat(depth)}`;
  },
  "look-around": (pick) => {
    const around = ["=", "!", "<=", "<!"];
    const part = (): string => `(?${around[pick(0, 3)]}${anAtom(pick)}${aQuantifier(pick)}${anAtom(pick)})`;
    return `${anchor(pick)}(?:${Array.from({ length: pick(1, 30) }, part).join(pick(0, 1) ? "a*" : "")}a?)${
      aQuantifier(pick)
    }b`;
  },
  "back-references": (pick) => {
    const groups = pick(1, 9);
    const group = (): string => `(${anAtom(pick)}${aQuantifier(pick)})`;
    const reference = (): string => `\\${pick(1, groups)}${["", "", "?", "*", "{0,9}"][pick(0, 4)]}`;
    return `${anchor(pick)}${Array.from({ length: groups }, group).join("")}${
      Array.from({ length: pick(1, 60) }, reference).join("")
    }${pick(0, 1) ? "b$" : "c"}`;
  },
  "classes of properties": (pick) => {
    const names = ["L", "Lu", "N", "P", "Any", "Script=Greek", "Emoji", "White_Space", "Cn"];
    const property = (): string => `\\${pick(0, 1) ? "p" : "P"}{${names[pick(0, names.length - 1)]}}`;
    const character = (): string => String.fromCodePoint(pick(0x4e00, 0x9fff), pick(0x10000, 0x1ffff));
    const part = (): string =>
      `[${pick(0, 2) ? "" : "^"}${Array.from({ length: pick(1, 40) }, property).join("")}${character()}]`;
    const parts = Array.from({ length: pick(1, 40) }, part).join(pick(0, 1) ? "|" : "?");
    return `${anchor(pick)}(?:${parts})${aQuantifier(pick)}${pick(0, 1) ? "(?:a|b)*c" : ""}`;
  },
  "ignored case": (pick) => {
    const character = ["\\p{L}", "[\\u{0}-\\u{10ffff}]", "[^a]", "\\w", "[k\\u{212a}s]", "\\P{Lu}"][pick(0, 5)];
    return `${anchor(pick)}(?i:${`${character}${["", "?", "*?"][pick(0, 2)]}`.repeat(pick(20, 800))})`;
  },
  "lazy and greedy": (pick) =>
    `${anchor(pick)}${
      Array.from({ length: pick(3, 60) }, () => `${anAtom(pick)}${["*", "*?", "+", "+?", "??", "{0,9}?"][pick(0, 5)]}`)
        .join("")
    }${pick(0, 1) ? "$" : "c"}`,
  "long literals": (pick) =>
    Array.from({ length: pick(1, 4_000) }, () => `${"a".repeat(pick(0, 20))}${pick(0, 1) ? "b" : "|"}`).join(""),
  "many groups": (pick) => {
    const count = pick(100, 8_000);
    const names = Array.from({ length: count }, (_, index) => `(?<n${index}>a?)`);
    return `${names.join("")}${names.map((_, index) => `\\k<n${index}>`).slice(0, pick(0, count)).join("")}`;
  },
  "many classes": (pick) =>
    `${anchor(pick)}(?:${
      Array.from({ length: pick(10, 600) }, () => `[${String.fromCharCode(97 + pick(0, 3))}-z${pick(0, 999)}]`).join(
        "|",
      )
    })${aQuantifier(pick)}c`,
};

/** Atoms that match the text `a`, and one of which matches the empty text. */
function anAtom(pick: Pick): string {
  return ["a", "a", "[ab]", ".", "\\w", "[^b]", "(a)", "(?:a|a)", "[a😀]", "\\p{L}", "(?:a|)"][pick(0, 10)] ?? "a";
}

function aQuantifier(pick: Pick): string {
  return ["*", "+", "?", "*?", "{0,9}", "{2,}", "{1,40}", "{0,10}?", "{11}"][pick(0, 8)] ?? "*";
}

function anchor(pick: Pick): string {
  return pick(0, 2) === 0 ? "" : "^";
}

/** Makes the same patterns each time. */
export function hostilePatterns(): readonly HostilePattern[] {
  const pick = createPick(SEED);
  return Object.entries(KINDS).flatMap(([kind, make]) =>
    Array.from({ length: EACH }, (_, index) => ({ name: `${kind} ${index + 1}`, pattern: make(pick), texts: TEXTS }))
  );
}

/** Texts of a length that the engine may still be asked for, and long ones. */
const TEXTS: readonly string[] = [
  "",
  "a",
  "a".repeat(15),
  "a".repeat(31),
  `${"ab".repeat(100)}!`,
  `${"a".repeat(3_000)}!`,
  "a".repeat(100_000),
  `${"aé😀".repeat(5_000)}!`,
];

/** The generator of pseudo-random numbers "mulberry32". */
function createPick(seed: number): Pick {
  let state = seed;
  return (least, most) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return least + Math.floor(((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32 * (most - least + 1));
  };
}
