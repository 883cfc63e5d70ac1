/**
 * Makes the keys and certificates of a cluster, by openssl.
 *
 * @module
 */
import { runCommand } from "./daemon.ts";

/** A shell function that makes a private key in PKCS#8, the only form that Deno's `fetch` reads. */
const KEY = `key() { openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt -out "$1.key"; }`;

/** A shell function `leaf FILE SUBJECT EXTENSIONS` that makes a key, and a certificate signed by `ca`. */
const LEAF = `leaf() {
  key "$1"
  openssl req -new -key "$1.key" -subj "$2" -out "$1.csr"
  openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -set_serial "0x$(openssl rand -hex 8)" -days 365 -out "$1.crt" \\
    -extfile <(printf 'basicConstraints=critical,CA:FALSE\\nkeyUsage=critical,digitalSignature\\n%s\\n' "$3")
}`;

const NAMES = "IP:127.0.0.1,IP:10.0.0.1,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc";

/**
 * Makes the keys and certificates of an API server: ca, server and admin (`.key`, `.crt`), and the key pair of service
 * accounts (sa.key, sa.pub).
 */
export async function createCertificates(folder: string): Promise<void> {
  await bash(
    folder,
    `
key ca
openssl req -x509 -new -key ca.key -days 365 -subj /CN=test-ca -out ca.crt \\
  -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign,digitalSignature
leaf server /CN=kube-apiserver $'extendedKeyUsage=serverAuth\\nsubjectAltName=${NAMES}'
leaf admin /O=system:masters/CN=admin extendedKeyUsage=clientAuth
openssl genrsa -out sa.key 2048
openssl rsa -in sa.key -pubout -out sa.pub`,
  );
}

/** Makes a certificate for a user: `<name>.key` and `<name>.crt`. */
export async function createUserCertificate(folder: string, name: string, groups: readonly string[]): Promise<void> {
  const subject = [...groups.map((group) => `/O=${group}`), `/CN=${name}`].join("");
  await bash(folder, `leaf ${name} ${subject} extendedKeyUsage=clientAuth`);
}

/** Makes a certificate for a server with the given names: `<name>.key` and `<name>.crt`. */
export async function createServerCertificate(folder: string, name: string, hosts: readonly string[]): Promise<void> {
  const names = hosts.map((host) => `DNS:${host}`).join();
  await bash(folder, `leaf ${name} /CN=${name} $'extendedKeyUsage=serverAuth\\nsubjectAltName=${names}'`);
}

async function bash(folder: string, script: string): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  await runCommand(["bash", "-c", `set -euo pipefail\n${KEY}\n${LEAF}\n${script}`], { cwd: folder });
}
