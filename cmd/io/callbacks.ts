import { messageOf } from "../../lib/http/message.ts";
import type { CallbackPlan } from "../../lib/mock/callback.ts";
import { deliver, type DeliverOptions } from "./deliver.ts";
import type { DeliveryEntry, Log } from "./log.ts";

/** Most callbacks that are under way at once, … */
const MOST_AT_ONCE = 10;
/** … and that wait for their turn; beyond this they are left out. */
const MOST_WAITING = 1000;

/** Sends callbacks when an answer was given; resolves when all are done, and never fails. */
export type CallbackSender = (plans: Promise<readonly CallbackPlan[]>, answered: Promise<void>) => Promise<void>;

/** Makes what sends the callbacks of all answers, some at a time, with a line in the log for each. */
export function createCallbackSender(log: Log, options: Omit<DeliverOptions, "kind">): CallbackSender {
  const waiting: (() => void)[] = [];
  /** Why the last callback of an operation got no answer, where it got none. */
  const failures = new WeakMap<CallbackPlan["operation"], string>();
  let underWay = 0;

  return async (plans, answered) => {
    // A client that went away without its answer made the request all the same.
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

  /** Writes the line of a callback; why there was no answer is told when it is news. */
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
