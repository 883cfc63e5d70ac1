import { SaxesParser } from "saxes";
import type { TestResult } from "./result.ts";

/**
 * The outcome of a test, by the element inside its `testcase` element. A `testcase` without such an element has passed.
 */
const OUTCOMES: Readonly<Record<string, TestResult["outcome"]>> = {
  failure: "failed",
  error: "failed",
  skipped: "skipped",
};

/** Reads a JUnit report of pytest. Tests get names such as `module.Class::test`. */
export function readJUnit(text: string): TestResult[] {
  const results: TestResult[] = [];
  let current: TestResult | undefined;
  let inside: string | undefined;
  const parser = new SaxesParser();
  parser.on("opentag", ({ name, attributes }) => {
    if (name === "testcase") {
      const { classname = "", name: test = "" } = attributes;
      current = { name: classname === "" ? test : `${classname}::${test}`, outcome: "passed", message: "" };
    } else if (current !== undefined && OUTCOMES[name] !== undefined) {
      inside = name;
      current = { ...current, outcome: OUTCOMES[name], message: attributes["message"] ?? "" };
    }
  });
  parser.on("text", (text) => {
    if (inside !== undefined && current !== undefined && text.trim() !== "") {
      current = { ...current, message: `${current.message}\n${text.trim()}` };
    }
  });
  parser.on("closetag", ({ name }) => {
    if (name === inside) inside = undefined;
    if (name === "testcase" && current !== undefined) results.push(current);
    if (name === "testcase") current = undefined;
  });
  parser.write(text).close();
  return results;
}
