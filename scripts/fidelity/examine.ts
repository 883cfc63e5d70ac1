import type { GeneratedBody } from "../../lib/mock/generate/body.ts";
import { type BodyGenerator, createBodyGenerator } from "../../lib/mock/generate/generate.ts";
import { type Document, parseDocument } from "../../lib/openapi/document.ts";
import { child, type Node } from "../../lib/schema/json/node.ts";
import { listOperations } from "../../lib/openapi/operation.ts";
import { follow } from "../../lib/schema/json/reference.ts";
import { createAjvValidator } from "./ajv.ts";
import { countExamples, type ExampleCount } from "./examples.ts";
import { startStopwatch } from "./stopwatch.ts";
import { readBackXml } from "./read_back.ts";

/** The task of examining one definition. */
export interface Task {
  readonly kind: "examine";
  readonly path: string;
  /** The number of bodies that are generated for each operation, with the seeds 0, 1, 2, … */
  readonly seeds: number;
  /** Whether each body is also encoded as XML and decoded again. */
  readonly xml: boolean;
  /** Whether only examples are counted, and no bodies examined. */
  readonly onlyExamples: boolean;
}

/** The task of generating only the first body of one operation, to measure its time. */
export interface TimingTask {
  readonly kind: "time";
  readonly path: string;
  readonly operation: string;
}

/** A body that is missing or invalid. */
export interface Fault {
  readonly operation: string;
  readonly seed: number;
  /** JSON Pointer of the schema. */
  readonly pointer: string;
  readonly reason: string;
}

export interface Examination {
  readonly bodies: number;
  readonly valid: number;
  /** The number of bodies that were encoded as XML. Below: those that were invalid after decoding. */
  readonly xmlBodies: number;
  readonly xmlFaults: readonly Fault[];
  /** Responses whose schema is unsatisfiable, with the contradiction. */
  readonly impossible: readonly Fault[];
  /**
   * Bodies that are invalid, and responses for which no body was found although their schema isn't proven
   * unsatisfiable.
   */
  readonly faults: readonly Fault[];
  /** Milliseconds until the first body of each operation. */
  readonly times: readonly number[];
  /** Operations whose first body took longer than {@linkcode SLOW}. */
  readonly slow: readonly SlowOperation[];
  /**
   * `enough`: the number of operations with {@linkcode ENOUGH} different bodies. `exhausted`: the number of operations
   * with fewer bodies, for which other seeds give no more.
   */
  readonly varied: { readonly enough: number; readonly exhausted: number };
  /** Operations whose bodies repeat, although other seeds give different bodies. */
  readonly monotonous: readonly string[];
  /** The growth of the heap in bytes by reading the definition and generating its bodies. */
  readonly heap: number;
  readonly examples: ExampleCount;
}

/** An operation whose first body took longer than {@linkcode SLOW}. */
export interface SlowOperation {
  readonly operation: string;
  readonly milliseconds: number;
}

/** The number of different bodies that an operation should have. */
export const ENOUGH = 10;

/** The factor by which more seeds are tried for an operation with fewer different bodies. */
export const MORE_SEEDS = 20;

/** The limit for the time of a first body, in milliseconds. */
const SLOW = 100;

