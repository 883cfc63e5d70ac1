import { StoreError } from "../../lib/gateway/store_error.ts";
import { KubeError } from "./client.ts";

/** The store's refusal for one of the API server. */
export function storeErrorOf(error: unknown): unknown {
  if (!(error instanceof KubeError)) return error;
  const { status, reason, message, retryAfter } = error;
  const kubernetes = { code: status, reason };
  const more = { cause: error, kubernetes, ...(retryAfter === undefined ? {} : { retryAfter }) };
  switch (status) {
    case 401:
      return new StoreError("unavailable", `The API server doesn't take gw's own credentials: ${message}`, more);
    case 403:
      return new StoreError(
        "refused",
        `gw itself may not do this in the cluster, or it is forbidden there: ${message}`,
        more,
      );
    case 400:
    case 404:
    case 405:
    case 409:
    case 413:
    case 415:
    case 422:
      return new StoreError("refused", `The cluster refuses this: ${message}`, more);
    default:
      return new StoreError("unavailable", message, more);
  }
}
