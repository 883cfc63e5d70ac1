/**
 * The problems of a mock server, for requests that a definition has no answer for. Each names the request, and the
 * nearest matches in the definition.
 *
 * @module
 */
import type { Problem } from "../../http/problem.ts";
import { reasonPhrase } from "../../http/reason_phrase.ts";
import { suggest } from "../../http/message.ts";
import { nameOf, type Operation } from "../../openapi/operation.ts";
import { templateOf } from "../../openapi/path_condition.ts";
import type { Route } from "../route/router.ts";

/** Limit of the paths that a problem suggests. */
const MOST_SHOWN = 3;

export function noPath(path: string, routes: readonly Route[]): Problem {
  const near = nearestPaths(path, routes);
  const hint = near.length > 0 ? `Near it: ${near.join(", ")}.` : `The definition has ${routes.length} operations.`;
  return { title: "Not Found", status: 404, detail: `No path of the definition fits ${path}. ${hint}` };
}

export function disabled(name: string): Problem {
  return { title: "Not Found", status: 404, detail: `${name} is disabled by x-svc.disabled.` };
}

/** The problem for an operation that isn't mocked, if there is no upstream. */
export function notMocked(operation: Operation): Problem {
  const detail = `${nameOf(operation)} is not mocked: x-svc.mocking.enabled is not true there. ` +
    "Give the upstream that should answer it by --proxy URL.";
  return { title: "Not Implemented", status: 501, detail };
}

export function noSuccess(operation: Operation, found: readonly string[]): Problem {
  const has = found.length > 0 ? `only ${found.join(", ")}` : "no responses";
  const detail = `${nameOf(operation)} has no exact 2xx response to mock: it has ${has}. ` +
    "Add one such as 200, ask for a code by the header Prefer: code=…, or mock 2XX, 3xx and default by --any-status.";
  return { title: "Not Implemented", status: 501, detail, responses: found };
}

/** The problem for a part of the definition that can't be used: its `$ref` can't be resolved, or it isn't an object. */
export function brokenPart(operation: Operation, part: string, reference: string | undefined): Problem {
  const reason = reference === undefined
    ? "is not an object: write one, such as `{description: …}`."
    : `is a $ref that leads nowhere: ${reference}. Correct the reference, or define what it names.`;
  const detail = `${nameOf(operation)} can't be mocked: its ${part} ${reason}`;
  return { title: "Internal Server Error", status: 500, detail };
}

/** The problem for a preferred status code that the operation doesn't declare. It has this status. */
export function noCode(operation: Operation, code: number, found: readonly string[]): Problem {
  const detail = `${nameOf(operation)} has no response ${code}; it has ${found.join(", ") || "none"}. ` +
    `The client prefers code=${code}, so that it gets a problem with that status.`;
  return { title: reasonPhrase(code), status: code, detail, responses: found };
}

export function noExample(operation: Operation, mediaType: string, name: string, found: readonly string[]): Problem {
  const has = found.length > 0 ? `it has ${found.join(", ")}` : "it has none with a name";
  const detail = `${nameOf(operation)} has no example ${name} in ${mediaType}; ${has}.`;
  return { title: "Not Found", status: 404, detail, examples: found };
}

export function notAcceptable(operation: Operation, accept: string, offers: readonly string[]): Problem {
  const detail = `${nameOf(operation)} offers ${offers.join(", ")}; the request accepts ${accept}.`;
  return { title: "Not Acceptable", status: 406, detail, offers };
}

/**
 * The problem for a schema for which no body could be generated: it is unsatisfiable, or the body would be too large.
 */
export function impossibleBody(
  operation: Operation,
  { reason, pointer, proven }: { reason: string; pointer: string; proven: boolean },
): Problem {
  const claim = proven ? "can fit" : "was found that fits";
  const detail = `No body of ${nameOf(operation)} ${claim} its schema: ${reason} (at ${pointer}).`;
  return { title: "Internal Server Error", status: 500, detail, pointer };
}

export function badExample(operation: Operation, violations: readonly { readonly message: string }[]): Problem {
  const [first] = violations;
  const others = violations.length > 1 ? ` (and ${violations.length - 1} more)` : "";
  return {
    title: "Internal Server Error",
    status: 500,
    detail: `An example of ${nameOf(operation)} doesn't fit its schema: ${first?.message ?? ""}${others}`,
    validation: violations,
  };
}

/** The path keys that a misspelt path may mean, the nearest first. */
export function nearestPaths(path: string, routes: readonly Route[]): string[] {
  const written = path.slice(0, 200);
  const segments = written.split("/");
  // Replace each parameter of a template by the request's segment, so that the edit distance doesn't count it.
  const filled = Map.groupBy(new Set(routes.map((route) => route.path)), (key) => {
    const parts = templateOf(key).split("/");
    return parts.map((part, index) => part.startsWith("{") ? segments[index] || part : part).join("/");
  });
  return suggest(written, filled.keys(), MOST_SHOWN).flatMap((near) => filled.get(near) ?? []).slice(0, MOST_SHOWN);
}
