import type { ExtensionSettings } from "../openapi/extension/extension.ts";
import type { Redirect } from "../openapi/extension/settings.ts";
import { shapeOfPath } from "../openapi/lint/paths.ts";
import { splitPathKey } from "../openapi/path_condition.ts";
import type { Route } from "./router.ts";
import { declaredRules } from "./rules/declared_rules.ts";
import type { Rule } from "./rules/rule.ts";

/**
 * The way in which requests to an operation are answered. If its settings allow several, the first of this list
 * applies.
 */
export type Action =
  | { readonly kind: "disabled" }
  | { readonly kind: "redirect"; readonly redirect: Redirect }
  | {
    readonly kind: "mock";
    /** Whether bodies are generated from schemas where there is no example. */
    readonly generate: boolean;
    /** The rules that the settings declare: delays, faults and sequences. Absent if there are none. */
    readonly rules?: readonly Rule[];
  }
  | { readonly kind: "upstream" };

/**
 * The action of an operation in a gateway: disabled, redirected, mocked when `mocking.enabled` is true, and else sent
 * to its upstream.
 */
export function gatewayAction({ disabled, redirect, mocking }: ExtensionSettings): Action {
  if (disabled === true) return { kind: "disabled" };
  if (redirect !== undefined) return { kind: "redirect", redirect };
  if (mocking?.enabled === true) return mockAction(mocking, mocking.generate === true);
  return { kind: "upstream" };
}

/**
 * The action of an operation in a mock server: its requests are sent to the upstream if the server has one and the
 * operation has `mocking.enabled: false`. Else the operation is mocked.
 */
export function localAction({ mocking }: ExtensionSettings, hasUpstream: boolean): Action {
  return hasUpstream && mocking?.enabled === false ? { kind: "upstream" } : mockAction(mocking, true);
}

function mockAction(mocking: ExtensionSettings["mocking"], generate: boolean): Action {
  const rules = declaredRules(mocking);
  return rules.length === 0 ? { kind: "mock", generate } : { kind: "mock", generate, rules };
}

/** An operation, or a whole path (with the method `*`), and whether its definition disables it. */
export interface DeclaredRoute extends Route {
  readonly isDisabled: boolean;
}

/** Requests that a definition disables without declaring an operation for them. */
export interface DisabledRoute<T extends DeclaredRoute> extends Route {
  /** The disabled path or operation that covers these requests. */
  readonly by: T;
}

/**
 * Lists the requests that `disabled` covers beside those of disabled operations: all methods of a disabled path, and
 * disabled paths and operations with a trailing slash added or removed. Other routes take precedence: `*` stands for
 * the methods that no other route of the path has, and a path with the slash added or removed is only listed if the
 * definition doesn't declare it.
 *
 * @param paths The paths of a definition; their method is `*`, for all methods.
 * @param routes The operations of the definition, and the other routes of its server.
 */
export function disabledRoutes<T extends DeclaredRoute>(paths: readonly T[], routes: readonly T[]): DisabledRoute<T>[] {
  const disabledPaths = paths.filter(({ isDisabled }) => isDisabled)
    .map((by): DisabledRoute<T> => ({ method: "*", path: by.path, conditions: by.conditions, by }));
  const disabled = routes.filter(({ isDisabled }) => isDisabled)
    .map((by): DisabledRoute<T> => ({ method: by.method, path: by.path, conditions: by.conditions, by }));
  if (disabledPaths.length + disabled.length === 0) return [];

  const declared = new Set([...paths, ...routes].map(({ path }) => shapeOfPath(path)));
  const withOtherEnd = [...disabledPaths, ...disabled].flatMap(
    ({ method, path, conditions, by }): DisabledRoute<T>[] => {
      const { template, written } = conditions === undefined ? { template: path, written: "" } : splitPathKey(path);
      const toggled = toggleTrailingSlash(template);
      const other = toggled === undefined ? undefined : toggled + written;
      return other === undefined || declared.has(shapeOfPath(other)) ? [] : [{ method, path: other, conditions, by }];
    },
  );
  return [...disabledPaths, ...withOtherEnd];
}

/**
 * Adds a trailing slash to a path, or removes the one that the path has: many clients and servers treat both paths as
 * the same. `undefined` for `/`.
 */
export function toggleTrailingSlash(path: string): string | undefined {
  if (!path.endsWith("/")) return `${path}/`;
  return path === "/" ? undefined : path.slice(0, -1);
}
