/**
 * Parts that the handlers of changing operations share.
 *
 * @module
 */
import type { HeaderList } from "../../http/handler.ts";
import { isAmong, strongTags } from "../answer.ts";
import { versionTag } from "../catalog.ts";
import type { Context, ManagementCall } from "../context.ts";
import { bodyError, type ContentError } from "../content.ts";
import { ErrorResponse, errorResponse, problemOf } from "../../api/error_response.ts";
import type { ObjectName } from "../../gateway/resource.ts";
import type { Problem } from "../../http/problem.ts";
import type { StoredResource } from "../store.ts";
import { KIND_NAMES } from "./read.ts";

/**
 * The most `Warning` headers of a response, and the most characters of each, since clients limit the size of headers.
 */
const MOST_WARNINGS = 20;
const MOST_CHARACTERS = 200;

/**
 * Authorizes the creation of an object. `createManagementApi` can't do it before the handler runs, since the object's
 * name is in the content of the request.
 */
export async function authorize(
  { request }: ManagementCall,
  { options }: Context,
  operation: string,
  object: ObjectName,
): Promise<void> {
  const refused = await options.authorize?.(request, operation, object);
  if (refused !== undefined) throw new ErrorResponse(refused);
}

/** Lists errors for a name or namespace in the content that differs from that in the path. */
export function misnamed(content: ObjectName, object: ObjectName, text: string): ContentError[] {
  return (["namespace", "name"] as const)
    .filter((key) => content[key] !== "" && content[key] !== object[key])
    .map((key) => bodyError(text, `/${key}`, `\`${key}\` is ${content[key]}, but the path says ${object[key]}.`));
}

/**
 * Throws 412 if the request has `If-Match`, and none of its entity tags is for a version with the present content of
 * the resource. In a cluster, a version before a change of `status` has the present content, too.
 */
export function checkMatch({ request }: ManagementCall, { store }: Context, resource: StoredResource): void {
  const wanted = request.headers.get("if-match");
  const isMeant = wanted === null || isAmong(versionTag(resource), wanted, "strong") ||
    strongTags(wanted).some((tag) => store.isUnchanged?.(resource, tag.slice(1, -1)) ?? false);
  if (!isMeant) throw otherState(resource, versionTag(resource), wanted);
}

/**
 * Throws 412 if `If-Match` doesn't have the entity tag of the representation. A fleet's tag is a hash of its
 * representation, which also shows other resources.
 */
export function checkETag({ request }: ManagementCall, resource: StoredResource, etag: string): void {
  const wanted = request.headers.get("if-match");
  if (wanted !== null && !isAmong(etag, wanted, "strong")) throw otherState(resource, etag, wanted);
}

function otherState({ kind, namespace, name }: StoredResource, etag: string, wanted: string): Error {
  return errorResponse(412, `The ${KIND_NAMES[kind]} ${namespace}/${name} has the ETag ${etag} now, not ${wanted}.`);
}

/** Makes `Warning` headers as the Kubernetes API server writes them: `299 - "text"`. */
export function warningHeaders(warnings: readonly string[]): HeaderList {
  const shown = warnings.length > MOST_WARNINGS
    ? [
      ...warnings.slice(0, MOST_WARNINGS - 1),
      `There are ${warnings.length - MOST_WARNINGS + 1} more; \`gw validate\` shows all.`,
    ]
    : warnings;
  return shown.map((text) => ["warning", `299 - "${quotable(text)}"`]);
}

/** Makes the header `X-Gw-Served-At`, which lists the URLs at which the fleet listens. */
export function servedAtHeader(urls: readonly string[]): HeaderList {
  return urls.length === 0 ? [] : [["x-gw-served-at", urls.join(", ")]];
}

/** Makes the problem that lists all errors of a request's content. */
export function contentProblem(errors: readonly ContentError[]): Problem & { detail: string } {
  return { ...problemOf(400, ""), detail: explain(errors, " "), errors };
}

/** Joins all errors to one text, each as `line:column: detail`. */
export function explain(errors: readonly ContentError[], separator: string): string {
  const what = errors.every((error) => error.in === "openapi")
    ? "The definition can't be deployed:"
    : "The content is not what it should be:";
  return [what, ...errors.map(({ line, column, detail }) => `${line}:${column}: ${detail}`)].join(separator);
}

/**
 * Makes a text fit for a quoted string in a header: visible ASCII characters, escaped quotes, at most
 * `MOST_CHARACTERS`.
 */
function quotable(text: string): string {
  const short = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 3)}...` : text;
  return short.replace(/\s+/g, " ").replace(/[^ -~]/g, "?").replace(/["\\]/g, "\\$&");
}
