import { renderGatewayApi, type Rendering, type RenderOptions } from "../../../lib/cluster/translate/render.ts";
import type { RoutePlan } from "../../../lib/gateway/route.ts";

/** What a plan is rendered for; `open` names the groups that may lead to their upstreams. */
export interface RenderInput extends Omit<RenderOptions, "isOpen"> {
  open: readonly string[];
}

/** Renders a plan, unless it was rendered for the same not long ago. */
export type RenderPlan = (plan: RoutePlan, input: RenderInput) => Rendering;

/** How many renderings are remembered: a change of an API makes it be looked at several times, one soon after the other. */
const MOST = 32;

interface Remembered {
  readonly plan: RoutePlan;
  readonly neighbours: readonly RoutePlan[];
  readonly rest: string;
  readonly rendering: Rendering;
}

/** Makes what renders and remembers. */
export function createRenderer(): RenderPlan {
  /** The latest is the last. */
  const remembered: Remembered[] = [];

  return (plan, { open, neighbours = [], ...options }) => {
    const rest = JSON.stringify([options, open]);
    const index = remembered.findIndex((one) =>
      one.plan === plan && one.rest === rest && isSame(one.neighbours, neighbours)
    );
    const [known] = index === -1 ? [] : remembered.splice(index, 1);
    const isOpen = (group: string): boolean => open.includes(group);
    const rendering = known?.rendering ?? renderGatewayApi(plan, { ...options, neighbours, isOpen });
    remembered.push({ plan, neighbours, rest, rendering });
    if (remembered.length > MOST) remembered.shift();
    return rendering;
  };
}

function isSame(a: readonly RoutePlan[], b: readonly RoutePlan[]): boolean {
  return a.length === b.length && a.every((plan, index) => plan === b[index]);
}
