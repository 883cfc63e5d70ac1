/**
 * Shared parts of the handlers that change resources.
 *
 * @module
 */
import type { HeaderList } from "../../http/handler.ts";
import { isAmong, strongTags } from "../answer.ts";
import { versionTag } from "../catalog.ts";
import type { Call, Context } from "../context.ts";
import { bodyError, type Content, type ContentError, readContent } from "../content.ts";
import type { ContentSchema } from "../description.ts";
import { ErrorResponse, errorResponse, problemOf } from "../error_response.ts";
import type { ObjectName } from "../../gateway/resource.ts";
import type { Problem } from "../../http/problem.ts";
import type { StoredResource } from "../store.ts";
import { KIND_NAMES } from "./read.ts";

/** The most warnings, and characters of each, in a response: clients limit the size of headers. */
const MOST_WARNINGS = 20;
const MOST_CHARACTERS = 200;

/** Reads the content of a request, validated against a schema of the description. */
export async function contentOf({ request }: Call, context: Context, schema: ContentSchema): Promise<Content> {
  const { contentCheck } = await context.description();
  return await readContent(request, context.options, contentCheck(schema));
}

/** Authorizes the creation of an object, whose name is in the content of the request. */
export async function authorize(
  { request }: Call,
  { options }: Context,
  operation: string,
  object: ObjectName,
): Promise<void> {
  const refused = await options.authorize?.(request, operation, object);
  if (refused !== undefined) throw new ErrorResponse(refused);
}

/** The errors of names in the content that differ from those of the path. */
export function misnamed(content: ObjectName, object: ObjectName, text: string): ContentError[] {
  return (["namespace", "name"] as const)
    .filter((key) => content[key] !== "" && content[key] !== object[key])
    .map((key) => bodyError(text, `/${key}`, `\`${key}\` is ${content[key]}, but the path says ${object[key]}.`));
}

/** Throws 412 if the request has an `If-Match` that names no version with the resource's present content. */
export function checkMatch({ request }: Call, { store }: Context, resource: StoredResource): void {
  const wanted = request.headers.get("if-match");
  const isMeant = wanted === null || isAmong(versionTag(resource), wanted, "strong") ||
    strongTags(wanted).some((tag) => store.isUnchanged?.(resource, tag.slice(1, -1)) ?? false);
  if (!isMeant) throw otherState(resource, versionTag(resource), wanted);
}

/** Throws 412 if the request has an `If-Match` that doesn't name the entity tag of the representation. */
export function checkShown({ request }: Call, resource: StoredResource, etag: string): void {
  const wanted = request.headers.get("if-match");
  if (wanted !== null && !isAmong(etag, wanted, "strong")) throw otherState(resource, etag, wanted);
}

function otherState({ kind, namespace, name }: StoredResource, etag: string, wanted: string): Error {
  return errorResponse(412, `The ${KIND_NAMES[kind]} ${namespace}/${name} has the ETag ${etag} now, not ${wanted}.`);
}

/** The warnings as `Warning` headers, in the form of Kubernetes. */
export function warningHeaders(warnings: readonly string[]): HeaderList {
  const shown = warnings.length > MOST_WARNINGS
    ? [
      ...warnings.slice(0, MOST_WARNINGS - 1),
      `There are ${warnings.length - MOST_WARNINGS + 1} more; \`gw validate\` shows all.`,
    ]
    : warnings;
  return shown.map((text) => ["warning", `299 - "${quotable(text)}"`]);
}

/** The `X-Gw-Served-At` header: the URLs of the fleet. */
export function servedAtHeader(urls: readonly string[]): HeaderList {
  return urls.length === 0 ? [] : [["x-gw-served-at", urls.join(", ")]];
}

/** The problem with all errors of a request's content. */
export function contentProblem(errors: readonly ContentError[]): Problem & { detail: string } {
  return { ...problemOf(400, ""), detail: explain(errors, " "), errors };
}

/** Joins all errors to a text, each after its line and column. */
export function explain(errors: readonly ContentError[], separator: string): string {
  const what = errors.every((error) => error.in === "openapi")
    ? "The definition can't be deployed:"
    : "The content is not what it should be:";
  return [what, ...errors.map(({ line, column, detail }) => `${line}:${column}: ${detail}`)].join(separator);
}

/** The text as a quoted string of visible ASCII characters, as a header may have it. */
function quotable(text: string): string {
  const short = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 3)}...` : text;
  return short.replace(/\s+/g, " ").replace(/[^ -~]/g, "?").replace(/["\\]/g, "\\$&");
}
