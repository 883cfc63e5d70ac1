import { isObject } from "../../lib/schema/node.ts";
import { messageOf } from "../../lib/http/message.ts";
import type { Certificate, ExecCommand, Identity } from "./kube_config.ts";

/** What a request to a cluster's API carries to say who asks. */
export interface Credentials {
  /** Value of the header `Authorization`. */
  authorization?: string;
  certificate?: Certificate;
}

/** Where credentials come from. */
export interface CredentialSource {
  current(): Promise<Credentials>;
  /** Says that the server didn't take them, so that they are got anew. */
  expire(): void;
}

/** How long a file's token is used before the file is read again, in milliseconds: half of what a kubelet leaves for it. */
const TOKEN_AGE = 60_000;

/** How long before its end a program's credential is got anew, in milliseconds. */
const MARGIN = 30_000;

/** Longest that a program may take to give credentials, in milliseconds. */
const EXEC_PATIENCE = 60_000;

/** Makes what gives the credentials of somebody. */
export function createCredentialSource(identity: Identity): CredentialSource {
  const { exec, tokenFile } = identity;
  if (exec !== undefined) return remembering(() => runExec(exec));
  if (tokenFile !== undefined) return remembering(() => readTokenFile(tokenFile));
  return { current: () => Promise.resolve(ofIdentity(identity)), expire: () => {} };
}

/** Credentials, and when they end, in milliseconds since 1970. */
interface Lasting extends Credentials {
  until: number;
}

/** Gets credentials when there are none that still hold; whoever asks meanwhile waits for the same. */
function remembering(get: () => Promise<Lasting>): CredentialSource {
  let known: Lasting | undefined;
  let getting: Promise<Lasting> | undefined;
  return {
    async current() {
      if (known !== undefined && Date.now() < known.until) return known;
      getting ??= get().finally(() => getting = undefined);
      return known = await getting;
    },
    expire: () => known = undefined,
  };
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

async function readTokenFile(path: string): Promise<Lasting> {
  const token = await Deno.readTextFile(path);
  return { authorization: `Bearer ${token.trim()}`, until: Date.now() + TOKEN_AGE };
}

/** Asks a program, as `kubectl` does. */
async function runExec({ apiVersion, command, args, env, installHint }: ExecCommand): Promise<Lasting> {
  const info = JSON.stringify({ apiVersion, kind: "ExecCredential", spec: { interactive: false } });
  let output: Deno.CommandOutput;
  try {
    output = await new Deno.Command(command, {
      args: [...args],
      env: { ...env, KUBERNETES_EXEC_INFO: info },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      signal: AbortSignal.timeout(EXEC_PATIENCE),
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

/** Reads an `ExecCredential`. A message never says what is in it. */
function readExecCredential(text: string, command: string): Lasting {
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
    until: Number.isNaN(end) ? Infinity : end - MARGIN,
  };
}
