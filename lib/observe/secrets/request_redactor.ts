import { createSecretNameTest } from "../../names/secret_names.ts";
import { splitTarget } from "../../http/url/url.ts";
import { type CredentialHolder, credentialsOf } from "./credentials.ts";
import type { DeclaredSecrets } from "./declared_secrets.ts";
import { KnownSecrets } from "./known_secrets.ts";
import { REDACTED } from "./redacted.ts";
import { createRedactor, type Redactor, type RedactorOptions } from "./redactor.ts";

/** Redacts the secrets in the target of a request: its path and query, as the client wrote them. */
export type TargetRedactor = (target: string, declared: DeclaredSecrets) => string;

/** Matches parts of a path and values of a query that are too short for a secret of any form, numbers and UUIDs. */
const ORDINARY = /^(?:[\w~.,-]{0,11}|\d{1,11}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/i;
/** The most parts of paths that are memoised. */
const MOST_MEMOISED = 2_000;

/**
 * Makes a redactor for the targets of many requests, as for a log. It recognises a target without secrets quickly, since
 * most have none.
 */
export function createTargetRedactor(): TargetRedactor {
  const isSecretName = createSecretNameTest();
  const plain = createRedactor();
  /** Long parts of paths in which no secret was found, such as `service-accounts`. */
  const ordinary = new Set<string>();
  return (target, declared) =>
    isOrdinary(target, declared) ? target : new RequestRedactor(
      { url: `http://localhost${target}`, headers: [] },
      declared,
    ).target;

  function isOrdinary(target: string, { segments, queries }: DeclaredSecrets): boolean {
    if (segments.length > 0) return false;
    const question = target.indexOf("?");
    const path = question === -1 ? target : target.slice(0, question);
    if (!path.split("/").every(isOrdinarySegment)) return false;
    return question === -1 || target.slice(question + 1).split("&").every((pair) => {
      const equals = pair.indexOf("=");
      const name = equals === -1 ? pair : pair.slice(0, equals);
      return ORDINARY.test(equals === -1 ? "" : pair.slice(equals + 1)) && PLAIN_NAME.test(name) &&
        !queries.has(name) && !isSecretName(name);
    });
  }

  function isOrdinarySegment(segment: string): boolean {
    if (ORDINARY.test(segment) || ordinary.has(segment)) return true;
    if (segment.length > MOST_SEGMENT || segment.includes("%") || plain.text(segment) !== segment) return false;
    if (ordinary.size >= MOST_MEMOISED) ordinary.clear();
    ordinary.add(segment);
    return true;
  }
}

/** Matches names of queries that need no decoding and aren't those of OAuth 2.0. */
const PLAIN_NAME = /^(?!code$|assertion$)[\w.-]{1,40}$/i;
/** The most characters of a part of a path that is memoised. */
const MOST_SEGMENT = 100;

/** Redacts the secrets of one request in its own parts, and wherever else they are repeated. */
export class RequestRedactor {
  /** The credentials of the request. More secrets may be added. */
  readonly known = new KnownSecrets();
  /** Redacts other texts of the exchange, such as bodies. */
  readonly redactor: Redactor;
  readonly #url: string;
  readonly #declared: DeclaredSecrets;
  #redacted: { readonly path: string; readonly target: string } | undefined;

  constructor(request: CredentialHolder, declared: DeclaredSecrets) {
    this.#url = request.url;
    this.#declared = declared;
    for (const credential of credentialsOf(request, declared)) this.known.add(credential);
    this.redactor = this.redactorWith({});
  }

  /** Makes another redactor with the secrets of the request. */
  redactorWith(options: Pick<RedactorOptions, "rules" | "found">): Redactor {
    return createRedactor({ ...options, known: this.known, declared: this.#declared });
  }

  /** Path and query of the request. */
  get target(): string {
    return this.#target().target;
  }

  /** The URL of the request. */
  get url(): string {
    const { path, query } = splitTarget(this.#url);
    const written = query === "" ? path : `${path}?${query}`;
    const at = this.#url.indexOf(written, this.#url.indexOf("://") + 3);
    return at === -1 ? this.redactor.url(this.#url) : this.redactor.text(this.#url.slice(0, at)) + this.target;
  }

  /** Redacts the secrets in a sentence of gw's own, which may repeat the target of the request. */
  sentence(text: string): string {
    const { path, query } = splitTarget(this.#url);
    const redacted = this.#target();
    const plain = query === "" ? text : text.replaceAll(`${path}?${query}`, () => redacted.target);
    return this.redactor.sentence(path === redacted.path ? plain : plain.replaceAll(path, () => redacted.path));
  }

  #target(): { readonly path: string; readonly target: string } {
    if (this.#redacted !== undefined) return this.#redacted;
    const { path, query } = splitTarget(this.#url);
    const segments = path.split("/");
    for (const index of this.#declared.segments) {
      const at = segments.length - 1 - index;
      if (at > 0 && segments[at] !== "") segments[at] = REDACTED;
    }
    const plain = this.redactor.url(segments.join("/"));
    const target = query === "" ? plain : `${plain}?${this.redactor.query(query)}`;
    return this.#redacted = { path: plain, target };
  }
}
