/** The OpenAPI paths for the endpoint of a Mockoon route, or the reason why there are none. */
export type MockoonEndpoint = { kind: "paths"; paths: readonly string[] } | { kind: "left"; message: string };

/** The most optional parts of an endpoint. Each optional part doubles the number of paths, as OpenAPI has none. */
const MOST_OPTIONAL = 4;

/**
 * Converts the endpoint of a Mockoon route. Endpoints have the syntax of Express 4: `users/:id`,
 * `files/:name.:ending?`.
 *
 * @param prefix The prefix of all endpoints.
 */
export function convertEndpoint(prefix: string, endpoint: string): MockoonEndpoint {
  const path = `/${prefix}/${endpoint}`.replaceAll(/\/{2,}/g, "/").replaceAll(" ", "%20");
  const written = optionalParts(path);
  if (written === undefined) {
    return { kind: "left", message: `gw has no path with more than ${MOST_OPTIONAL} optional parts.` };
  }
  const paths = written.map((text) =>
    text.replaceAll(/:([A-Za-z_$][\w$]*)/g, "{$1}").replaceAll(/\\(.)/g, "$1") || "/"
  );
  if (paths.some((text) => /[*()+?]|\{[^}]*\{/.test(text))) {
    return {
      kind: "left",
      message:
        "A path of OpenAPI has no wildcards and no regular expressions. Write a path for each request that it stands for.",
    };
  }
  return { kind: "paths", paths };
}

/**
 * Lists the endpoint with and without each of its optional parts, such as `/:id?`; the longest first. Returns
 * `undefined` if the endpoint has too many optional parts.
 */
function optionalParts(path: string): string[] | undefined {
  let texts = [path];
  for (let round = 0; /[/.~-]:[A-Za-z_$][\w$]*\?/.test(texts[0] ?? ""); round++) {
    if (round === MOST_OPTIONAL) return undefined;
    texts = texts.flatMap((text) => {
      const [part = ""] = /[/.~-]:[A-Za-z_$][\w$]*\?/.exec(text) ?? [];
      return [text.replace(part, part.slice(0, -1)), text.replace(part, "")];
    });
  }
  return texts;
}

/** Returns the names of the path parameters of an OpenAPI path. */
export function variablesOf(path: string): string[] {
  return [...path.matchAll(/\{([^}]*)\}/g)].map(([, name = ""]) => name);
}
