import type { Problem } from "../../http/problem.ts";

/** Nothing of the fleet is meant; also what a hidden operation answers. */
export function noRoute({ method }: Pick<Request, "method">, path: string): Problem {
  const detail = `Nothing that is deployed to this fleet answers ${method} ${path} on this host.`;
  return { title: "Not Found", status: 404, detail };
}
