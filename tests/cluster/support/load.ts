/**
 * Sends requests without pauses, on persistent connections, while a test changes the cluster.
 *
 * @module
 */
import { messageOf } from "../../../lib/http/message.ts";
import { Agent } from "node:http";
import { ask, type Question } from "./ask.ts";

export interface Outcome {
  /** The number of requests sent. */
  total: number;
  /**
   * The number of failed requests, by status and body, or by the error's message. A request fails if it has no
   * response, or a status other than 200.
   */
  failed: Record<string, number>;
}

export interface Load {
  /** Stops sending, and waits for the last responses. */
  stop(): Promise<Outcome>;
}

/** Starts to send a request again and again, on several connections at the same time. */
export function startLoad(port: number, question: Question, connections = 4): Load {
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
      const { status, text } = await ask(port, { ...question, agent });
      return status === 200 ? undefined : `${status} ${text}`;
    } catch (error) {
      return messageOf(error);
    }
  }
}
