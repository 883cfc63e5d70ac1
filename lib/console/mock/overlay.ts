import type { JournalEntry, JournalMessage } from "../../mock/journal/entry.ts";
import { Recording } from "../../observe/record/recording.ts";
import type { View } from "./view.ts";

/**
 * The answer of a recorded request as an overlay that makes an example of it, without secrets.
 *
 * @returns `undefined` if the answer can't be an example.
 */
export async function overlayOf({ context: { server } }: View, entry: JournalEntry): Promise<string | undefined> {
  const { documents, operations, handlers: { validatorOf, generatorOf } } = server;
  const { request, response, operation: names } = entry;
  const route = operations.find(({ operation: { method, path } }) => method === names?.method && path === names.path);
  if (route === undefined || response.bodyLength !== undefined) return undefined;
  const recording = new Recording({ documents, validatorOf, generatorOf });
  await recording.add({
    operation: route.operation,
    pathParameters: request.pathParameters,
    request: { method: request.method, url: request.url, headers: headersOf(request.headers), ...bodyOf(request) },
    response: { status: response.status, headers: headersOf(response.headers), isUpstream: true, ...bodyOf(response) },
    requestViolations: [],
    responseViolations: [],
  });
  const text = await recording.render();
  // Its comment says that an upstream has answered.
  return text?.replace(/^(?:#.*\n)+/, "");
}

function headersOf(headers: JournalMessage["headers"]): Headers {
  return new Headers(headers.map(([name, value]): [string, string] => [name, value]));
}

function bodyOf({ body }: JournalMessage): { body?: Uint8Array } {
  return body === undefined ? {} : { body };
}
