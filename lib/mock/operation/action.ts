import { toggleTrailingSlash } from "../../http/url/normal_path.ts";
import type { ExtensionSettings } from "../../openapi/extension/extension.ts";
import type { Redirect } from "../../openapi/extension/settings.ts";
import { shapeOfPath, splitPathKey } from "../../openapi/path_condition.ts";
import type { Route } from "../route/router.ts";
import { declaredRules } from "../rules/declared_rules.ts";
import type { Rule } from "../../openapi/extension/rule.ts";

/**
 * How requests to an operation are answered. If the operation's settings allow several actions, the first of this list
 * applies.
 */
export type OperationAction =
  | { readonly kind: "disabled" }
  | { readonly kind: "redirect"; readonly redirect: Redirect }
  | {
    readonly kind: "mock";
    /** Whether a body is generated from the schema if a media type has no example. */
    readonly generate: boolean;
    /** The rules in the operation's `x-svc.mocking`: delays, faults and sequences. Absent if there are none. */
    readonly rules?: readonly Rule[];
  }
  | { readonly kind: "upstream" };

/**
 * The action of an operation in a gateway: `disabled`, `redirect`, `mock` if `mocking.enabled` is true, else
 * `upstream`.
 */
export function gatewayAction({ disabled, redirect, mocking }: ExtensionSettings): OperationAction {
  if (disabled === true) return { kind: "disabled" };
  if (redirect !== undefined) return { kind: "redirect", redirect };
  if (mocking?.enabled === true) return mockAction(mocking, mocking.generate === true);
  return { kind: "upstream" };
}

/** The path of an operation at a gateway: below `path.prefix`. The base paths of `servers` don't count there. */
export function pathAtGateway({ path }: ExtensionSettings, written: string): string {
  return (path?.prefix ?? "").replace(/\/+$/, "") + written;
}

/**
 * The action of an operation in a mock server: `upstream` if the server has an upstream and the operation has
 * `mocking.enabled: false`, else `mock`.
 */
export function localAction({ mocking }: ExtensionSettings, hasUpstream: boolean): OperationAction {
  return hasUpstream && mocking?.enabled === false ? { kind: "upstream" } : mockAction(mocking, true);
}

function mockAction(mocking: ExtensionSettings["mocking"], generate: boolean): OperationAction {
  const rules = declaredRules(mocking);
  return rules.length === 0 ? { kind: "mock", generate } : { kind: "mock", generate, rules };
}

/** An operation, or a whole path (with the method `*`), and whether `x-svc.disabled` disables it. */
export interface DeclaredRoute extends Route {
  readonly isDisabled: boolean;
}

/** Requests that a definition disables, although it declares no operation for them. */
export interface DisabledRoute<T extends DeclaredRoute> extends Route {
  /** The path or operation whose `x-svc.disabled` covers these requests. */
  readonly by: T;
}

/**
 * Lists the requests that `x-svc.disabled` covers in addition to the disabled operations: all other methods of a
 * disabled path, and each disabled path with a trailing slash added or removed. Declared routes take precedence: `*`
 * matches only methods that no other route of the path has, and a path with the slash added or removed is left out if
 * the definition declares it.
 *
 * @param paths The paths of a definition, each with the method `*` (all methods).
 * @param routes The operations of the definition, and all other routes of its server.
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
