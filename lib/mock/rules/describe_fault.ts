import type { Fault } from "../../openapi/extension/rule.ts";

/** A fault as a sentence, for the log and for problems. */
export function describeFault(fault: Fault): string {
  switch (fault.kind) {
    case "reset":
      return "A rule resets the connection.";
    case "empty":
      return "A rule closes the connection without an answer.";
    case "time-out":
      return "A rule lets the client wait.";
    case "truncated":
      return `A rule truncates the body${fault.bytes === undefined ? "" : ` after ${fault.bytes} bytes`}.`;
    case "slow":
      return `A rule sends the body slowly, at ${fault.rate} bytes per second.`;
  }
}
