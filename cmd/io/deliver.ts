import { CALLBACK_HEADER } from "../../lib/http/callback_header.ts";
import { isLoopback } from "../../lib/http/url/host.ts";
import type { CallbackPlan } from "../../lib/mock/callback/callback.ts";
import { isControlPath } from "../../lib/mock/own_endpoints.ts";
import { secretsOfOperation } from "../../lib/observe/secrets/declared_secrets.ts";
import { createRedactor } from "../../lib/observe/secrets/redactor.ts";
import { RequestRedactor } from "../../lib/observe/secrets/request_redactor.ts";
import { fetchFailureOf } from "./files/read.ts";
import type { DeliveryEntry } from "./terminal/log.ts";

/** How callbacks and webhooks are sent. */
export interface DeliverOptions {
  /** The kind of the sent requests, for the log. */
  kind: DeliveryEntry["kind"];
  /** Which receivers are permitted: on this machine only, or any. */
  reach: "loopback" | "any";
  /** The base path of this server's own endpoints, with a slash at its end. */
  controlPath: string;
  /** Milliseconds within which the head of the response must arrive. Default: 10,000. */
  timeout?: number;
}

/**
 * Sends the request of a callback or webhook, unless it is for gw's own endpoints. Doesn't follow redirects, since the
 * first address only was checked.
 *
 * @returns The entry for the log, which also reports a failure.
 */
export async function deliver(
  plan: CallbackPlan,
  { kind, reach, controlPath, timeout = 10_000 }: DeliverOptions,
): Promise<DeliveryEntry> {
  const { name, operation } = plan;
  if (plan.kind === "impossible") {
    return { kind, name, method: operation.method, failure: createRedactor().sentence(plan.reason) };
  }
  const { method, url, headers, body } = plan.request;
  const redactor = new RequestRedactor({ url: url.href, headers }, secretsOfOperation(operation));
  const entry = { kind, name, method, url: redactor.url };
  if (reach === "loopback" && !isLoopback(url)) {
    return { ...entry, failure: `${url.hostname} is not this machine; --callbacks=any lets callbacks leave it.` };
  }
  if (isControlPath(url.pathname, controlPath)) {
    return { ...entry, failure: `${url.pathname} is one of gw's own endpoints, which callbacks may not use.` };
  }

  const start = performance.now();
  const waiting = new AbortController();
  const timer = setTimeout(() => waiting.abort(), timeout);
  try {
    const response = await fetch(url, {
      method,
      headers: [...headers.filter(([name]) => name !== CALLBACK_HEADER), [CALLBACK_HEADER, "true"]]
        .map(([name, value]): [string, string] => [name, value]),
      body,
      redirect: "manual",
      signal: waiting.signal,
    });
    const duration = performance.now() - start;
    response.body?.cancel().catch(() => {});
    return { ...entry, status: response.status, duration };
  } catch (error) {
    const failure = waiting.signal.aborted
      ? `There was no answer within ${timeout / 1000} s.`
      : `${fetchFailureOf(error)}.`;
    return { ...entry, failure: redactor.sentence(failure), duration: performance.now() - start };
  } finally {
    clearTimeout(timer);
  }
}
