import { renderGatewayApi, type Rendering, type RenderOptions } from "../../../lib/cluster/translate/render.ts";
import type { RoutePlan } from "../../../lib/gateway/route.ts";

/** The input of a rendering. `open` names the groups that are open; the routes of all other groups are closed. */
export interface RenderInput extends Omit<RenderOptions, "isOpen"> {
  open: readonly string[];
}

/**
 * The number of cached renderings. A rendering is used again soon, because an API that changes is reconciled several
 * times in a row.
 */
const MAX_ENTRIES = 32;

interface Entry {
  readonly plan: RoutePlan;
  readonly neighbours: readonly RoutePlan[];
  readonly options: string;
  readonly rendering: Rendering;
}

/** Renders plans as Gateway API objects, with an LRU cache of renderings. */
export class Renderings {
  /** The cached renderings. The most recently used comes last. */
  readonly #entries: Entry[] = [];

  render(plan: RoutePlan, { open, neighbours = [], isNamespace, ...rest }: RenderInput): Rendering {
    const isOpen = (group: string): boolean => open.includes(group);
    // Namespaces come and go, so that a rendering which depends on them isn't cached.
    if (isNamespace !== undefined) return renderGatewayApi(plan, { ...rest, neighbours, isNamespace, isOpen });
    const options = JSON.stringify([rest, open]);
    const index = this.#entries.findIndex((entry) =>
      entry.plan === plan && entry.options === options && isSame(entry.neighbours, neighbours)
    );
    const [known] = index === -1 ? [] : this.#entries.splice(index, 1);
    const rendering = known?.rendering ?? renderGatewayApi(plan, { ...rest, neighbours, isOpen });
    this.#entries.push({ plan, neighbours, options, rendering });
    if (this.#entries.length > MAX_ENTRIES) this.#entries.shift();
    return rendering;
  }
}

function isSame(a: readonly RoutePlan[], b: readonly RoutePlan[]): boolean {
  return a.length === b.length && a.every((plan, index) => plan === b[index]);
}
