/**
 * Redacts the secrets in recorded requests, for those who read a journal.
 *
 * @module
 */
import { decodeStrictly } from "../../http/decode_strictly.ts";
import { isSecretName } from "../../names/secret_names.ts";
import type { HeaderList } from "../../http/handler.ts";
import { parseMediaType } from "../../http/media_type.ts";
import type { Document } from "../../openapi/document.ts";
import type { Operation } from "../../openapi/operation.ts";
import { requestSecretRules, responseSecretRules } from "../../observe/record/secret_rules.ts";
import {
  type DeclaredSecrets,
  secretsOfDocuments,
  secretsOfOperation,
} from "../../observe/secrets/declared_secrets.ts";
import { redactBody, redactBytes } from "../../observe/secrets/redact_body.ts";
import { REDACTED } from "../../observe/secrets/redacted.ts";
import { NO_RULES, type Redactor, type SecretRules } from "../../observe/secrets/redactor.ts";
import { RequestRedactor } from "../../observe/secrets/request_redactor.ts";
import type { JournalEntry, JournalMessage } from "./entry.ts";
import { headerOf } from "./represent.ts";

/** Redacts the secrets in entries of a journal. */
export interface EntryRedactor {
  /** The entry without secrets. */
  entry(entry: JournalEntry): JournalEntry;
  /** Makes a function that removes an entry's secrets from a sentence about it. */
  sentences(entry: JournalEntry): (text: string) => string;
}

/** What a server has; the operations are those of the definitions. */
export interface RedactedServer {
  readonly documents: readonly Document[];
  readonly operations: readonly Operation[];
}

/** Makes a redactor for the entries of a server's journals. */
export function createEntryRedactor({ documents, operations }: RedactedServer): EntryRedactor {
  const byName = new Map(operations.map((operation) => [`${operation.method} ${operation.path}`, operation]));
  const ofAll = secretsOfDocuments(documents);
  const operationOf = ({ operation }: JournalEntry): Operation | undefined =>
    operation && byName.get(`${operation.method} ${operation.path}`);

  return {
    entry: (entry) => {
      const operation = operationOf(entry);
      return redactEntry(entry, operation, operation === undefined ? ofAll : secretsOfOperation(operation));
    },
    sentences: (entry) => {
      const operation = operationOf(entry);
      const declared = operation === undefined ? ofAll : secretsOfOperation(operation);
      const redactor = new RequestRedactor(entry.request, declared);
      // The body's secrets become known.
      redactMessage(entry.request, learning(redactor, requestRules(entry, operation)));
      // A sentence may show a value as JSON.
      return (text) => redactor.sentence(text).replace(/[{[][^]*/, (value) => redactor.redactor.text(value));
    },
  };
}

function redactEntry(entry: JournalEntry, operation: Operation | undefined, declared: DeclaredSecrets): JournalEntry {
  const { request, response, violations } = entry;
  const redactor = new RequestRedactor(request, declared);
  // The request comes first: its secrets may be repeated in the response.
  const asked = redactMessage(request, learning(redactor, requestRules(entry, operation)));
  const rules = operation === undefined
    ? NO_RULES
    : responseSecretRules(operation, response.status, response.mediaType);
  const answered = redactMessage(response, redactor.redactorWith({ rules }), response.mediaType);
  const detail = response.detail === undefined ? {} : { detail: redactor.sentence(response.detail) };
  return {
    ...entry,
    request: {
      ...request,
      ...asked,
      url: redactor.url,
      pathParameters: Object.fromEntries(
        Object.entries(request.pathParameters).map(([name, value]) => {
          const isSecret = declared.paths.has(name) || isSecretName(name);
          return [name, isSecret ? REDACTED : redactor.redactor.text(value)];
        }),
      ),
    },
    response: { ...response, ...answered, ...detail },
    violations: violations.map((violation) => ({
      ...violation,
      location: violation.location.map((token) => redactor.sentence(token)),
      message: redactor.sentence(violation.message),
    })),
  };
}

function requestRules({ request }: JournalEntry, operation: Operation | undefined): SecretRules {
  return operation === undefined ? NO_RULES : requestSecretRules(operation, headerOf(request.headers, "content-type"));
}

/** A redactor after which the secrets that it found are known. */
function learning(redactor: RequestRedactor, rules: SecretRules): Redactor {
  return redactor.redactorWith({ rules, found: (secret) => redactor.known.add(secret) });
}

function redactMessage(
  { headers, body, bodyLength }: JournalMessage,
  redactor: Redactor,
  mediaType = headerOf(headers, "content-type"),
): JournalMessage {
  const plain: HeaderList = headers.map(([name, value]) => [name, redactor.header(name, value)]);
  if (body === undefined) return { headers: plain };
  const redacted = bodyWithout(body, bodyLength !== undefined, mediaType, redactor);
  return { headers: plain, body: redacted, ...bodyLength === undefined ? {} : { bodyLength } };
}

function bodyWithout(body: Uint8Array, isCut: boolean, mediaType: string, redactor: Redactor): Uint8Array {
  const text = decodeStrictly(body, { isStart: isCut });
  if (text === undefined) return redactBytes(body, redactor);
  const type = parseMediaType(mediaType) ?? parseMediaType(/^\s*[{[]/.test(text) ? "application/json" : "text/plain");
  const redacted = type === undefined ? redactor.text(text) : redactBody(text, type, redactor);
  return redacted === text ? body : new TextEncoder().encode(redacted);
}
