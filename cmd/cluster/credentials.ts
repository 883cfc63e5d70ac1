import { isObject } from "../../lib/schema/json/node.ts";
import { messageOf } from "../../lib/http/message.ts";
import type { Certificate, ExecCommand, Identity } from "./kube_config.ts";

/** The credentials of a request to an API server. */
export interface Credentials {
  /** The value of the header `Authorization`. */
  authorization?: string;
  certificate?: Certificate;
}

/** A source of credentials, which change over time. */
export interface CredentialSource {
  current(): Promise<Credentials>;
  /** Drops the cached credentials, because the server has refused them. The next call of `current` gets new ones. */
  expire(): void;
}

/**
 * The time for which a token is used before its file is read again, in milliseconds. The kubelet rotates a token long
 * before it expires.
 */
const TOKEN_AGE = 60_000;

/** The time before its expiry at which a credential of an exec plugin is renewed, in milliseconds. */
const RENEWAL_MARGIN = 30_000;

/** The longest time that an exec plugin may run, in milliseconds. */
const EXEC_TIMEOUT = 60_000;

/** Makes the source of the credentials of an identity. */
export function createCredentialSource(identity: Identity): CredentialSource {
  const { exec, tokenFile } = identity;
  if (exec !== undefined) return new CachedCredentials(() => runExec(exec));
  if (tokenFile !== undefined) return new CachedCredentials(() => readTokenFile(tokenFile));
  return { current: () => Promise.resolve(ofIdentity(identity)), expire: () => {} };
}

interface ExpiringCredentials extends Credentials {
  /** The time of expiry, in milliseconds since 1970. */
  until: number;
}

/** Caches credentials until they expire. Concurrent callers share one renewal. */
class CachedCredentials implements CredentialSource {
  readonly #renew: () => Promise<ExpiringCredentials>;
  #known: ExpiringCredentials | undefined;
  #renewing: Promise<ExpiringCredentials> | undefined;

  constructor(renew: () => Promise<ExpiringCredentials>) {
    this.#renew = renew;
  }

  async current(): Promise<Credentials> {
    if (this.#known !== undefined && Date.now() < this.#known.until) return this.#known;
    this.#renewing ??= this.#renew().finally(() => this.#renewing = undefined);
    return this.#known = await this.#renewing;
  }

  expire(): void {
    this.#known = undefined;
  }
}

function ofIdentity({ token, basic, certificate }: Identity): Credentials {
  return {
    ...(basic === undefined ? {} : { authorization: `Basic ${toBase64(`${basic.username}:${basic.password}`)}` }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token.trim()}` }),
    ...(certificate === undefined ? {} : { certificate }),
  };
}

function toBase64(text: string): string {
  return new TextEncoder().encode(text).toBase64();
}

async function readTokenFile(path: string): Promise<ExpiringCredentials> {
  const token = await Deno.readTextFile(path);
  return { authorization: `Bearer ${token.trim()}`, until: Date.now() + TOKEN_AGE };
}

/** Runs an exec plugin (`client.authentication.k8s.io`), as `kubectl` does. */
async function runExec({ apiVersion, command, args, env, installHint }: ExecCommand): Promise<ExpiringCredentials> {
  const info = JSON.stringify({ apiVersion, kind: "ExecCredential", spec: { interactive: false } });
  let output: Deno.CommandOutput;
  try {
    output = await new Deno.Command(command, {
      args: [...args],
      env: { ...env, KUBERNETES_EXEC_INFO: info },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      signal: AbortSignal.timeout(EXEC_TIMEOUT),
    }).output();
  } catch (error) {
    const hint = installHint === "" ? "" : ` ${installHint}`;
    throw new Error(`Cannot run ${command}, which the kubeconfig names for credentials: ${messageOf(error)}.${hint}`, {
      cause: error,
    });
  }
  const decoder = new TextDecoder();
  if (!output.success) {
    const said = decoder.decode(output.stderr).trim();
    throw new Error(`${command}, which the kubeconfig names for credentials, ended with ${output.code}: ${said}`);
  }
  return readExecCredential(decoder.decode(output.stdout), command);
}

/** Parses an `ExecCredential`. Error messages never quote it, because it is secret. */
function readExecCredential(text: string, command: string): ExpiringCredentials {
  const mistake = new Error(`${command}, which the kubeconfig names for credentials, gave no ExecCredential.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw mistake;
  }
  const status = isObject(value) ? value["status"] : undefined;
  if (!isObject(status)) throw mistake;
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = status;
  const certificate = typeof cert === "string" && typeof key === "string" ? { cert, key } : undefined;
  if (typeof token !== "string" && certificate === undefined) throw mistake;
  const end = typeof expirationTimestamp === "string" ? Date.parse(expirationTimestamp) : NaN;
  return {
    ...(typeof token === "string" ? { authorization: `Bearer ${token}` } : {}),
    ...(certificate === undefined ? {} : { certificate }),
    until: Number.isNaN(end) ? Infinity : end - RENEWAL_MARGIN,
  };
}
