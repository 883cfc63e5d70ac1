/** Control characters, and those that turn the direction of writing. */
const CONTROLS = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** A text that does nothing to a terminal: what strangers write must not move its cursor or change its colours. */
export function printable(text: string): string {
  return text.replace(CONTROLS, (control) => control === "\t" ? " " : "\ufffd");
}
