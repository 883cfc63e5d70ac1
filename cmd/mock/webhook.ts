import { listWebhooks } from "../../lib/mock/callback/callback.ts";
import { createBodyGenerator } from "../../lib/mock/generate/generate.ts";
import { planRequest } from "../../lib/mock/callback/plan_callbacks.ts";
import type { Document } from "../../lib/openapi/document.ts";
import { EXIT } from "../line/platform.ts";
import { deliver } from "../io/deliver.ts";
import type { Log } from "../io/terminal/log.ts";
import { noWebhook } from "./messages.ts";
import type { Webhook } from "./settings.ts";

/**
 * Sends a webhook of definitions once, with each of its methods.
 *
 * @param options The seed of generated values, the base path of the server's own endpoints, and the log.
 * @returns The exit code: 1 if there is no such webhook, 3 if the receiver can't be reached or doesn't accept it.
 */
export async function sendWebhook(
  { name, url }: Webhook,
  documents: readonly Document[],
  { seed, controlPath, log }: { seed: number; controlPath: string; log: Log },
): Promise<number> {
  const webhooks = documents.flatMap(listWebhooks);
  const chosen = webhooks.filter((webhook) => webhook.name === name);
  if (chosen.length === 0) {
    log.complain(noWebhook(name, [...new Set(webhooks.map(({ name }) => name))]));
    return EXIT.input;
  }

  let code: number = EXIT.fine;
  for (const { operation } of chosen) {
    const request = await planRequest(operation, url, { generatorOf: createBodyGenerator, seed });
    const plan = { kind: "request", name, operation, request } as const;
    const entry = await deliver(plan, { kind: "webhook", reach: "any", controlPath });
    const { status } = entry;
    const isAccepted = status !== undefined && status >= 200 && status < 300;
    const isRefused = status !== undefined && !isAccepted;
    log.delivery(isRefused ? { ...entry, failure: "The receiver doesn't accept it." } : entry);
    if (!isAccepted) code = EXIT.environment;
  }
  return code;
}
