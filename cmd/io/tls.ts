import { messageOf } from "../../lib/http/message.ts";
import { toUri } from "./files/location.ts";
import { readText } from "./files/read.ts";

/** A certificate and its private key, in PEM (RFC 7468). */
export interface TlsFiles {
  cert: string;
  key: string;
}

/**
 * Reads a certificate and its key.
 *
 * @throws {Error} If one of them is invalid, with a message for the user.
 */
export async function readTlsFiles(certFile: string, keyFile: string): Promise<TlsFiles> {
  const [cert, key] = await Promise.all([
    readPem(certFile, "CERTIFICATE", "a certificate"),
    readPem(keyFile, "PRIVATE KEY", "a private key"),
  ]);
  return { cert, key };
}

async function readPem(file: string, label: string, thing: string): Promise<string> {
  let text: string;
  try {
    text = new TextDecoder().decode((await readText(toUri(file)))?.bytes);
  } catch (error) {
    throw new Error(`Cannot read ${file}: ${messageOf(error)}.`, {
      cause: error,
    });
  }
  if (text.includes(`${label}-----`)) return text;
  throw new Error(`Cannot use ${file}: it does not hold ${thing} in PEM.`);
}
