/**
 * Writers of sample texts: people, places and things that formats and names ask for.
 *
 * @module
 */
import { integer, pick, type Random } from "./random.ts";
import { formatTime, type SampleContext, timeOf } from "./sample_context.ts";
import * as vocabulary from "./vocabulary.ts";

/** Writes a sample text. */
export type SampleWriter = (context: SampleContext) => string;

/** A text in lower case with hyphens. */
export function slug(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
}

/** Random hexadecimal digits. */
export function hex(length: number, random: Random): string {
  return Array.from({ length }, () => integer(0, 15, random).toString(16)).join("");
}

/** Random decimal digits; the first isn't 0. */
export function digits(length: number, random: Random): string {
  return Array.from({ length }, (_, index) => integer(index === 0 ? 1 : 0, 9, random)).join("");
}

/** A noun. */
export function word({ random }: SampleContext): string {
  return pick(vocabulary.WORDS, random);
}

/** A sentence. */
export function sentence({ random }: SampleContext): string {
  return `${pick(vocabulary.SUBJECTS, random)} ${pick(vocabulary.PREDICATES, random)}.`;
}

/** A user name: the first name of the object's person. */
export function username({ person }: SampleContext): string {
  return slug(person.first);
}

/** The email address of the object's person, in a domain that RFC 2606 reserves for examples. */
export function email({ person }: SampleContext): string {
  return `${slug(person.first)}.${slug(person.last)}@example.com`;
}

/** A phone number that North America reserves for fiction. */
export function phone({ random }: SampleContext): string {
  return `+1202555${String(integer(100, 199, random)).padStart(4, "0")}`;
}

/** A random UUID, version 4 (RFC 9562). */
export function uuid({ random }: SampleContext): string {
  const [first, second, third] = [hex(8, random), hex(4, random), hex(3, random)];
  return `${first}-${second}-4${third}-${pick(["8", "9", "a", "b"], random)}${hex(3, random)}-${hex(12, random)}`;
}

/** A point in time that is in order with the others of the object (RFC 3339). */
export function dateTime({ path, words }: SampleContext): string {
  return formatTime(timeOf(path, words));
}

/** The date of the point in time that {@linkcode dateTime} gives. */
export function date(context: SampleContext): string {
  return dateTime(context).slice(0, 10);
}

/** The time of day of the point in time that {@linkcode dateTime} gives. */
export function time(context: SampleContext): string {
  return dateTime(context).slice(11);
}

/** An address that RFC 5737 reserves for documentation. */
export function ipv4({ random }: SampleContext): string {
  return `192.0.2.${integer(1, 254, random)}`;
}

/** An address that RFC 3849 reserves for documentation. */
export function ipv6({ random }: SampleContext): string {
  return `2001:db8::${integer(1, 0xffff, random).toString(16)}`;
}

/** Two words in base64. */
export function base64(context: SampleContext): string {
  return btoa(`${word(context)} ${word(context)}`);
}

/** The name of a product. */
export function product({ random }: SampleContext): string {
  return pick(vocabulary.PRODUCTS, random);
}

/** An amount of money, with two decimals. */
export function amount({ random }: SampleContext): string {
  return (integer(100, 99_999, random) / 100).toFixed(2);
}

/** A password. */
export function password({ random }: SampleContext): string {
  return `${pick(vocabulary.WORDS, random)}-${digits(4, random)}`;
}

/** The name of a host. */
export function host({ random }: SampleContext): string {
  return `${pick(vocabulary.WORDS, random)}.example.com`;
}

/** The domain of the object's company. */
export function domain({ company }: SampleContext): string {
  return `${slug(company)}.example`;
}

/** A URL of an image, a profile, a home page or a webhook, depending on the name of the property. */
export function url({ words, random, person, company }: SampleContext): string {
  if (/avatar|image|photo|picture|logo|icon|thumb|banner|poster|gravatar/.test(words)) {
    return `https://images.example.com/${pick(vocabulary.WORDS, random)}-${hex(4, random)}.png`;
  }
  if (/profile|user/.test(words)) return `https://example.com/users/${slug(person.first)}`;
  if (/homepage|website|blog|company/.test(words)) return `https://${slug(company)}.example/`;
  if (/webhook|callback|notify|hook/.test(words)) return `https://hooks.example.com/${hex(8, random)}`;
  return `https://example.com/${pick(vocabulary.WORDS, random)}/${integer(1, 999, random)}`;
}
