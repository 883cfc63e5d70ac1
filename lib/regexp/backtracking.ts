import type { AST } from "@eslint-community/regexpp";

/** Steps of backtracking that take no noticeable time. */
const MOST_STEPS = 1e7;
const MOST_BITS = Math.log2(MOST_STEPS);
/** Length of a text that is safe even if each of its characters doubles the steps. */
const SHORT = 16;
/** A quantifier with a larger maximum counts as one without a maximum. */
const UNBOUNDED = 10;

/**
 * The length of the longest text that a backtracking engine can match quickly, in at most about 10 million steps;
 * `Infinity` where the length doesn't matter, 0 where no text is safe.
 */
export function longestSafeText(pattern: AST.Pattern): number {
  const bits = bitsOf(pattern);
  if (bits > MOST_BITS) return 0;
  // Each character may double the number of steps, or worse with alternatives, so derivatives match all texts. But
  // derivatives ignore look-behind and back-references. A pattern with those is matched by the engine, if the text is
  // short enough.
  if (isExponential(pattern)) return looksBack(pattern) ? Math.floor(SHORT / Math.max(1, bits)) : 0;
  const starts = pattern.alternatives.every(({ elements: [first] }) =>
    first?.type === "Assertion" && first.kind === "start"
  );
  // Each repetition may end anywhere in the text, and the match may begin anywhere: the steps are a polynomial of this
  // degree in the length.
  const degree = repetitionsIn(pattern) + (starts ? 0 : 1);
  if (degree === 0 || (degree === 1 && bits === 0)) return Infinity;
  return Math.floor((MOST_STEPS / 2 ** bits) ** (1 / degree));
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

/** How many unbounded repetitions a pattern has, one after the other or nested. */
function repetitionsIn(element: AST.Element | AST.Pattern): number {
  if (element.type === "Quantifier") {
    const inside = repetitionsIn(element.element);
    return element.max > UNBOUNDED ? 1 + inside : inside * element.max;
  }
  return partsOf(element).reduce((sum, part) => sum + repetitionsIn(part), 0);
}

/** Whether the number of ways to match a text can grow exponentially with its length. */
function isExponential(element: AST.Element | AST.Pattern): boolean {
  if (element.type !== "Quantifier") return partsOf(element).some(isExponential);
  return (element.max > UNBOUNDED && isAmbiguous(element.element)) || isExponential(element.element);
}

function isAmbiguous(element: AST.Element): boolean {
  if (element.type === "Quantifier") return element.min !== element.max || isAmbiguous(element.element);
  const isGroup = element.type === "Group" || element.type === "CapturingGroup";
  return (isGroup && element.alternatives.length > 1) || partsOf(element).some(isAmbiguous);
}

/** Whether a pattern depends on the text before a position, which derivatives ignore. */
function looksBack(element: AST.Element | AST.Pattern): boolean {
  if (element.type === "Backreference") return true;
  if (element.type === "Assertion" && (element.kind === "lookbehind" || element.kind === "word")) return true;
  return element.type === "Quantifier" ? looksBack(element.element) : partsOf(element).some(looksBack);
}

function partsOf(element: AST.Element | AST.Pattern): AST.Element[] {
  return "alternatives" in element ? element.alternatives.flatMap(({ elements }) => elements) : [];
}
