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

export const slug = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
export const hex = (length: number, random: Random): string =>
  Array.from({ length }, () => integer(0, 15, random).toString(16)).join("");
export const digits = (length: number, random: Random): string =>
  Array.from({ length }, (_, index) => integer(index === 0 ? 1 : 0, 9, random)).join("");
export const word: SampleWriter = ({ random }) => pick(vocabulary.WORDS, random);
export const host: SampleWriter = ({ random }) => `${pick(vocabulary.WORDS, random)}.example.com`;
export const domain: SampleWriter = ({ company }) => `${slug(company)}.example`;
export const username: SampleWriter = ({ person }) => slug(person.first);
export const email: SampleWriter = ({ person }) => `${slug(person.first)}.${slug(person.last)}@example.com`;
export const phone: SampleWriter = ({ random }) => `+1202555${String(integer(100, 199, random)).padStart(4, "0")}`;
export const uuid: SampleWriter = ({ random }) =>
  `${hex(8, random)}-${hex(4, random)}-4${hex(3, random)}-${pick(["8", "9", "a", "b"], random)}${hex(3, random)}-${
    hex(12, random)
  }`;
export const dateTime: SampleWriter = ({ path, words }) => formatTime(timeOf(path, words));
export const date: SampleWriter = (context) => dateTime(context).slice(0, 10);
export const time: SampleWriter = (context) => dateTime(context).slice(11);
export const ipv4: SampleWriter = ({ random }) => `192.0.2.${integer(1, 254, random)}`;
export const ipv6: SampleWriter = ({ random }) => `2001:db8::${integer(1, 0xffff, random).toString(16)}`;
export const base64: SampleWriter = (context) => btoa(`${word(context)} ${word(context)}`);
export const sentence: SampleWriter = ({ random }) =>
  `${pick(vocabulary.SUBJECTS, random)} ${pick(vocabulary.PREDICATES, random)}.`;
export const product: SampleWriter = ({ random }) => pick(vocabulary.PRODUCTS, random);
export const amount: SampleWriter = ({ random }) => (integer(100, 99_999, random) / 100).toFixed(2);
export const password: SampleWriter = ({ random }) => `${pick(vocabulary.WORDS, random)}-${digits(4, random)}`;
export const image: SampleWriter = ({ random }) =>
  `https://images.example.com/${pick(vocabulary.WORDS, random)}-${hex(4, random)}.png`;

export const url: SampleWriter = (context) => {
  const { words, random, person, company } = context;
  if (/avatar|image|photo|picture|logo|icon|thumb|banner|poster|gravatar/.test(words)) return image(context);
  if (/profile|user/.test(words)) return `https://example.com/users/${slug(person.first)}`;
  if (/homepage|website|blog|company/.test(words)) return `https://${slug(company)}.example/`;
  if (/webhook|callback|notify|hook/.test(words)) return `https://hooks.example.com/${hex(8, random)}`;
  return `https://example.com/${pick(vocabulary.WORDS, random)}/${integer(1, 999, random)}`;
};
