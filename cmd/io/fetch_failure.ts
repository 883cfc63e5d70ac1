import { messageOf } from "../../lib/http/message.ts";
/** Why `fetch` failed, as the end of a sentence: the last part of its cause's message is the system's own word. */
export function fetchFailureOf(error: unknown): string {
  if (error instanceof DOMException && error.name === "TimeoutError") return "there was no answer in time";
  const { cause = error } = error instanceof Error ? error : {};
  const message = messageOf(cause);
  return message
    .replace(/^.*(?:client error \(\w+\)|tcp connect error|dns error): /s, "")
    .replace(/ \(os error \d+\)$/, "");
}
