import type { KnownFailure } from "./verdict.ts";

/** Tests that fail because of the client or the definition. Any other failure counts as gw's. */
export const KNOWN_FAILURES: readonly KnownFailure[] = [
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
