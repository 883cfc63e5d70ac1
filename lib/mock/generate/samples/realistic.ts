import { flagRoleOf, type PageFlag } from "../../../names/page_flags.ts";
import { reasonPhrase } from "../../../http/reason_phrase.ts";
import type { ValuePath } from "../generator_context.ts";
import { formatWriter } from "./sample_by_format.ts";
import { nameWriter, sampleNumber } from "./sample_by_name.ts";
import { sampleContextOf } from "./sample_context.ts";
import { word } from "./sample_writer.ts";

/**
 * Suggests realistic texts for a value, the best first. They may be invalid against its schema.
 *
 * @param path The path of the value.
 * @param formats The formats that its schemas name.
 */
export function suggestTexts(path: ValuePath, formats: readonly string[]): string[] {
  const context = sampleContextOf(path);
  const byFormat = formats.flatMap((format) => formatWriter(format)?.(context) ?? []);
  const byStatus = path.status === undefined ? undefined : errorText(path.status, context.words);
  const byName = nameWriter(context)?.(context);
  return [...byFormat, byStatus, byName, word(context)].filter((text) => text !== undefined);
}

/** Suggests a realistic number for a value. It may be invalid against its schema. */
export function suggestNumber(path: ValuePath): number {
  return sampleNumber(sampleContextOf(path));
}

/** What flags of pages say of a list that has one page. */
const FLAGS_OF_ONE_PAGE: ReadonlyMap<PageFlag | undefined, boolean> = new Map([
  ["hasNext", false],
  ["hasPrevious", false],
  ["isFirst", true],
  ["isLast", true],
  ["isEmpty", false],
]);

/**
 * Suggests a boolean: true, and false for every second item of an array. A flag such as `has_more` says that there are
 * no other pages: all pages have the same body, so a client that reads until the last page would never stop.
 */
export function suggestBoolean(path: ValuePath): boolean {
  return FLAGS_OF_ONE_PAGE.get(flagRoleOf(path.name)) ?? path.index % 2 === 0;
}

/** Sentences for error bodies, by status code. */
const ERROR_SENTENCES: Readonly<Record<number, string>> = {
  400: "The request is not well-formed.",
  401: "Valid credentials are required.",
  402: "A payment is required.",
  403: "You are not allowed to do this.",
  404: "The resource was not found.",
  405: "The resource does not support this method.",
  406: "None of the offered media types is accepted.",
  409: "The request conflicts with the current state of the resource.",
  410: "The resource is no longer available.",
  412: "A precondition of the request does not hold.",
  413: "The request body is too large.",
  415: "The media type of the request body is not supported.",
  422: "The request body is not valid.",
  429: "Too many requests were sent. Try again later.",
  500: "An internal error occurred.",
  501: "This operation is not implemented.",
  502: "An upstream server gave an invalid response.",
  503: "The service is temporarily unavailable. Try again later.",
  504: "An upstream server did not respond in time.",
};

/** Texts for properties of error bodies, by the property's name as words. */
const ERROR_TEXTS: readonly [name: RegExp, write: (status: number) => string][] = [
  [/^(title|reason( phrase)?|status (text|message)|http status)$/, reasonPhrase],
  [/^status( code)?$/, String],
  [
    /\b(detail|details|message|error|err|msg|description|error (text|string))$/,
    (status) => ERROR_SENTENCES[status] ?? `The request failed: ${reasonPhrase(status)}.`,
  ],
];

/**
 * The text for a property of an error body.
 *
 * @param status Status code of the response, 400-599.
 * @param words Name of the property, as words in lower case: `error message`.
 * @returns `undefined` if the name doesn't suggest a text about the error.
 */
function errorText(status: number, words: string): string | undefined {
  return ERROR_TEXTS.find(([name]) => name.test(words))?.[1](status);
}
