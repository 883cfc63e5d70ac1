/**
 * Reads a task from each line of standard input, and prints its result as a line of JSON.
 *
 * @module
 */

// deno-lint-ignore-file no-console -- This command prints its results.

import { createInterface } from "node:readline";
import process from "node:process";
import { examine, type Task, timeFirst, type TimingTask } from "./examine.ts";

for await (const line of createInterface({ input: process.stdin })) {
  let answer: unknown;
  try {
    const task: Task | TimingTask = JSON.parse(line);
    answer = task.kind === "time" ? { milliseconds: await timeFirst(task) } : { examination: await examine(task) };
  } catch (error) {
    answer = { error: error instanceof Error ? error.stack ?? error.message : String(error) };
  }
  console.log(JSON.stringify(answer));
}
