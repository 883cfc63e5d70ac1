/**
 * Formats the resources of definitions as text.
 *
 * @module
 */
import { describeResources, type ResourceDescription } from "../../../lib/mock/infer/describe_resources.ts";
import type { Resources } from "../../../lib/mock/infer/resource.ts";
import { oneLine } from "../../../lib/http/one_line.ts";
import { createPaint, type Paint } from "./terminal.ts";

export interface ResourcesReportOptions {
  /** Whether colours may be used. */
  readonly color: boolean;
  /** Whether to list the evidence for each binding, and the operations that aren't bound. */
  readonly verbose: boolean;
}

/**
 * Formats resources as text:
 *
 * ```text
 * pets, by id
 *   list    GET /pets          the list is at data
 *   create  POST /pets
 *   read    GET /pets/{petId}
 * ```
 */
export function resourcesReport(resources: Resources, { color, verbose }: ResourcesReportOptions): string {
  const paint = createPaint(color);
  const described = describeResources(resources);
  const blocks = described.map((resource) => blockOf(resource, paint, verbose));
  if (verbose && resources.unbound.length > 0) {
    const reasons = resources.unbound.map(({ operation: { method, path }, reason }) =>
      oneLine(`  ${method} ${path}: ${reason}`) + "\n"
    );
    blocks.push(`${paint.bold("not bound")}\n${reasons.join("")}`);
  }
  return [...blocks, summaryOf(described, resources.unbound.length, verbose)].join("\n");
}

/** Widths of columns: the widest kind of binding, and a maximum for operations. */
const WIDEST_KIND = "replace".length;
const WIDEST = 80;

function blockOf(resource: ResourceDescription, paint: Paint, verbose: boolean): string {
  const { name, id, parents, operations, evidence } = resource;
  const by = id === undefined ? ", the only one" : `, by ${id}`;
  const below = parents.length === 0 ? "" : `, below ${parents.join(" and ")}`;
  const targets = operations.map(({ method, path }) => `${method} ${path}`);
  const width = Math.max(0, ...targets.map((target) => Math.min(target.length, WIDEST)));
  const lines = operations.map(({ kind, envelope = "", rule }, index) => {
    const at = envelope === "" ? "" : `the ${kind === "list" || kind === "count" ? kind : "item"} is at ${envelope}`;
    const notes = [...at === "" ? [] : [at], ...verbose ? [rule] : []].join("; ");
    const columns = `${kind.padEnd(WIDEST_KIND)}  ${(targets[index] ?? "").padEnd(width)}  ${notes}`;
    return `  ${oneLine(columns).trimEnd()}\n`;
  });
  const why = verbose ? evidence.map((sentence) => oneLine(`  - ${sentence}`) + "\n") : [];
  return `${paint.bold(oneLine(name))}${oneLine(by + below)}\n${lines.join("")}${why.join("")}`;
}

function summaryOf(described: readonly ResourceDescription[], unbound: number, verbose: boolean): string {
  const bound = described.reduce((count, { operations }) => count + operations.length, 0);
  const resources = described.length === 1 ? "1 resource" : `${described.length} resources`;
  const hint = verbose || unbound === 0 ? "" : " -v tells why the others aren't.";
  return `${resources}; ${bound} of ${bound + unbound} operations are bound.${hint}\n`;
}
