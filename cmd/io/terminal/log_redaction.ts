/**
 * Redacts the secrets of requests in the log, for all servers.
 *
 * @module
 */
import { targetOf } from "../../../lib/http/url/url.ts";
import {
  type DeclaredSecrets,
  secretsOfDocument,
  secretsOfDocuments,
  secretsOfOperation,
} from "../../../lib/observe/secrets/declared_secrets.ts";
import { createTargetRedactor, RequestRedactor } from "../../../lib/observe/secrets/request_redactor.ts";
import type { Document } from "../../../lib/openapi/document.ts";
import type { Operation } from "../../../lib/openapi/operation.ts";

/** What a request matches; both are absent if it matches nothing. */
export interface Matched {
  readonly operation?: Operation | undefined;
  readonly document?: Document | undefined;
}

/** Redacts the secrets of requests in log entries. */
export interface LogRedaction {
  /** Path and query of a request. */
  target(request: Pick<Request, "url">, matched: Matched): string;
  /** Sentences about a request, such as its violations. */
  remarks(remarks: readonly string[], request: Pick<Request, "url">, matched: Matched): readonly string[];
}

/**
 * Makes the redaction of a log.
 *
 * @param documents The current definitions: an API key of any of them is a secret in a request that matches nothing.
 */
export function createLogRedaction(documents: () => readonly Document[]): LogRedaction {
  const redactTarget = createTargetRedactor();
  let last: { documents: readonly Document[]; declared: DeclaredSecrets } | undefined;
  return {
    target: ({ url }, matched) => redactTarget(targetOf(url), declaredFor(matched)),
    remarks: (remarks, { url }, matched) => {
      const redactor = new RequestRedactor({ url, headers: [] }, declaredFor(matched));
      return remarks.map((remark) => redactor.sentence(remark));
    },
  };

  function declaredFor({ operation, document }: Matched): DeclaredSecrets {
    if (operation !== undefined) return secretsOfOperation(operation);
    if (document !== undefined) return secretsOfDocument(document);
    const current = documents();
    if (last?.documents !== current) last = { documents: current, declared: secretsOfDocuments(current) };
    return last.declared;
  }
}

/** The redaction of a server without definitions. */
export const PLAIN_REDACTION: LogRedaction = createLogRedaction(() => []);
