import { encodeBase64 } from "../../http/base64.ts";
import { decodeSecret } from "./encoded_secret.ts";
import { createTextSearch, type TextSearch } from "./text_search.ts";
import type { Span } from "./span.ts";
import { writeJson } from "../../schema/json/json.ts";

/** The fewest characters of a secret that is searched for. A shorter text may occur anywhere by chance. */
const LEAST_LENGTH = 6;
/** The most characters of a secret that are kept and searched for. */
const MOST_LENGTH = 8192;
/** The most secrets that are kept. The oldest are dropped. */
const MOST_SECRETS = 1_000;
/** The most characters of all secrets together. The oldest are dropped. */
const MOST_CHARACTERS = 4 * 1024 * 1024;

/**
 * Secrets that occurred in exchanges, to be found again in other texts. Each is found unchanged, percent-encoded, in
 * base64, escaped as in JSON, and escaped as in XML.
 */
export class KnownSecrets {
  readonly #secrets = new Set<string>();
  #characters = 0;
  #version = 0;
  #search: TextSearch | undefined;

  /** Incremented when a secret is added. A text that was searched at an earlier version must be searched again. */
  get version(): number {
    return this.#version;
  }

  /**
   * Adds a secret. If it is a text in base64, adds the decoded text, too. Ignores secrets that are too short to be
   * searched for.
   */
  add(written: string): void {
    this.#add(written.trim().slice(0, MOST_LENGTH));
    const text = fromBase64(written.trim());
    if (text !== undefined) this.#add(text.slice(0, MOST_LENGTH));
  }

  #add(secret: string): void {
    if (secret.length < LEAST_LENGTH || this.#secrets.has(secret)) return;
    this.#secrets.add(secret);
    this.#characters += secret.length;
    for (const oldest of this.#secrets) {
      if (this.#secrets.size <= MOST_SECRETS && this.#characters <= MOST_CHARACTERS) break;
      this.#secrets.delete(oldest);
      this.#characters -= oldest.length;
    }
    this.#version++;
    this.#search = undefined;
  }

  /** Finds the secrets in a text, in linear time. */
  find(text: string): Span[] {
    if (this.#secrets.size === 0 || text.length < LEAST_LENGTH) return [];
    this.#search ??= createTextSearch([...new Set([...this.#secrets].flatMap(formsOf))]);
    return this.#search.find(text);
  }
}

/** The text that a secret in base64 decodes to; `undefined` for another secret. */
function fromBase64(written: string): string | undefined {
  return /^[\w+/-]{7,}={0,2}$/.test(written) ? decodeSecret(written)?.trim() : undefined;
}

/** The forms in which a text may contain a secret: unchanged, escaped or encoded. */
function formsOf(secret: string): string[] {
  const json = writeJson(secret).slice(1, -1);
  const wellFormed = secret.toWellFormed();
  const percent = encodeURIComponent(wellFormed);
  const strict = percent.replace(/[!'()*~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  const xml = secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const quoted = xml.replaceAll('"', "&quot;").replaceAll("'", "&apos;");
  return [
    secret,
    ...[json, json.replaceAll("/", "\\/"), writeJson(json).slice(1, -1)],
    ...[percent, percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()), percent.replaceAll("%20", "+")],
    ...[strict, strict.replaceAll("%20", "+"), encodeURIComponent(percent), encodeURI(wellFormed)],
    ...[xml, quoted, quoted.replaceAll("&apos;", "&#39;")],
    ...base64Forms(new TextEncoder().encode(secret)),
  ];
}

/**
 * The base64 of bytes within a longer sequence of bytes. Base64 encodes groups of three bytes, so it depends on the
 * position of the first byte in its group. There is a form for each of the three positions, without the characters that
 * depend on neighbouring bytes.
 */
function base64Forms(bytes: Uint8Array): string[] {
  const forms = [0, 1, 2].map((offset) => {
    const shifted = new Uint8Array(offset + bytes.length);
    shifted.set(bytes, offset);
    const whole = Math.floor(shifted.length * 8 / 6);
    return encodeBase64(shifted).slice(Math.ceil(offset * 8 / 6), whole);
  }).filter((form) => form.length >= LEAST_LENGTH);
  return forms.flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]);
}
