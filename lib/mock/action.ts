import type { Redirect } from "../openapi/extension/settings.ts";
import type { ExtensionSettings } from "../openapi/extension/extension.ts";

/** What becomes of the requests to an operation, in the order of dispatch. */
export type Action =
  | { kind: "disabled" }
  | { kind: "redirect"; redirect: Redirect }
  | {
    kind: "mock";
    /** Whether bodies are made from schemas where there is no example. */
    generate: boolean;
  }
  | { kind: "upstream" };

/**
 * Decides what becomes of the requests to an operation as a gateway does: disabled, redirected, mocked when
 * `mocking.enabled` says so, and else sent to its upstream.
 */
export function gatewayAction({ disabled, redirect, mocking }: ExtensionSettings): Action {
  if (disabled === true) return { kind: "disabled" };
  if (redirect !== undefined) return { kind: "redirect", redirect };
  if (mocking?.enabled === true) return { kind: "mock", generate: mocking.generate === true };
  return { kind: "upstream" };
}

/** Decides as a mock server on a laptop does: every operation is mocked, but those that an upstream is to answer. */
export function localAction({ mocking }: ExtensionSettings, hasUpstream: boolean): Action {
  return hasUpstream && mocking?.enabled === false ? { kind: "upstream" } : { kind: "mock", generate: true };
}
