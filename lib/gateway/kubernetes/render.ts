import type { RoutePlan } from "../route.ts";
import type { Rendering, RenderOptions } from "./rendering.ts";

export type { Mocks, Profile, Protection, Rendering, RenderOptions } from "./rendering.ts";

/** Renders a plan as objects of the Kubernetes Gateway API. */
export function renderGatewayApi(_plan: RoutePlan, _options: RenderOptions): Rendering {
  return { objects: [], protections: [], refusals: [], counts: { mocked: 0, proxied: 0, disabled: 0 } };
}
