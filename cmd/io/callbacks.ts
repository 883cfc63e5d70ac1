import { messageOf } from "../../lib/http/message.ts";
import type { CallbackPlan } from "../../lib/mock/callback.ts";
import { deliver, type DeliverOptions } from "./deliver.ts";
import type { DeliveryEntry, Log } from "./log.ts";

/** The most callbacks at once. */
const MOST_AT_ONCE = 10;
/** The most callbacks that wait for their turn; further ones are left out. */
const MOST_WAITING = 1000;

/** Sends callbacks after an answer. Resolves when all are done, and never rejects. */
export type CallbackSender = (plans: Promise<readonly CallbackPlan[]>, answered: Promise<void>) => Promise<void>;

/** Creates the sender of all callbacks, which limits their concurrency and logs each. */
export function createCallbackSender(log: Log, options: Omit<DeliverOptions, "kind">): CallbackSender {
  const waiting: (() => void)[] = [];
  /** The failure of the last callback of an operation, if it failed. */
  const failures = new WeakMap<CallbackPlan["operation"], string>();
  let underWay = 0;

  return async (plans, answered) => {
    // Callbacks are sent even if the client disconnected before the answer: the request was made.
    await answered.catch(() => {});
    try {
      await Promise.all((await plans).map(send));
    } catch (error) {
      log.complain(`The callbacks could not be made: ${messageOf(error)}`);
    }
  };

  async function send(plan: CallbackPlan): Promise<void> {
    if (plan.kind === "request" && waiting.length >= MOST_WAITING) {
      const { name, request: { method, url } } = plan;
      const failure = `It was left out: ${MOST_WAITING} other callbacks wait to be sent.`;
      return tell(plan, { kind: "callback", name, method, url: url.href, failure });
    }
    await takeTurn();
    try {
      tell(plan, await deliver(plan, { ...options, kind: "callback" }));
    } finally {
      endTurn();
    }
  }

  /** Logs a callback. A failure is explained unless the operation's last callback failed in the same way. */
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
