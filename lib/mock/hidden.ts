import { shapeOfPath } from "../openapi/lint/paths.ts";
import type { Route } from "./router.ts";

/** A path, with `*` for its method, or an operation, and whether it is disabled. */
export interface Hideable extends Route {
  readonly isDisabled: boolean;
}

/** Requests that `disabled` hides beside those of a disabled operation, and what hides them. */
export interface Hidden<T extends Hideable> extends Route {
  readonly by: T;
}

/**
 * Finds the requests that `disabled` hides beside those of operations: other methods of a disabled path, and disabled
 * paths with or without a slash at their end. A route that is declared with the same method and path goes first.
 *
 * @param paths The paths of a definition; each hides all methods.
 * @param routes Its operations, and what else it answers.
 */
export function hiddenRoutes<T extends Hideable>(paths: readonly T[], routes: readonly T[]): Hidden<T>[] {
  const disabledPaths = paths.filter(({ isDisabled }) => isDisabled)
    .map((by): Hidden<T> => ({ method: "*", path: by.path, by }));
  const disabledRoutes = routes.filter(({ isDisabled }) => isDisabled)
    .map((by): Hidden<T> => ({ method: by.method, path: by.path, by }));
  if (disabledPaths.length + disabledRoutes.length === 0) return [];

  const declared = new Set([...paths, ...routes].map(({ path }) => shapeOfPath(path)));
  const otherEnds = [...disabledPaths, ...disabledRoutes].flatMap(({ method, path, by }): Hidden<T>[] => {
    const other = withOtherEnd(path);
    return other === undefined || declared.has(shapeOfPath(other)) ? [] : [{ method, path: other, by }];
  });
  return [...disabledPaths, ...otherEnds];
}

/**
 * The same path with a slash at its end, or without the one that it has there: clients and servers take either for the
 * other. `undefined` for `/`.
 */
export function withOtherEnd(path: string): string | undefined {
  if (!path.endsWith("/")) return `${path}/`;
  return path === "/" ? undefined : path.slice(0, -1);
}
