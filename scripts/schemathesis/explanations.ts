import type { Finding } from "./report.ts";

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
  /** A pattern for status and body of the response. Default: the explanation holds for all. */
  readonly answer?: RegExp;
  readonly reason: string;
}

const LARGE_INTEGER =
  "JavaScript writes integers of 22 digits and more with an exponent, which schemathesis doesn't take for an integer. " +
  "Interoperable numbers are doubles (RFC 8259, section 6).";

/** The message of `RejectedPositiveData`. */
const VALID = /^Valid data should have been accepted/;

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
    type: "UndefinedContentType",
    message: /^Received: application\/problem\+json/,
    answer: /^406 /,
    reason: "HTTP's own refusal of a method or of a media type, which definitions don't declare.",
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
    type: "AcceptedNegativeData",
    message: /`required` \(was [^)]*\b(Authorization|X-API-Token|X-API-KEY|x-api-key|Training-Key|circle-token)\)/,
    reason: "The mock server runs with --no-security, so it doesn't ask for credentials.",
  },
  {
    type: "AcceptedNegativeData",
    message: /positive test case/,
    only: /^microsoft\.com\/cognitiveservices-Training\.json POST /,
    reason: "A form has only texts: the value that schemathesis broke is valid once it is in a form.",
  },
  {
    type: "RejectedPositiveData",
    message: VALID,
    answer: /must match (format|pattern) /,
    reason: "schemathesis takes values for valid that break a `format` or a `pattern`.",
  },
  {
    type: "RejectedPositiveData",
    message: VALID,
    answer: /not UTF-8|without an empty line after its headers|Request body is required/,
    reason: "schemathesis sends empty bodies, multipart bodies without headers, and bytes that aren't UTF-8.",
  },
  {
    type: "RejectedPositiveData",
    message: VALID,
    answer: /^400 .*names no item of this list/,
    reason: "A list has no page for a cursor that the server didn't give out.",
  },
  {
    type: "RejectedPositiveData",
    message: VALID,
    answer: /^412 /,
    reason: "The precondition of the request, such as a random If-Match, is false (RFC 9110, section 13).",
  },
  {
    type: "RejectedPositiveData",
    message: VALID,
    answer: /^405 /,
    only: /^amazonaws\.com\/pinpoint-email\.json /,
    reason: "The value of a path parameter is `.`, `..` or empty: the client sends the path without this segment.",
  },
  {
    type: "RejectedPositiveData",
    message: VALID,
    answer: /must be integer/,
    only: /^(gitea\.io\.json PATCH|digitalocean\.com\.json GET) /,
    reason: "schemathesis takes an id of another operation for the parameter, which isn't an integer.",
  },
  {
    type: "RejectedPositiveData",
    message: VALID,
    answer: /must be (object|array)|must have required property/,
    only: /^(gsmtasks\.com|microsoft\.com\/cognitiveservices-Training)\.json (POST|PUT|PATCH) /,
    reason: "schemathesis writes objects and `null` into forms as texts that can't be read as such.",
  },
  {
    type: "RejectedPositiveData",
    message: VALID,
    answer: /^422 /,
    only: /^noosh\.com\.json POST /,
    reason: "schemathesis sends JSON as `text/csv`.",
  },
  {
    type: "RejectedPositiveData",
    message: VALID,
    answer: /Accept-Encoding must be equal/,
    only: /^influxdata\.com\.json /,
    reason: "The HTTP client of schemathesis sends an Accept-Encoding that the definition doesn't allow.",
  },
  {
    type: "RejectedPositiveData",
    message: VALID,
    answer: /^422 /,
    only: /^influxdata\.com\.json POST \/notificationEndpoints$/,
    reason:
      "The body matches two schemas of a `oneOf`. schemathesis validates only the one that `discriminator` names.",
  },
  {
    type: "JsonSchemaError",
    message: /^-?\d(\.\d+)?e\+\d+ is not of type "integer"/,
    reason: LARGE_INTEGER,
  },
  {
    type: "JsonSchemaError",
    message: /is not valid under any of the schemas/,
    only: /^digitalocean\.com\.json (GET|POST|PUT) \/v2\/firewalls/,
    answer: /\d[eE]\+2\d/,
    reason: LARGE_INTEGER,
  },
  {
    type: "JsonSchemaError",
    message: /./,
    only: RegExp(
      "^lgtm\\.com\\.json (POST|DELETE) /(analyses|codereviews|queryjobs|snapshots/uploads)|" +
        "^microsoft\\.com/cognitiveservices-Training\\.json POST /projects/{projectId}/images/suggested$|" +
        "^shotstack\\.io\\.json GET /render/{id}$|" +
        "^windows\\.net/batch-BatchService\\.json GET /(jobschedules/{jobScheduleId}/jobs|jobs/.*/files/{filePath}|pools/.*/files/{filePath})$",
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
  {
    type: "UseAfterFree",
    message: /DELETE \/2015-03-31\/functions\//,
    only: /^amazonaws\.com\/lambda\.json /,
    reason: "DELETE /2015-03-31/functions/{FunctionName} isn't bound, and is answered without state.",
  },
  {
    type: "UseAfterFree",
    message: /DELETE \/account_roles\//,
    only: /^gsmtasks\.com\.json /,
    answer: /"token"/,
    reason: "GET /account_roles/{id}/token/ isn't bound, and is answered without state.",
  },
  {
    type: "UseAfterFree",
    message: /\/file\//,
    only: /^presalytics\.io\/story\.json /,
    reason: "GET and DELETE of /{id}/file/{ooxml_automation_id} aren't bound, and are answered without state.",
  },
  {
    type: "UseAfterFree",
    message: /got `HTTP 201 Created`/,
    only: /^azure\.com\/recoveryservices-vaults\.json /,
    reason: "The definition declares 201 for PATCH, which therefore creates the missing item.",
  },
  {
    type: "EnsureResourceAvailability",
    message: /POST .*\/tasks`/,
    only: /^noosh\.com\.json /,
    reason: "POST of tasks isn't bound: neither its body nor its response is like a task.",
  },
  {
    type: "UseAfterFree",
    message: /DELETE \/v2\/(apps|projects)\//,
    only: /^digitalocean\.com\.json /,
    answer: /^200 \{"(historic_logs|live_url|meta|alerts|bandwidth|url)/,
    reason: "The operations below an app and a project aren't bound, and are answered without state.",
  },
  {
    type: "UseAfterFree",
    message: /DELETE \/v2\/floating_ips\//,
    only: /^digitalocean\.com\.json /,
    reason: "DELETE /v2/floating_ips/{floating_ip} isn't bound, and is answered without state.",
  },
  {
    type: "MissingContentType",
    message: /./,
    answer: /^304 /,
    reason: "A 304 has no body (RFC 9110, section 15.4.5). schemathesis wants that of the response `default`.",
  },
  {
    type: "MalformedJson",
    message: /char 0/,
    answer: /^304 /,
    reason: "A 304 has no body (RFC 9110, section 15.4.5). schemathesis wants that of the response `default`.",
  },
];

/** The explanation of a finding; `undefined` for a finding that counts as a fault of gw. */
export function explain({ type, message, definition, operation, answer }: Finding): Explanation | undefined {
  return EXPLANATIONS.find((explanation) =>
    explanation.type === type && explanation.message.test(message) &&
    (explanation.only?.test(`${definition} ${operation}`) ?? true) && (explanation.answer?.test(answer) ?? true)
  );
}
