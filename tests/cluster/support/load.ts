/**
 * Sends requests without pauses, on persistent connections, while a test changes the cluster.
 *
 * @module
 */
import { messageOf } from "../../../lib/http/message.ts";
import { Agent } from "node:http";
import { ask, type Question, type Reply } from "./ask.ts";

export interface Outcome {
  /** The number of requests sent. */
  total: number;
  /**
   * The number of failed requests, by status and body, or by the error's message. A request fails if it has no
   * response, or another one than expected.
   */
  failed: Record<string, number>;
}

/** The most characters of an unexpected body that are shown. */
const MOST_SHOWN = 100;

export interface Load {
  /** Stops sending, and waits for the last responses. */
  stop(): Promise<Outcome>;
}

/**
 * Starts to send a request again and again, on several connections at the same time.
 *
 * @param isRight Tells whether a response is the expected one. The status alone doesn't say who has answered.
 */
export function startLoad(
  port: number,
  question: Question,
  isRight: (reply: Reply) => boolean,
  connections = 4,
): Load {
  const outcome: Outcome = { total: 0, failed: {} };
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let isStopped = false;
  const clients = Promise.all(Array.from({ length: connections }, send));

  return {
    async stop() {
      isStopped = true;
      await clients;
      agent.destroy();
      return outcome;
    },
  };

  async function send(): Promise<void> {
    while (!isStopped) {
      outcome.total++;
      const failure = await failureOf();
      if (failure !== undefined) outcome.failed[failure] = (outcome.failed[failure] ?? 0) + 1;
    }
  }

  async function failureOf(): Promise<string | undefined> {
    try {
      const reply = await ask(port, { ...question, agent });
      return isRight(reply) ? undefined : `${question.path ?? "/"}: ${reply.status} ${reply.text.slice(0, MOST_SHOWN)}`;
    } catch (error) {
      return messageOf(error);
    }
  }
}

/** Makes a function that tells whether a response comes from an upstream with this name, and has status 200. */
export function isFrom(upstream: string): (reply: Reply) => boolean {
  return ({ status, text }) => status === 200 && text.startsWith(`{"upstream":${JSON.stringify(upstream)},`);
}

/** Makes a function that tells whether a response has status 200, and a body that matches. */
export function isLike(pattern: RegExp): (reply: Reply) => boolean {
  return ({ status, text }) => status === 200 && pattern.test(text);
}
