import { createLineIndex } from "../../openapi/text/position.ts";
import type { Node } from "../../schema/json/node.ts";
import type { Place, Source } from "../../schema/json/source.ts";
import type { DefinitionPlace } from "./explanation.ts";

type Writable = { -readonly [Key in keyof DefinitionPlace]: DefinitionPlace[Key] };

/** The places that an explanation names. Their lines are looked up together, in one pass over each text. */
export class Places {
  readonly #found = new Map<Source, { readonly place: Place; readonly shown: Writable }[]>();

  /** The place of a node; its line and column are set by {@linkcode locate}. */
  of({ source, pointer }: Pick<Node, "source" | "pointer">, atKey = true): DefinitionPlace {
    const { source: origin = source, ...place } = source.originOf?.({ pointer, atKey }) ?? { pointer, atKey };
    const shown: Writable = { file: origin.uri, line: 1, column: 1, pointer: place.pointer };
    const found = this.#found.get(origin) ?? [];
    this.#found.set(origin, found);
    found.push({ place, shown });
    return shown;
  }

  /** Sets the lines and columns of all places. */
  locate(): void {
    for (const [source, found] of this.#found) {
      const offsets = source.locate(found.map(({ place }) => place));
      const position = createLineIndex(source.text());
      found.forEach(({ shown }, index) => Object.assign(shown, position(offsets[index] ?? 0)));
    }
  }
}
