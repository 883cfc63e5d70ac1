/**
 * The certificate of the admission webhook. gw makes it, stores it in a Secret that all replicas share, and has the API
 * server trust it (`caBundle`):
 *
 * ```text
 * Secret gw-webhook: tls.crt, tls.key   -> listeners of all replicas
 *                    ca.crt             -> ValidatingWebhookConfiguration, together with the certificate from before
 * ```
 *
 * @module
 */
import { X509Certificate } from "node:crypto";
import { isObject } from "../../lib/schema/json/node.ts";
import type { KubernetesObject } from "../../lib/cluster/object.ts";
import { INSTALLED } from "../../lib/cluster/install/installation.ts";
import type { TlsFiles } from "../io/tls.ts";
import { type KubeClient, KubeError, type ResourceType } from "./client.ts";

/** The certificate that all replicas share. */
export interface SharedCertificate {
  tls: TlsFiles;
  /** The certificates, in PEM, that the API server trusts: the present one, and the one before it. */
  trusted: string;
}

/** Options of {@linkcode shareCertificate}. */
export interface CertificateOptions {
  client: Pick<KubeClient, "get" | "replace">;
  namespace: string;
  /** The DNS names and IP addresses of the server. */
  names: readonly string[];
  /** Returns the time in milliseconds since 1970. */
  now: () => number;
}

const SECRET: ResourceType = { apiVersion: "v1", kind: "Secret", plural: "secrets" };
const CONFIGURATION: ResourceType = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  plural: "validatingwebhookconfigurations",
  isClusterWide: true,
};
/**
 * The field manager of `caBundle`. A manager that applies only `caBundle` gives up all its other fields, so this
 * manager has no others.
 */
const FIELD_MANAGER = "gw-webhook";

const DAY = 24 * 60 * 60 * 1000;
const LIFETIME = 365 * DAY;
/** The rest of its lifetime at which a certificate is replaced, in milliseconds. */
const RENEWED_BEFORE = 120 * DAY;
/** The most times that a replica tries to store a new certificate if other replicas do so at the same time. */
const MOST_TRIES = 5;

/**
 * Reads the certificate that the replicas share. If there is none, or if it expires soon, makes a new one.
 *
 * @throws {KubeError} When the API server refuses or can't be reached; 404 when the Secret doesn't exist.
 */
export async function shareCertificate(options: CertificateOptions): Promise<SharedCertificate> {
  const { client, namespace, names, now } = options;
  for (let tries = 1;; tries++) {
    const secret = await client.get(SECRET, namespace, INSTALLED.webhookSecret);
    if (secret === undefined) {
      const name = `${namespace}/${INSTALLED.webhookSecret}`;
      throw new KubeError(404, "NotFound", `There is no Secret ${name}; gw manifests --only serve prints it.`);
    }
    const present = readSecret(secret);
    if (present !== undefined && endOf(present.tls.cert) - now() > RENEWED_BEFORE) return present;
    const made = await makeCertificate(names, present, now());
    try {
      await client.replace(SECRET, { ...secret, data: { ...dataOf(secret), ...writeSecret(made) } });
      return made;
    } catch (error) {
      const hasLostRace = error instanceof KubeError && error.status === 409;
      if (!hasLostRace || tries === MOST_TRIES) throw error;
    }
  }
}

/**
 * Writes the certificates into gw's ValidatingWebhookConfiguration, so that the API server trusts them.
 *
 * @returns Whether that configuration exists.
 */
export async function trustCertificate(
  client: Pick<KubeClient, "get" | "apply">,
  { trusted }: Pick<SharedCertificate, "trusted">,
): Promise<boolean> {
  const configuration = await client.get(CONFIGURATION, "", INSTALLED.webhookConfiguration);
  if (configuration === undefined) return false;
  const caBundle = toBase64(trusted);
  const webhooks = webhooksOf(configuration);
  if (webhooks.every((webhook) => webhook.caBundle === caBundle)) return true;
  await client.apply(CONFIGURATION, {
    apiVersion: CONFIGURATION.apiVersion,
    kind: CONFIGURATION.kind,
    metadata: { name: INSTALLED.webhookConfiguration },
    webhooks: webhooks.map(({ name }) => ({ name, clientConfig: { caBundle } })),
  }, { fieldManager: FIELD_MANAGER });
  return true;
}

async function makeCertificate(
  names: readonly string[],
  before: SharedCertificate | undefined,
  now: number,
): Promise<SharedCertificate> {
  // A bundle has the exports of a CommonJS package under `default` only.
  const { default: { generate } } = await import("selfsigned");
  const { cert, private: key } = await generate([{ name: "commonName", value: names[0] ?? "gw" }], {
    keyType: "ec",
    curve: "P-256",
    algorithm: "sha256",
    // The certificate is valid from the day before, because the clock of the API server may be slow.
    notBeforeDate: new Date(now - DAY),
    notAfterDate: new Date(now + LIFETIME),
    extensions: [
      { name: "basicConstraints", cA: false, critical: true },
      { name: "keyUsage", digitalSignature: true, critical: true },
      { name: "extKeyUsage", serverAuth: true },
      { name: "subjectAltName", altNames: names.map(altName) },
    ],
  });
  const isOfUse = before !== undefined && endOf(before.tls.cert) > now;
  return { tls: { cert, key }, trusted: isOfUse ? `${cert.trimEnd()}\n${before.tls.cert}` : cert };
}

/** Returns a name as a `GeneralName` of X.509 (RFC 5280, section 4.2.1.6). */
function altName(name: string): { type: 2; value: string } | { type: 7; ip: string } {
  return /^[\d.]+$/.test(name) || name.includes(":") ? { type: 7, ip: name } : { type: 2, value: name };
}

/** Returns the expiry of a certificate in milliseconds since 1970; 0 if the text isn't a certificate. */
function endOf(pem: string): number {
  try {
    return Date.parse(new X509Certificate(pem).validTo);
  } catch {
    return 0;
  }
}

function readSecret(secret: KubernetesObject): SharedCertificate | undefined {
  const data = dataOf(secret);
  const [cert, key] = [fromBase64(data["tls.crt"]), fromBase64(data["tls.key"])];
  if (cert === undefined || key === undefined) return undefined;
  return { tls: { cert, key }, trusted: fromBase64(data["ca.crt"]) ?? cert };
}

function writeSecret({ tls, trusted }: SharedCertificate): Record<string, string> {
  return { "tls.crt": toBase64(tls.cert), "tls.key": toBase64(tls.key), "ca.crt": toBase64(trusted) };
}

function dataOf({ data }: KubernetesObject): Record<string, unknown> {
  return isObject(data) ? data : {};
}

function webhooksOf({ webhooks }: KubernetesObject): { name: string; caBundle: unknown }[] {
  if (!Array.isArray(webhooks)) return [];
  return webhooks.filter(isObject).map(({ name, clientConfig }) => ({
    name: String(name),
    caBundle: isObject(clientConfig) ? clientConfig["caBundle"] : undefined,
  }));
}

function toBase64(text: string): string {
  return new TextEncoder().encode(text).toBase64();
}

function fromBase64(value: unknown): string | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  try {
    return new TextDecoder().decode(Uint8Array.fromBase64(value));
  } catch {
    return undefined;
  }
}
