import { type Backoff, waitAfter } from "../../lib/http/backoff.ts";
import { problemResponse } from "../../lib/http/problem.ts";
import { INSTALLED } from "../../lib/cluster/install/installation.ts";
import { listen, type Server } from "../io/listener.ts";
import type { Log } from "../io/log.ts";
import { messageOf } from "../../lib/http/message.ts";
import type { KubeClient } from "./client.ts";
import { shareCertificate, type SharedCertificate, trustCertificate } from "./webhook_certificate.ts";

/** What the webhook's server needs. */
export interface WebhookServerOptions {
  client: KubeClient;
  /** The namespace of gw itself. */
  namespace: string;
  host: string;
  port: number;
  /** Answers the API server. */
  handler: (request: Request) => Response | Promise<Response>;
  log: Pick<Log, "note" | "complain">;
  /** The time in milliseconds since 1970. */
  now: () => number;
}

/** A server for the API server's questions. */
export interface WebhookServer extends Server {
  /** Resolves with its port when it listens and the API server has been told whom to trust. */
  readonly ready: Promise<number>;
}

const ADVICE = "Choose another one with --webhook-port.";

/** How long after a failure it is tried again, in milliseconds: twice as long each time. */
const BACKOFF: Backoff = { first: 1_000, most: 60_000 };
/** How often it is looked whether another replica has made a new certificate, and whether it is still trusted. */
const CHECKED_EVERY = 10 * 60_000;

/**
 * Serves the webhook. Until the certificate can be had it is tried again and again: objects are taken unchecked as long,
 * and the controller looks at them.
 */
export function serveWebhook(options: WebhookServerOptions): WebhookServer {
  const { client, namespace, host, port, handler, log, now } = options;
  const names = serviceNames(namespace);
  const { promise: ready, resolve: becomeReady } = Promise.withResolvers<number>();
  const stop = new AbortController();
  let current: { certificate: SharedCertificate; server: Server } | undefined;
  /** A port that the system chose stays the same. */
  let ownPort = port;
  let complaint = "";
  return { shutdown: () => stop.abort(), finished: work(), ready };

  async function work(): Promise<void> {
    let failures = 0;
    while (!stop.signal.aborted) {
      const isDone = await tryOnce();
      failures = isDone ? 0 : failures + 1;
      await wait(isDone ? CHECKED_EVERY : waitAfter(failures, BACKOFF), stop.signal);
    }
    current?.server.shutdown();
    await current?.server.finished;
  }

  async function tryOnce(): Promise<boolean> {
    try {
      const certificate = await shareCertificate({ client, namespace, names, now });
      // Whoever asks next is answered by a certificate that is trusted already.
      const isConfigured = await trustCertificate(client, certificate);
      if (current?.certificate.tls.cert !== certificate.tls.cert) await startWith(certificate);
      becomeReady(ownPort);
      if (!isConfigured) {
        complain(`There is no ValidatingWebhookConfiguration ${INSTALLED.webhookConfiguration}, so that nobody asks.`);
      }
      return true;
    } catch (error) {
      complain(`The webhook can't be served yet: ${messageOf(error)} Objects are taken unchecked until then.`);
      return false;
    }
  }

  async function startWith(certificate: SharedCertificate): Promise<void> {
    if (stop.signal.aborted) return;
    current?.server.shutdown();
    await current?.server.finished;
    current = undefined;
    const listening = listen(answer, { host, port: ownPort, tls: certificate.tls, advice: ADVICE }, log.complain);
    if (listening.kind === "refused") throw new Error(listening.message);
    ownPort = listening.port;
    current = { certificate, server: listening.server };
    log.note(`The API server asks ${listening.url} about APIs, fleets and static routes.`, { webhook: listening.url });
  }

  /** An answer other than 200 lets the object be taken. */
  async function answer(request: Request): Promise<Response> {
    try {
      return await handler(request);
    } catch (error) {
      log.complain(`The webhook could not check an object, which is taken unchecked: ${messageOf(error)}`);
      return problemResponse({
        title: "Internal Server Error",
        status: 500,
        detail: "The object could not be checked.",
      });
    }
  }

  /** The same once. */
  function complain(message: string): void {
    if (message !== complaint) log.complain(message);
    complaint = message;
  }
}

/** The names by which the cluster knows the Service, and that of a port-forward. */
function serviceNames(namespace: string): string[] {
  const name = `${INSTALLED.service}.${namespace}`;
  return [`${name}.svc`, `${name}.svc.cluster.local`, name, "localhost"];
}

function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", done);

    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}
