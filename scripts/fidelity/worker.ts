/**
 * Examines the definition that each line of standard input asks for, and answers with a line of JSON.
 *
 * @module
 */

// The answers are what it prints.
// deno-lint-ignore-file no-console

import { createInterface } from "node:readline";
import process from "node:process";
import { examine } from "./examine.ts";

for await (const line of createInterface({ input: process.stdin })) {
  let answer: unknown;
  try {
    answer = { examination: await examine(JSON.parse(line)) };
  } catch (error) {
    answer = { error: error instanceof Error ? error.stack ?? error.message : String(error) };
  }
  console.log(JSON.stringify(answer));
}
