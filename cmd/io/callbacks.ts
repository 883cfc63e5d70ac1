import { secretsOfOperation } from "../../lib/observe/secrets/declared_secrets.ts";
import { RequestRedactor } from "../../lib/observe/secrets/request_redactor.ts";
import { messageOf } from "../../lib/http/message.ts";
import type { CallbackPlan } from "../../lib/mock/callback/callback.ts";
import { deliver, type DeliverOptions } from "./deliver.ts";
import type { DeliveryEntry, Log } from "./terminal/log.ts";

/** The number of callbacks that are sent at the same time. */
const MOST_AT_ONCE = 10;
/** The number of callbacks that wait to be sent; further callbacks are dropped. */
const MOST_WAITING = 1000;

/**
 * Sends the callbacks of an answer after the answer was sent. Resolves when all of them were sent or failed; never
 * rejects.
 */
export type CallbackSender = (plans: Promise<readonly CallbackPlan[]>, answered: Promise<void>) => Promise<void>;

/** Creates the sender of callbacks, which limits how many are sent at once and logs each. */
export function createCallbackSender(log: Log, options: Omit<DeliverOptions, "kind">): CallbackSender {
  const waiting: (() => void)[] = [];
  /** The last failure of each operation's callbacks; absent after a success. */
  const failures = new WeakMap<CallbackPlan["operation"], string>();
  let underWay = 0;

  return async (plans, answered) => {
    // The client may disconnect before it gets the answer. Its callbacks are sent all the same.
    await answered.catch(() => {});
    try {
      await Promise.all((await plans).map(send));
    } catch (error) {
      log.complain(`The callbacks could not be made: ${messageOf(error)}`);
    }
  };

  async function send(plan: CallbackPlan): Promise<void> {
    if (plan.kind === "request" && waiting.length >= MOST_WAITING) {
      const { name, operation, request: { method, url } } = plan;
      const shown = new RequestRedactor({ url: url.href, headers: [] }, secretsOfOperation(operation)).url;
      const failure = `It was left out: ${MOST_WAITING} other callbacks wait to be sent.`;
      return tell(plan, { kind: "callback", name, method, url: shown, failure });
    }
    await takeTurn();
    try {
      tell(plan, await deliver(plan, { ...options, kind: "callback" }));
    } finally {
      endTurn();
    }
  }

  /**
   * Logs a callback. The reason of a failure is left out if the operation's last callback failed for the same reason.
   */
  function tell({ operation }: CallbackPlan, entry: DeliveryEntry): void {
    const { failure } = entry;
    log.delivery(entry, { isKnown: failure !== undefined && failures.get(operation) === failure });
    if (failure === undefined) failures.delete(operation);
    else failures.set(operation, failure);
  }

  async function takeTurn(): Promise<void> {
    if (underWay < MOST_AT_ONCE) underWay++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  }

  function endTurn(): void {
    const next = waiting.shift();
    if (next === undefined) underWay--;
    else next();
  }
}
