import type { Finding } from "./finding.ts";

/** A kind of findings that aren't faults of gw. */
export interface Explanation {
  /** The kind of failure, as schemathesis names it. */
  readonly type: string;
  /** A pattern for the message. */
  readonly message: RegExp;
  /**
   * A pattern for definition and operation, such as `dev.to.json GET /api/articles`. Default: the explanation holds for
   * all.
   */
  readonly only?: RegExp;
  readonly reason: string;
}

export const EXPLANATIONS: readonly Explanation[] = [
  {
    type: "UndefinedStatusCode",
    message: /^Received: (400|401|413|415|422)\b/,
    reason: "An invalid request is refused with --validate error, whether or not the definition declares an error.",
  },
  {
    type: "UndefinedStatusCode",
    message: /^Received: (404|409|412)\b/,
    reason:
      "An item that isn't there, or an id that is taken, can't be answered as success; the definition declares no " +
      "error for it.",
  },
  {
    type: "UndefinedStatusCode",
    message: /^Received: (405|406)\b/,
    reason: "HTTP's own refusal of a method or of a media type, which definitions don't declare.",
  },
  {
    type: "UndefinedStatusCode",
    message: /^Received: 501\b/,
    reason: "The operation declares no status of success that could be answered (docs/mocking.md#status).",
  },
  {
    type: "ServerError",
    message: /^$/,
    only: /^(circleci\.com\.json POST |lgtm\.com\.json GET \/snapshots\/)/,
    reason: "The operation declares no status of success that could be answered (501: docs/mocking.md#status).",
  },
  {
    type: "UndefinedContentType",
    message: /^Received: application\/problem\+json/,
    only: /^circleci\.com\.json POST /,
    reason: "The operation declares no status of success that could be answered (501: docs/mocking.md#status).",
  },
  {
    type: "IgnoredAuth",
    message: /^Expected 401 or 403/,
    reason: "A mock server has no accounts: it asks for credentials, and accepts any.",
  },
  {
    type: "AllowHeaderMismatch",
    message: /Undocumented methods advertised/,
    reason:
      "The path has more methods under another key of `paths`, with conditions (#…); or it is answered to OPTIONS " +
      "and HEAD, which HTTP servers have without a definition.",
  },
  {
    type: "UnsupportedMethodResponse",
    message: /returned (401|400|404|422)/,
    reason: "A path with a parameter in the place of the literal segment has that method.",
  },
  {
    type: "RejectedPositiveData",
    message: /^Valid data should have been accepted/,
    reason:
      "schemathesis takes values for valid that break a `format` or a `pattern`, bytes that aren't UTF-8 for JSON " +
      "or YAML, and multipart bodies without headers.",
  },
  {
    type: "JsonSchemaError",
    message: /./,
    only: RegExp(
      "^lgtm\\.com\\.json (POST|DELETE) /(analyses|codereviews|queryjobs|snapshots/uploads)|" +
        "^microsoft\\.com/cognitiveservices-Training\\.json POST /projects/{projectId}/images/suggested$|" +
        "^shotstack\\.io\\.json GET /render/{id}$|" +
        "^windows\\.net/batch-BatchService\\.json GET /(jobschedules/{jobScheduleId}/jobs|jobs/.*/files/{filePath})$",
    ),
    reason: "The operation isn't bound, and its answer is the definition's own example, which breaks its schema.",
  },
  {
    type: "MissingContentType",
    message: /./,
    only: /^amazonaws\.com\/lambda\.json DELETE /,
    reason: "The definition declares a body for 204, which HTTP doesn't have (RFC 9110, section 15.3.5).",
  },
  {
    type: "MalformedJson",
    message: /char 0/,
    only: /^amazonaws\.com\/lambda\.json DELETE /,
    reason: "The definition declares a body for 204, which HTTP doesn't have (RFC 9110, section 15.3.5).",
  },
  {
    type: "UseAfterFree",
    message: /code-signing-configs/,
    only: /^amazonaws\.com\/lambda\.json /,
    reason:
      "GET /code-signing-configs/{CodeSigningConfigArn}/functions lists texts without ids: it isn't bound, and is " +
      "answered without state.",
  },
  {
    type: "EnsureResourceAvailability",
    message: /POST \/app_packages/,
    only: /^etsi\.local\/MEC010-2_AppPkgMgmt\.json /,
    reason: "The definition declares a list as the answer to POST /app_packages, which isn't bound therefore.",
  },
];

/** The explanation of a finding; `undefined` for a finding that counts as a fault of gw. */
export function explain({ type, message, definition, operation }: Finding): Explanation | undefined {
  return EXPLANATIONS.find((explanation) =>
    explanation.type === type && explanation.message.test(message) &&
    (explanation.only?.test(`${definition} ${operation}`) ?? true)
  );
}
