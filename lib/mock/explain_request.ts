/**
 * Explains why a request gets its answer.
 *
 * @module
 */
import { splitTarget } from "../http/url/url.ts";
import { namesOf } from "../openapi/operation.ts";
import type { Explanation } from "./explain/explanation.ts";
import { Places } from "./explain/places.ts";
import { stepsOf } from "./explain/steps.ts";
import type { Trace } from "./explain/trace.ts";
import type { ControlApi } from "./control/control_api.ts";
import type { RoutedServer } from "./explain/near_operations.ts";
import type { UpstreamRelay } from "../observe/relay/create_relay.ts";
import type { Reply } from "./operation/reply.ts";
import type { Session } from "./session/session.ts";

/** The parts of a mock server that an explanation reads or replaces. */
interface ExplainedMock extends RoutedServer {
  readonly observe: unknown;
  readonly control: ControlApi | undefined;
  readonly relay: UpstreamRelay | undefined;
}

/**
 * Explains why a request gets its answer, by the functions that answer it. They get a copy of the session's state, a
 * stub of the upstream and of the control API, and nothing that observes requests.
 *
 * @param session The session of a request that names no session; absent if the server has none.
 * @param respond Replies to a request, and notes what is decided.
 */
export async function explainRequest<Mock extends ExplainedMock>(
  mock: Mock,
  request: Request,
  session: Session | undefined,
  respond: (mock: Mock, request: Request, session: Session | undefined, trace: Trace) => Reply | Promise<Reply>,
): Promise<Explanation> {
  const trace: Trace = { rules: [], examples: [] };
  const unsent = (by: NonNullable<Trace["unsent"]>): Response => {
    trace.unsent = by;
    return new Response(null);
  };
  const { method, url, headers } = request;
  const preview = session?.preview();
  try {
    const reply = await respond(
      {
        ...mock,
        observe: undefined,
        control: mock.control && (() => unsent("gw")),
        relay: mock.relay?.to(() => unsent("upstream")),
      },
      request,
      preview,
      trace,
    );
    await reply.response.body?.cancel();
    // The request of an operation of the upstream is checked by the relay.
    const checked = await reply.validation;
    if (trace.validation === undefined && checked !== undefined) {
      Object.assign(trace, { validation: checked, isRefused: trace.unsent === undefined });
    }
    return explanationOf(mock, { method, url, headers }, trace, reply);
  } finally {
    preview?.state.close();
    if (trace.session !== preview) trace.session?.state.close();
  }
}

function explanationOf(
  { operations, router, basePathsOf }: RoutedServer,
  request: Pick<Request, "method" | "url" | "headers">,
  trace: Trace,
  reply: Reply,
): Explanation {
  const places = new Places();
  const { steps, decidedBy } = stepsOf({ request, trace, reply, server: { operations, router, basePathsOf }, places });
  places.locate();
  const { path, query } = splitTarget(request.url);
  const { operation, mediaType, source, delay = 0, fault } = reply;
  const { unsent, chosen } = trace;
  return {
    request: { method: request.method, path, ...query === "" ? {} : { query } },
    outcome: {
      ...unsent === undefined ? { status: reply.response.status } : {},
      source: unsent ?? source,
      decidedBy: decidedBy.step,
      reason: decidedBy.summary,
      ...operation === undefined ? {} : { operation: namesOf(operation) },
      ...mediaType === "" || unsent !== undefined ? {} : { mediaType },
      ...chosen === undefined ? {} : { rules: chosen.ids },
      ...delay === 0 ? {} : { delay },
      ...fault === undefined ? {} : { fault: fault.kind },
    },
    steps,
  };
}
