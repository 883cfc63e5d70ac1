/** What happens to requests that aren't for the API: `pass` sends them to the network, `refuse` makes them fail. */
export type Others = "pass" | "refuse";

/** The error message for a refused request. */
export function refusal({ method, url }: Pick<Request, "method" | "url">): string {
  return `${method} ${url} isn't for the mocked API, and the option \`others\` is "refuse".`;
}
