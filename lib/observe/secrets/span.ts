/** A part of a text: the index of its first character, and the index after its last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Replaces several parts of a text. Parts that overlap or touch are replaced by a single replacement. */
export function replaceSpans(text: string, spans: readonly Span[], replacement: string): string {
  if (spans.length === 0) return text;
  let replaced = "";
  let at = 0;
  for (const { start, end } of mergeSpans(spans)) {
    replaced += text.slice(at, start) + replacement;
    at = end;
  }
  return replaced + text.slice(at);
}

/** Sorts parts by their start, and joins those that overlap or touch. */
function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}