/** Generates and validates bodies for each operation's first exact 2xx response that is JSON. */
export async function examine({ path, seeds, xml, onlyExamples }: Task): Promise<Examination> {
  const text = await Deno.readTextFile(path);
  collectGarbage();
  const before = Deno.memoryUsage().heapUsed;
  const document = await parseDocument(text);
  const generator = await createBodyGenerator(document);
  const responses = onlyExamples ? [] : jsonResponses(document);
  // Collects garbage first, so that it isn't collected during the measurement.
  collectGarbage();
  const first = responses.map(({ schema }) => timed(generator, schema));
  collectGarbage();
  const heap = Deno.memoryUsage().heapUsed - before;

  const definition = JSON.parse(text);
  const findErrors = createAjvValidator(definition);
  const enough = Math.min(seeds, ENOUGH);
  const varied = { enough: 0, exhausted: 0 };
  const impossible: Fault[] = [];
  const faults: Fault[] = [];
  const monotonous: string[] = [];
  const xmlFaults: Fault[] = [];
  let xmlBodies = 0;
  let valid = 0;
  for (const [index, { operation, schema }] of responses.entries()) {
    const different = new Set<string>();
    for (let seed = 0; seed < seeds; seed++) {
      const body = seed === 0 ? first[index]?.body : generator.generate(schema, { seed });
      if (body === undefined) continue;
      if (body.kind === "impossible") {
        const { reason, pointer, proven } = body;
        (proven ? impossible : faults).push({ operation, seed, pointer, reason });
        continue;
      }
      const reasons = safely(() => findErrors(body.value, schema.value));
      if (reasons.length > 0) faults.push({ operation, seed, pointer: schema.pointer, reason: reasons.join("; ") });
      else {
        valid++;
        if (xml) await examineXml(operation, seed, schema, body.value);
      }
      different.add(JSON.stringify(body.value));
    }
    if (different.size >= enough) varied.enough++;
    else if (!hasMore(schema, different)) varied.exhausted++;
    else monotonous.push(`${operation}: ${different.size} (${[...different][0]?.slice(0, 200)})`);
  }
  return {
    bodies: responses.length * seeds,
    valid,
    xmlBodies,
    xmlFaults,
    impossible,
    faults,
    times: first.map(({ milliseconds }) => milliseconds),
    slow: responses.map(({ operation }, index) => ({ operation, milliseconds: first[index]?.milliseconds ?? 0 }))
      .filter(({ milliseconds }) => milliseconds > SLOW),
    varied,
    monotonous,
    heap,
    examples: await countExamples(document, generator, definition),
  };

  /** Whether other seeds give enough bodies that differ from the known ones. */
  function hasMore(schema: Node, known: ReadonlySet<string>): boolean {
    const different = new Set(known);
    for (let seed = seeds; seed < seeds * MORE_SEEDS && different.size < enough; seed++) {
      const body = generator.generate(schema, { seed });
      if (body.kind === "body") different.add(JSON.stringify(body.value));
    }
    return different.size >= enough;
  }

  async function examineXml(operation: string, seed: number, schema: Node, value: unknown): Promise<void> {
    const { pointer } = schema;
    xmlBodies++;
    try {
      const back = await readBackXml(document, schema, value);
      const reasons = back.kind === "value" ? findErrors(back.value, schema.value) : [back.reason];
      if (reasons.length > 0) xmlFaults.push({ operation, seed, pointer, reason: reasons.join("; ") });
    } catch (error) {
      xmlFaults.push({ operation, seed, pointer, reason: `writing or reading failed: ${error}` });
    }
  }
}

/** Generates the first body of an operation, in a process that hasn't generated any. Returns the milliseconds. */
export async function timeFirst({ path, operation }: TimingTask): Promise<number> {
  const document = await parseDocument(await Deno.readTextFile(path));
  const generator = await createBodyGenerator(document);
  const schema = jsonResponses(document).find((response) => response.operation === operation)?.schema;
  if (schema === undefined) throw new RangeError(`${path} has no response to ${operation}`);
  return timed(generator, schema).milliseconds;
}

function collectGarbage(): void {
  const { gc } = globalThis as { gc?: () => void };
  gc?.();
}

function timed(generator: BodyGenerator, schema: Node): { body: GeneratedBody; milliseconds: number } {
  const time = startStopwatch();
  const body = generator.generate(schema);
  return { body, milliseconds: time() };
}

function safely(findErrors: () => string[]): string[] {
  try {
    return findErrors();
  } catch (error) {
    return [`Ajv failed: ${error}`];
  }
}

/** The schema of each operation's first exact 2xx response that is JSON. */
function jsonResponses(document: Document): { operation: string; schema: Node }[] {
  return listOperations(document).flatMap(({ method, path, node }) => {
    const responses = child(node, "responses");
    const status = Object.keys(responses.value ?? {}).filter((code) => /^2\d\d$/.test(code)).sort()[0];
    if (status === undefined) return [];
    const content = child(follow(document, child(responses, status)), "content");
    const mediaType = Object.keys(content.value ?? {}).find((name) => /^application\/(.*\+)?json\b/i.test(name));
    const schema = child(child(content, mediaType ?? ""), "schema");
    return schema.value === undefined ? [] : [{ operation: `${method} ${path}`, schema }];
  });
}
