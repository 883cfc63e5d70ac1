import { type Backoff, waitAfter } from "../../lib/http/backoff.ts";
import { problemResponse } from "../../lib/http/problem.ts";
import { INSTALLED } from "../../lib/cluster/install/installation.ts";
import { listen, type Server } from "../io/listener.ts";
import { sleep } from "../io/sleep.ts";
import type { Log } from "../io/terminal/log.ts";
import { messageOf } from "../../lib/http/message.ts";
import type { KubeClient } from "./client.ts";
import { shareCertificate, type SharedCertificate, trustCertificate } from "./webhook_certificate.ts";

/** Options of {@linkcode serveWebhook}. */
export interface WebhookServerOptions {
  client: KubeClient;
  /** The namespace of gw. */
  namespace: string;
  host: string;
  port: number;
  /** Answers the requests of the API server (AdmissionReview). */
  handler: (request: Request) => Response | Promise<Response>;
  log: Pick<Log, "note" | "complain">;
  /** Returns the time in milliseconds since 1970. */
  now: () => number;
}

/** The server of the admission webhook. */
export interface WebhookServer extends Server {
  /** Resolves with the port when the server listens and the API server trusts its certificate. */
  readonly ready: Promise<number>;
}

const ADVICE = "Choose another one with --webhook-port.";

const BACKOFF: Backoff = { first: 1_000, most: 60_000 };

/**
 * The interval at which a replica reads the shared certificate, and checks that the API server trusts it, in
 * milliseconds.
 */
const CHECK_INTERVAL = 10 * 60_000;

/**
 * Serves the admission webhook. Tries again until it has a certificate. Meanwhile the API server stores objects without
 * a review, and only the controller checks them.
 */
export function serveWebhook(options: WebhookServerOptions): WebhookServer {
  return new CertifiedServer(options);
}

class CertifiedServer implements WebhookServer {
  readonly #options: WebhookServerOptions;
  readonly #names: readonly string[];
  readonly #ready = Promise.withResolvers<number>();
  readonly #stop = new AbortController();
  readonly finished: Promise<void>;
  #current: { certificate: SharedCertificate; server: Server } | undefined;
  /**
   * The port to listen on. 0 becomes the port that the system chooses at the first start, and stays so for later
   * certificates.
   */
  #port: number;
  #lastProblem = "";

  constructor(options: WebhookServerOptions) {
    this.#options = options;
    this.#names = serviceNames(options.namespace);
    this.#port = options.port;
    this.finished = this.#run();
  }

  get ready(): Promise<number> {
    return this.#ready.promise;
  }

  shutdown(): void {
    this.#stop.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    let failures = 0;
    while (!signal.aborted) {
      const isDone = await this.#try();
      failures = isDone ? 0 : failures + 1;
      await sleep(isDone ? CHECK_INTERVAL : waitAfter(failures, BACKOFF), signal);
    }
    await this.#close();
  }

  /**
   * Tries once to start the server, or to renew its certificate.
   *
   * @returns Whether the webhook is served.
   */
  async #try(): Promise<boolean> {
    const { client, namespace, now } = this.#options;
    try {
      const certificate = await shareCertificate({ client, namespace, names: this.#names, now });
      // The API server must trust the certificate before the server uses it.
      const isConfigured = await trustCertificate(client, certificate);
      if (this.#current?.certificate.tls.cert !== certificate.tls.cert) await this.#startWith(certificate);
      this.#ready.resolve(this.#port);
      if (!isConfigured) {
        this.#logProblem(
          `There is no ValidatingWebhookConfiguration ${INSTALLED.webhookConfiguration}: the API server asks for no reviews.`,
        );
      }
      return true;
    } catch (error) {
      this.#logProblem(`The webhook can't be served yet: ${messageOf(error)} Objects are stored unchecked until then.`);
      return false;
    }
  }

  async #startWith(certificate: SharedCertificate): Promise<void> {
    if (this.#stop.signal.aborted) return;
    await this.#close();
    const { host, log } = this.#options;
    const options = { host, port: this.#port, tls: certificate.tls, advice: ADVICE };
    const listening = listen((request) => this.#answer(request), options, log.complain);
    if (listening.kind === "refused") throw new Error(listening.message);
    this.#port = listening.port;
    this.#current = { certificate, server: listening.server };
    log.note(`The API server asks ${listening.url} about APIs, fleets and static routes.`, { webhook: listening.url });
  }

  async #close(): Promise<void> {
    this.#current?.server.shutdown();
    await this.#current?.server.finished;
    this.#current = undefined;
  }

  /**
   * Answers a request of the API server. After any other status than 200, the API server stores the object all the same
   * (`failurePolicy: Ignore`).
   */
  async #answer(request: Request): Promise<Response> {
    try {
      return await this.#options.handler(request);
    } catch (error) {
      const message = `The webhook could not check an object, which is stored unchecked: ${messageOf(error)}`;
      this.#options.log.complain(message);
      return problemResponse({
        title: "Internal Server Error",
        status: 500,
        detail: "The object could not be checked.",
      });
    }
  }

  /** Logs a message, unless the last message was equal. */
  #logProblem(message: string): void {
    if (message !== this.#lastProblem) this.#options.log.complain(message);
    this.#lastProblem = message;
  }
}

/** Returns the DNS names of the Service, and `localhost` for `kubectl port-forward`. */
function serviceNames(namespace: string): string[] {
  const name = `${INSTALLED.service}.${namespace}`;
  return [`${name}.svc`, `${name}.svc.cluster.local`, name, "localhost"];
}
