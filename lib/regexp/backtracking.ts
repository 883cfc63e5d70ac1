import type { AST } from "@eslint-community/regexpp";

/** Limit of backtracking steps for one text: the engine takes this many in about 0.1 seconds. */
const MOST_STEPS = 1e7;
const MOST_BITS = Math.log2(MOST_STEPS);
/** Length of a text that the engine matches quickly even if each of its characters doubles the backtracking steps. */
const SHORT = 16;
/** The number of characters that a pattern may demand without a shorter limit for texts. */
const USUAL_LENGTH = 32;
/** A quantifier with a larger maximum, such as `{0,1000}`, is treated like `*`, as if it had no maximum. */
const UNBOUNDED = 10;

/**
 * An upper bound of the backtracking steps for a text that isn't longer than {@linkcode longestSafeText}, roughly:
 * patterns that take exponential time are matched against texts of so few characters that they take few steps.
 */
export function backtrackingSteps(pattern: AST.Pattern, longest: number): (length: number) => number {
  if (longest === Infinity || isExponential(pattern)) return () => 0;
  const degree = Math.max(1, degreeOf(pattern));
  return (length) => MOST_STEPS * (length / longest) ** degree;
}

/**
 * The length of the longest text that a backtracking engine matches within {@linkcode MOST_STEPS}: `Infinity` where the
 * length of the text doesn't matter, 0 where even a short text may take longer.
 */
export function longestSafeText(pattern: AST.Pattern): number {
  const longest = longestOf(pattern);
  // At each place the engine compares up to as many characters as the pattern demands, as `[ab]{1000}c` does.
  const demanded = lengthOf(pattern);
  if (demanded <= USUAL_LENGTH || isAnchored(pattern) && longest === Infinity) return longest;
  return Math.floor(Math.min(longest, 10 * MOST_STEPS) * USUAL_LENGTH / demanded);
}

function longestOf(pattern: AST.Pattern): number {
  const bits = bitsOf(pattern);
  if (bits > MOST_BITS) return 0;
  // Returns 0 for a pattern such as `(a|b)*c`, so that derivatives match it: a backtracking engine may take exponential
  // time. Derivatives ignore look-behind and back-references, so the engine still matches short texts of a pattern that
  // has those.
  if (isExponential(pattern)) return looksBack(pattern) ? Math.floor(SHORT / Math.max(1, bits)) : 0;
  const degree = degreeOf(pattern);
  if (degree === 0 || (degree === 1 && bits === 0)) return Infinity;
  return Math.floor((MOST_STEPS / 2 ** bits) ** (1 / degree));
}

/**
 * The degree of the polynomial in the length of the text that the steps are: an unbounded repetition may end anywhere in
 * the text, and a match without `^` may begin anywhere.
 */
function degreeOf(pattern: AST.Pattern): number {
  return repetitionsIn(pattern) + (isAnchored(pattern) ? 0 : 1);
}

/** Whether all matches begin at the start of the text. */
function isAnchored({ alternatives }: AST.Pattern): boolean {
  return alternatives.every(({ elements: [first] }) => first?.type === "Assertion" && first.kind === "start");
}

/** The number of characters that the longest way through a pattern demands. */
function lengthOf(element: AST.Element | AST.Pattern): number {
  if (element.type === "Quantifier") return Math.min(MOST_STEPS, Math.max(1, element.min) * lengthOf(element.element));
  if (!("alternatives" in element)) return 1;
  const lengths = element.alternatives.map(({ elements }) => elements.reduce((sum, part) => sum + lengthOf(part), 0));
  return lengths.reduce((longest, length) => Math.max(longest, length), 0);
}

/**
 * The binary logarithm of the number of ways to match one text, not counting unbounded repetitions: `(a?){30}` has 30
 * bits.
 */
function bitsOf(element: AST.Element | AST.Pattern): number {
  if (element.type === "Quantifier") {
    const inside = bitsOf(element.element);
    return element.max > UNBOUNDED ? inside : element.max * inside + Math.log2(element.max - element.min + 1);
  }
  if ("alternatives" in element) {
    const ways = element.alternatives.map(({ elements }) => 2 ** elements.reduce((sum, part) => sum + bitsOf(part), 0));
    return Math.log2(ways.reduce((sum, some) => sum + some, 0));
  }
  return 0;
}

/**
 * Counts the unbounded quantifiers of a pattern, such as `*`: consecutive ones and nested ones. A back-reference to a
 * group of any length counts too, since the engine compares as many characters as the group has matched.
 */
function repetitionsIn(element: AST.Element | AST.Pattern): number {
  if (element.type === "Backreference") return [element.resolved].flat().some(hasAnyLength) ? 1 : 0;
  if (element.type === "Quantifier") {
    const inside = repetitionsIn(element.element);
    return element.max > UNBOUNDED ? 1 + inside : inside * element.max;
  }
  return partsOf(element).reduce((sum, part) => sum + repetitionsIn(part), 0);
}

/** Whether the length of the texts that an element matches isn't known to be bounded. */
function hasAnyLength(element: AST.Element): boolean {
  if (element.type === "Backreference") return true;
  if (element.type === "Quantifier") return element.max > UNBOUNDED || hasAnyLength(element.element);
  return partsOf(element).some(hasAnyLength);
}

/**
 * Whether backtracking may take exponential time: whether an unbounded quantifier repeats an ambiguous element, as in
 * `(a*)*`.
 */
function isExponential(element: AST.Element | AST.Pattern): boolean {
  if (element.type !== "Quantifier") return partsOf(element).some(isExponential);
  return (element.max > UNBOUNDED && isAmbiguous(element.element)) || isExponential(element.element);
}

function isAmbiguous(element: AST.Element): boolean {
  if (element.type === "Quantifier") return element.min !== element.max || isAmbiguous(element.element);
  const isGroup = element.type === "Group" || element.type === "CapturingGroup";
  return (isGroup && element.alternatives.length > 1) || partsOf(element).some(isAmbiguous);
}

/** Whether a pattern has modifiers such as `(?i:a)`. */
export function hasModifiers(element: AST.Element | AST.Pattern): boolean {
  if (element.type === "Quantifier") return hasModifiers(element.element);
  return (element.type === "Group" && element.modifiers !== null) || partsOf(element).some(hasModifiers);
}

/** Whether a pattern has look-behind, word boundaries or back-references, which derivatives can't fully express. */
export function looksBack(element: AST.Element | AST.Pattern): boolean {
  if (element.type === "Backreference") return true;
  if (element.type === "Assertion" && (element.kind === "lookbehind" || element.kind === "word")) return true;
  return element.type === "Quantifier" ? looksBack(element.element) : partsOf(element).some(looksBack);
}

function partsOf(element: AST.Element | AST.Pattern): AST.Element[] {
  return "alternatives" in element ? element.alternatives.flatMap(({ elements }) => elements) : [];
}
