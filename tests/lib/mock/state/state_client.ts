import { parseDocument } from "../../../../lib/openapi/document.ts";
import { listOperations, type Operation } from "../../../../lib/openapi/operation.ts";
import { inferResources } from "../../../../lib/mock/infer/infer_resources.ts";
import { describeRequest } from "../../../../lib/mock/callback/callback_context.ts";
import { createHandlerContext } from "../../../../lib/mock/operation/operation_handler.ts";
import { answerFromState } from "../../../../lib/mock/state/answer_state.ts";
import type { StateHandlers } from "../../../../lib/mock/state/binding_plan.ts";
import { EMPTY_STATE, type InitialState } from "../../../../lib/mock/state/store/initial_state.ts";
import { StateBudget, type StateLimits } from "../../../../lib/mock/state/store/limits.ts";
import type { Answer } from "../../../../lib/mock/answer/answer.ts";
import { createStateAnswers, type StateContext } from "../../../../lib/mock/state/state_context.ts";
import { State } from "../../../../lib/mock/state/store/store.ts";
import { checkResponse } from "../../../../lib/mock/validation/check_response.ts";

export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  /** The value of a JSON body; the text of another body; `undefined` without a body. */
  // deno-lint-ignore no-explicit-any
  readonly body: any;
  readonly remarks: readonly string[];
  readonly answer: Answer;
}

/** A client of one session. It calls the mock without a server. */
export interface StateClient {
  readonly state: State;
  /** The time that the session's clock shows; tests set it. */
  time: number;
  ask(line: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Seen>;
  /** Makes a client of another session of the same server, which has the same items now. */
  fork(seed: number): StateClient;
}

export interface StateClientOptions {
  readonly initial?: InitialState;
  readonly limits?: Partial<StateLimits>;
  readonly handlers?: StateHandlers;
}

/** Makes a client of a stateful mock. Each response's body is validated against its schema. */
export async function createStateClient(
  definition: string | Record<string, unknown>,
  { initial = EMPTY_STATE, limits = {}, handlers = createHandlerContext() }: StateClientOptions = {},
): Promise<StateClient> {
  const document = await parseDocument(definition);
  const operations = listOperations(document);
  const resources = inferResources([document]);
  const answers = createStateAnswers(resources, handlers);
  return createClient(new State(initial, new StateBudget(limits)), 0);

  function createClient(state: State, seed: number): StateClient {
    const client: StateClient = {
      state,
      time: Date.UTC(2026, 0, 1),
      ask: (line, body, headers) => ask({ answers, state, seed, now: () => client.time }, line, body, headers),
      fork: (seed) => createClient(state.fork(), seed),
    };
    return client;
  }

  async function ask(
    context: StateContext,
    line: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Seen> {
    const [method = "", target = ""] = line.split(" ");
    const [path = "", query = ""] = target.split("?");
    const found = operations.flatMap((operation) => {
      const pathParameters = matchPath(operation, method, path);
      return pathParameters === undefined ? [] : [{ operation, pathParameters }];
    })[0];
    const binding = found && resources.bindingOf(found.operation);
    if (found === undefined || binding === undefined) throw new Error(`${line} is not bound`);
    const isText = typeof body === "string";
    const request = new Request(`http://localhost${target}`, {
      method,
      headers: { ...(body === undefined || isText ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    });
    const bytes = body === undefined ? undefined : await request.clone().bytes();
    const { operation, pathParameters } = found;
    const answer = await answerFromState(
      binding,
      context,
      {
        method,
        url: request.url,
        headers: request.headers,
        path,
        query,
        pathParameters,
        body: (await describeRequest(operation, request, pathParameters, bytes)).body,
      },
    );
    if (answer === undefined) throw new Error(`${line} has no answer from state`);
    const violations = await checkResponse(operation, answer, handlers.validatorOf);
    if (violations.length > 0) throw new Error(`${line}: ${violations.map(({ message }) => message).join("\n")}`);
    const text = answer.text ?? "";
    const isJson = /json/.test(answer.mediaType);
    return {
      status: answer.status,
      headers: new Headers(answer.init.headers),
      body: answer.body === null ? undefined : isJson ? JSON.parse(text) : text,
      remarks: answer.remarks ?? [],
      answer,
    };
  }
}

function matchPath(operation: Operation, method: string, path: string): Record<string, string> | undefined {
  if (operation.method !== method) return undefined;
  const [own, asked] = [operation.path.split("/"), path.split("/")];
  if (own.length !== asked.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, segment] of own.entries()) {
    const value = asked[index] ?? "";
    const name = /^\{(.*)\}$/.exec(segment)?.[1];
    if (name === undefined && segment !== value) return undefined;
    if (name !== undefined) parameters[name] = decodeURIComponent(value);
  }
  return parameters;
}
