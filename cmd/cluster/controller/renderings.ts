import { renderGatewayApi, type Rendering, type RenderOptions } from "../../../lib/cluster/translate/render.ts";
import type { RoutePlan } from "../../../lib/gateway/route.ts";

/**
 * Options of a rendering. `open` names the groups whose routes lead to their upstreams; the routes of other groups are
 * closed.
 */
export interface RenderInput extends Omit<RenderOptions, "isOpen"> {
  open: readonly string[];
}

/**
 * The number of cached renderings. They are used again soon: an API that changes is reconciled several times in a row.
 */
const MAX_ENTRIES = 32;

interface Entry {
  readonly plan: RoutePlan;
  readonly neighbours: readonly RoutePlan[];
  readonly options: string;
  readonly rendering: Rendering;
}

/** Renders plans as Gateway API objects, and caches the renderings that were used last (LRU). */
export class Renderings {
  /** The entry that was used last comes last. */
  readonly #entries: Entry[] = [];

  render(plan: RoutePlan, { open, neighbours = [], ...rest }: RenderInput): Rendering {
    const options = JSON.stringify([rest, open]);
    const index = this.#entries.findIndex((entry) =>
      entry.plan === plan && entry.options === options && isSame(entry.neighbours, neighbours)
    );
    const [known] = index === -1 ? [] : this.#entries.splice(index, 1);
    const isOpen = (group: string): boolean => open.includes(group);
    const rendering = known?.rendering ?? renderGatewayApi(plan, { ...rest, neighbours, isOpen });
    this.#entries.push({ plan, neighbours, options, rendering });
    if (this.#entries.length > MAX_ENTRIES) this.#entries.shift();
    return rendering;
  }
}

function isSame(a: readonly RoutePlan[], b: readonly RoutePlan[]): boolean {
  return a.length === b.length && a.every((plan, index) => plan === b[index]);
}
