import { isObject, type JsonObject } from "../schema/node.ts";
import { type Answer, createAnswer, MOCKED, problemAnswer, statusAnswer } from "./answer.ts";
import type { Binding } from "./infer/resource.ts";
import type { Session } from "./session/session.ts";
import type { RequestTarget } from "./validation/validate_request.ts";

/** Answers a request for an operation that is bound to a resource from the state of a session. */
export function answerBound(
  { kind, resource, status, idParameter, scopeParameters }: Binding,
  { state }: Session,
  { target: { pathParameters }, body }: { readonly target: RequestTarget; readonly body: unknown },
): Answer | Promise<Answer> | undefined {
  const { name, id } = resource;
  const scope = scopeParameters.map((parameter) => pathParameters[parameter ?? ""] ?? "");
  const key = pathParameters[idParameter ?? ""] ?? "";
  switch (kind) {
    case "create": {
      const fresh = String(state.list(name, scope).size + 1);
      const value: JsonObject = { ...isObject(body) ? body : {}, [id.at(-1) ?? "id"]: fresh };
      state.put(name, { key: fresh, scope, value });
      return jsonAnswer(status, value);
    }
    case "read": {
      const item = state.get(name, scope, key);
      return item === undefined ? problemAnswer(NOT_FOUND) : jsonAnswer(status, item.value);
    }
    case "list":
      return jsonAnswer(status, Array.from(state.list(name, scope), ({ value }) => value));
    case "delete":
      return state.delete(name, scope, key) ? statusAnswer(204, [MOCKED]) : problemAnswer(NOT_FOUND);
    default:
      return undefined;
  }
}

const NOT_FOUND = { title: "Not Found", status: 404, detail: "There is no such item." };

function jsonAnswer(status: number, value: unknown): Answer {
  return createAnswer({
    status,
    headers: [["content-type", "application/json"], MOCKED],
    body: new TextEncoder().encode(JSON.stringify(value)),
    mediaType: "application/json",
    source: "state",
  });
}
