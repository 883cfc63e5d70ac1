/** An endpoint of Mockoon as paths of OpenAPI, or the reason why it can't be one. */
export type Endpoint = { kind: "paths"; paths: readonly string[] } | { kind: "left"; message: string };

/** The most optional parts of an endpoint: each doubles the number of paths. */
const MOST_OPTIONAL = 4;

/**
 * Converts an endpoint, which is written in the syntax of Express 4: `users/:id`, `files/:name.:ending?`.
 *
 * @param prefix The prefix of all endpoints.
 */
export function convertEndpoint(prefix: string, endpoint: string): Endpoint {
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

/** The texts of an endpoint with and without each optional part, `/:id?`; the longest first. */
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

/** The names of the variables of a path. */
export function variablesOf(path: string): string[] {
  return [...path.matchAll(/\{([^}]*)\}/g)].map(([, name = ""]) => name);
}
