/** The first matches of a global pattern, at most `most`. The rest of the text isn't searched. */
export function firstMatches(text: string, pattern: RegExp, most: number): RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  if (most < 1) return found;
  for (const match of text.matchAll(pattern)) if (found.push(match) >= most) break;
  return found;
}
