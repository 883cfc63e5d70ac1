/** What happens to requests that aren't for the API: they pass to the network, or they fail. */
export type Others = "pass" | "refuse";

/** The message about a request that isn't for the API, and fails. */
export function refusal({ method, url }: Pick<Request, "method" | "url">): string {
  return `${method} ${url} isn't for the mocked API, and the option \`others\` is "refuse".`;
}
