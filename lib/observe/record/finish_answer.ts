import { equalBytes } from "../../http/bytes.ts";
import { formatDataUri, parseDataUri } from "../../http/data_uri.ts";
import { parseMediaType } from "../../http/media_type.ts";
import type { Document } from "../../openapi/document.ts";
import type { DocumentValidator } from "../../schema/document_validator.ts";
import type { Node } from "../../schema/json/node.ts";
import type { BodyGenerator } from "../../mock/generate/generate.ts";
import { redactBody, redactBytes } from "../secrets/redact_body.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { Conditions, RecordedResponse } from "./recorded_answer.ts";
import { validReplacements } from "./valid_replacement.ts";
import { writeJson } from "../../schema/json/json.ts";

/** What the replacement of secrets by valid values needs. The functions load their result when they are called. */
export interface ReplacementTools {
  document: Document;
  validator: () => Promise<DocumentValidator>;
  generator: () => Promise<BodyGenerator>;
}

/**
 * Replaces secrets in an answer that became known after the answer was recorded, and makes the answer's value valid
 * again.
 *
 * @returns The unchanged answer if it contains no such secret.
 */
export async function finishAnswer(
  answer: RecordedResponse,
  redactor: Redactor,
  schema: Node | undefined,
  { document, validator, generator }: ReplacementTools,
): Promise<RecordedResponse> {
  const { parameters, details, mediaType, headers } = answer;
  const mayChange = mediaType !== "";
  const type = parseMediaType(mediaType);
  const redacted = !mayChange
    ? { value: answer.value, paths: [] }
    : answer.field === "externalValue"
    ? { value: redactDataUri(answer.value, mediaType, redactor), paths: [] }
    : typeof answer.value === "string" && type !== undefined
    ? { value: redactBody(answer.value, type, redactor), paths: [] }
    : redactor.value(answer.value);
  const places = [...redacted.paths, ...answer.redacted];
  const isText = typeof answer.value === "string";
  const value = places.length === 0 || isText || schema === undefined ? redacted.value : validReplacements(
    redacted.value,
    places,
    { document, schema, validator: await validator(), generator: await generator() },
  );
  const plain: RecordedResponse = {
    ...answer,
    value,
    parameters: withoutSecrets(parameters, redactor),
    details: withoutSecrets(details, redactor),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => {
        return [name, typeof value === "string" ? redactor.header(name, value) : value];
      }),
    ),
    redacted: [],
  };
  return isSame(plain, answer) ? answer : plain;
}

/** Redacts the bytes in a `data:` URI. The URI of a file, which someone has added to a recording, stays as it is. */
function redactDataUri(value: unknown, mediaType: string, redactor: Redactor): unknown {
  const bytes = typeof value === "string" ? parseDataUri(value) : undefined;
  if (bytes === undefined) return value;
  const redacted = redactBytes(bytes, redactor);
  return equalBytes(redacted, bytes) ? value : formatDataUri(redacted, mediaType);
}

/** Removes the conditions that contain a secret. */
function withoutSecrets(conditions: Conditions, redactor: Redactor): Conditions {
  const isPlain = ([key, value]: [string, unknown]): boolean =>
    redactor.text(key) === key && redactor.value(value).paths.length === 0;
  return Object.fromEntries(Object.entries(conditions).filter(isPlain));
}

function isSame(a: RecordedResponse, b: RecordedResponse): boolean {
  const parts = ({ value, parameters, details, headers }: RecordedResponse): string =>
    writeJson([value, parameters, details, headers]);
  return parts(a) === parts(b) && a.redacted.length === b.redacted.length;
}
