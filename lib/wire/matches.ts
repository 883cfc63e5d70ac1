/**
 * Finds at most `most` matches of a pattern with the flag `g`. The rest of the text isn't searched, which bounds the
 * work.
 */
export function firstMatches(text: string, pattern: RegExp, most: number): RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  if (most < 1) return found;
  for (const match of text.matchAll(pattern)) if (found.push(match) >= most) break;
  return found;
}
