/**
 * Functions that write sample texts: a name, an email address, a URL and so on.
 *
 * @module
 */
import { pick, type Random, randomInteger } from "../random.ts";
import { formatTime, type SampleContext, sampleTime } from "./sample_context.ts";
import * as vocabulary from "./vocabulary.ts";

/** Writes a sample text. */
export type SampleWriter = (context: SampleContext) => string;

/** Converts a text to lower case, with hyphens between its words. */
export function slug(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
}

export function hexDigits(length: number, random: Random): string {
  return Array.from({ length }, () => randomInteger(0, 15, random).toString(16)).join("");
}

export function digits(length: number, random: Random): string {
  return Array.from({ length }, (_, index) => randomInteger(index === 0 ? 1 : 0, 9, random)).join("");
}

export function word({ random }: SampleContext): string {
  return pick(vocabulary.WORDS, random);
}

export function sampleSentence({ random }: SampleContext): string {
  return `${pick(vocabulary.SUBJECTS, random)} ${pick(vocabulary.PREDICATES, random)}.`;
}

/** A user name: the first name of the person whom the object's properties share. */
export function username({ person }: SampleContext): string {
  return slug(person.first);
}

/**
 * The email address of the person whom the object's properties share, in a domain that RFC 2606 reserves for examples.
 */
export function email({ person }: SampleContext): string {
  return `${slug(person.first)}.${slug(person.last)}@example.com`;
}

/** A phone number from the range that the North American Numbering Plan reserves for fiction (555-0100 to 555-0199). */
export function phone({ random }: SampleContext): string {
  return `+1202555${String(randomInteger(100, 199, random)).padStart(4, "0")}`;
}

/** A random UUID of version 4 (RFC 9562). */
export function uuid({ random }: SampleContext): string {
  const [first, second, third] = [hexDigits(8, random), hexDigits(4, random), hexDigits(3, random)];
  return `${first}-${second}-4${third}-${pick(["8", "9", "a", "b"], random)}${hexDigits(3, random)}-${
    hexDigits(12, random)
  }`;
}

/** A time by RFC 3339, in a plausible order with the other times of the object: created before updated. */
export function dateTime({ path, words }: SampleContext): string {
  return formatTime(sampleTime(path, words));
}

/** The date of the time that {@linkcode dateTime} gives. */
export function date(context: SampleContext): string {
  return dateTime(context).slice(0, 10);
}

/** The time of day of the time that {@linkcode dateTime} gives. */
export function time(context: SampleContext): string {
  return dateTime(context).slice(11);
}

/** An IPv4 address from the range that RFC 5737 reserves for documentation. */
export function ipv4({ random }: SampleContext): string {
  return `192.0.2.${randomInteger(1, 254, random)}`;
}

/** An IPv6 address from the range that RFC 3849 reserves for documentation. */
export function ipv6({ random }: SampleContext): string {
  return `2001:db8::${randomInteger(1, 0xffff, random).toString(16)}`;
}

export function base64(context: SampleContext): string {
  return btoa(`${word(context)} ${word(context)}`);
}

export function product({ random }: SampleContext): string {
  return pick(vocabulary.PRODUCTS, random);
}

export function amount({ random }: SampleContext): string {
  return (randomInteger(100, 99_999, random) / 100).toFixed(2);
}

export function password({ random }: SampleContext): string {
  return `${pick(vocabulary.WORDS, random)}-${digits(4, random)}`;
}

export function host({ random }: SampleContext): string {
  return `${pick(vocabulary.WORDS, random)}.example.com`;
}

export function domain({ company }: SampleContext): string {
  return `${slug(company)}.example`;
}

/** A URL whose form depends on the name of the property: of an image, a profile, a home page, a webhook or a page. */
export function url({ words, random, person, company }: SampleContext): string {
  if (/avatar|image|photo|picture|logo|icon|thumb|banner|poster|gravatar/.test(words)) {
    return `https://images.example.com/${pick(vocabulary.WORDS, random)}-${hexDigits(4, random)}.png`;
  }
  if (/profile|user/.test(words)) return `https://example.com/users/${slug(person.first)}`;
  if (/homepage|website|blog|company/.test(words)) return `https://${slug(company)}.example/`;
  if (/webhook|callback|notify|hook/.test(words)) return `https://hooks.example.com/${hexDigits(8, random)}`;
  return `https://example.com/${pick(vocabulary.WORDS, random)}/${randomInteger(1, 999, random)}`;
}
