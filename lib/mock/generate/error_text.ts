import { reasonPhrase } from "../../http/reason_phrase.ts";

/** Sentences of error bodies by status code, as an API would say them. */
const SENTENCES: Readonly<Record<number, string>> = {
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

/** Texts of an error body, by the words of the property's name. */
const TEXTS: readonly [name: RegExp, write: (status: number) => string][] = [
  [/^(title|reason( phrase)?|status (text|message)|http status)$/, reasonPhrase],
  [/^status( code)?$/, String],
  [
    /\b(detail|details|message|error|err|msg|description|error (text|string))$/,
    (status) => SENTENCES[status] ?? `The request failed: ${reasonPhrase(status)}.`,
  ],
];

/**
 * The text that a property of an error body would have.
 *
 * @param status Status code of the response, 400-599.
 * @param words Name of the property, as words in lower case: `error message`.
 * @returns `undefined` where the name tells nothing of the error.
 */
export function errorText(status: number, words: string): string | undefined {
  return TEXTS.find(([name]) => name.test(words))?.[1](status);
}
