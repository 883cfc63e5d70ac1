import type { KnownFailure } from "./verdict.ts";

/** Tests that fail because of the client or the definition. Any other failure counts as a fault of gw. */
export const KNOWN_FAILURES: readonly KnownFailure[] = [
  {
    client: "stripe-go",
    tests: /^(?:charge\.TestChargeSearch|quote\.TestQuotePDF)$/,
    fault: "client",
    reason: "The tests compare with the fixtures of stripe-mock: one charge found, a PDF of the text " +
      '"Stripe binary response".',
  },
  {
    client: "stripe-go",
    mode: "strict",
    tests: /^account\.TestAccountNew$/,
    message: /must NOT have additional properties: \\?"external_account\[token\]/,
    fault: "definition",
    reason: "The client sends an object with a `token`; the definition declares `external_account` as a string, and " +
      "says `x-stripeBypassValidation` beside it.",
  },
  {
    client: "stripe-python",
    tests: /\.test_(?:account|charge|customer|ephemeral_key|invoice|quote|source|tax_id)\./,
    message: /Expected request to have been made, but no calls were found/,
    fault: "client",
    reason: "The tests expect an answer to have the id of the request's path, as stripe-mock's have; the definition " +
      "doesn't tie them.",
  },
  {
    client: "stripe-python",
    tests: /::(?:test_is_searchable|test_can_iterate_lines|test_deserialize|test_is_not_detachable_when_unattached)$/,
    fault: "client",
    reason: "The tests compare with the fixtures of stripe-mock: one charge found, lines of an invoice, a source of " +
      "no customer.",
  },
  {
    client: "stripe-python",
    tests: /\.test_quote\.TestQuote::test_can_pdf/,
    message: /Stripe binary response/,
    fault: "client",
    reason: 'The tests compare with a fixture of stripe-mock: a PDF of the text "Stripe binary response".',
  },
  {
    client: "stripe-python",
    tests: /\.test_(?:application_fee_refund|list_object)\./,
    message: /Request path must be a string beginning with a single "\/"/,
    fault: "definition",
    reason: "The client takes the `url` of a list for a path; the definition declares any string.",
  },
  {
    client: "stripe-python",
    tests: /::test_httpx_request_async_https\[/,
    fault: "client",
    reason: "The tests ask Stripe's own server on the internet.",
  },
  {
    client: "sendgrid-nodejs",
    mode: "strict",
    tests:
      /^test_(?:alerts|campaigns|clients|contactdb_(?:custom_fields|lists|segments)|senders|whitelabel_(?:ips|links))__/,
    message: /Bad Request|Unprocessable Entity/,
    fault: "client",
    reason: "The tests send path parameters as templates, such as /v3/campaigns/{campaign_id}, where the definition " +
      "declares an integer or an enum.",
  },
];
