/**
 * Formats a summary as JUnit XML: a test suite for each definition, a test case for each operation. A test case is
 * skipped if the operation got no request, failed if an exchange had violations, and has an error if the upstream sent
 * no response.
 *
 * @module
 */
import { oneLine } from "../../http/one_line.ts";
import type { XmlElement, XmlText } from "../../wire/xml/element.ts";
import { writeXml } from "../../wire/xml/write.ts";
import { hasErrors, isError, type OperationSummary, type Run, type Summary } from "./summary.ts";
import {
  count,
  errorsOf,
  exampleText,
  overview,
  reportedName,
  responsesText,
  unansweredText,
  violationText,
} from "./wording.ts";

/** Formats a summary as JUnit XML, with the elements that CI systems read. JUnit XML has no complete specification. */
export function formatJunit(summary: Summary, run: Run): string {
  const byDefinition = [...Map.groupBy(summary.operations, ({ definition }) => definition)];
  const notes = element("system-out", {}, [textOf([overview(summary), ...unmatchedLines(summary)])]);
  // A `testsuites` element can't contain `system-out`: put it into the first suite.
  const suites = byDefinition.map(([definition, operations], index) =>
    suiteOf(definition, operations, run, index === 0 ? [notes] : [])
  );
  // Jenkins' schema of JUnit XML doesn't allow the attribute `skipped` in `testsuites`.
  const { skipped: _, ...counts } = countsOf(summary.operations);
  const attributes = { name: run.command, ...counts, time: timeOf(run) };
  return `${writeXml(element("testsuites", attributes, suites))}\n`;
}

function suiteOf(
  definition: string,
  operations: readonly OperationSummary[],
  run: Run,
  output: readonly XmlElement[],
): XmlElement {
  // JUnit's schema doesn't allow a time zone.
  const timestamp = run.started.replace(/(?:\.\d+)?Z$/, "");
  const attributes = { name: definition, ...countsOf(operations), time: timeOf(run), timestamp };
  return element("testsuite", attributes, [...operations.map(testCase), ...output]);
}

function testCase(operation: OperationSummary): XmlElement {
  const { definition, requests } = operation;
  const attributes = { name: reportedName(operation), classname: definition, time: "0" };
  if (requests === 0) {
    return element("testcase", attributes, [element("skipped", { message: "It was not asked." }, [])]);
  }
  const seen = [`Responses: ${responsesText(operation)}`, ...warningLines(operation)];
  const output = element("system-out", {}, [textOf(seen)]);
  return element("testcase", attributes, [
    ...(operation.unanswered === 0 ? [] : [errorOf(operation)]),
    ...(hasErrors(operation) ? [failureOf(operation)] : []),
    output,
  ]);
}

/** The `error` element of an operation for which the upstream sent no response. */
function errorOf({ unanswered, unansweredReason = "" }: OperationSummary): XmlElement {
  return element("error", { message: unansweredText(unanswered), type: "no-response" }, [textOf([unansweredReason])]);
}

/** One `failure` element with all violations, because CI systems show only the first failure of a test case. */
function failureOf(operation: OperationSummary): XmlElement {
  const errors = operation.violations.filter(isError);
  const lines = errors.flatMap((violation) => [violationText(violation), `  first: ${exampleText(violation)}`]);
  const more = operation.unlisted === 0 ? [] : [`${operation.unlisted} more that are not listed`];
  const [first] = errors;
  const message = errors.length === 1 && first !== undefined
    ? violationText(first)
    : `${count(errorsOf(operation), "violation")}: ${first?.message ?? ""}`;
  return element("failure", { message, type: first?.code ?? "violation" }, [textOf([...lines, ...more])]);
}

function warningLines({ violations, unchecked, uncheckedReason = "" }: OperationSummary): string[] {
  return [
    ...violations.filter((violation) => !isError(violation)).map(violationText),
    ...(unchecked === 0 ? [] : [`${count(unchecked, "body", "bodies")} not checked. ${uncheckedReason}`]),
  ];
}

function unmatchedLines({ unmatched }: Summary): string[] {
  return unmatched.map(({ method, path, status, count }) => `  ${method} ${path} ${status} (${count})`);
}

function countsOf(
  operations: readonly OperationSummary[],
): Record<"tests" | "failures" | "errors" | "skipped", string> {
  return {
    tests: String(operations.length),
    failures: String(operations.filter((operation) => operation.requests > 0 && hasErrors(operation)).length),
    errors: String(operations.filter(({ unanswered }) => unanswered > 0).length),
    skipped: String(operations.filter(({ requests }) => requests === 0).length),
  };
}

function timeOf({ seconds }: Run): string {
  return seconds.toFixed(3);
}

function element(
  name: string,
  attributes: Readonly<Record<string, string>>,
  children: readonly (XmlElement | XmlText)[],
): XmlElement {
  const named = (local: string) => ({ local, prefix: "", namespace: "" });
  return {
    kind: "element",
    name: named(name),
    attributes: Object.entries(attributes)
      .map(([name, value]) => ({ kind: "attribute", name: named(name), value: oneLine(value) })),
    children: children.flatMap((child) => child.kind === "element" ? [LINE, child] : [child]),
  };
}

const LINE: XmlText = { kind: "text", text: "\n" };

function textOf(lines: readonly string[]): XmlText {
  return { kind: "text", text: lines.map(oneLine).join("\n") };
}
