import type { Document } from "../../../openapi/document.ts";
import type { DocumentValidator } from "../../../schema/document_validator.ts";
import type { BodyGenerator } from "../../generate/generate.ts";
import type { Resource } from "../../infer/resource.ts";
import { createItemMaker, type ItemMaker } from "./initial_items.ts";
import { parentOf } from "../item/parent_of.ts";
import { References } from "../item/references.ts";

/** The functions that `ItemMakers` takes. */
export interface MakerOptions {
  readonly generatorOf: (document: Document) => Promise<BodyGenerator>;
  readonly validatorOf: (document: Document) => Promise<DocumentValidator>;
}

/** The makers of initial items, by resource. A maker is made when its resource is prepared. */
export class ItemMakers {
  readonly resources: ReadonlyMap<string, Resource>;
  readonly references: References;
  readonly #options: MakerOptions;
  readonly #makers = new Map<string, ItemMaker>();
  readonly #preparing = new Map<string, Promise<void>>();

  constructor(all: readonly Resource[], options: MakerOptions) {
    this.resources = new Map(all.map((resource) => [resource.name, resource]));
    this.references = new References({ all });
    this.#options = options;
  }

  isPrepared(name: string): boolean {
    return this.#makers.has(name);
  }

  /**
   * The maker of a resource; `undefined` if no definition has the resource any more.
   *
   * @throws {Error} If the resource isn't prepared.
   */
  get(name: string): ItemMaker | undefined {
    const maker = this.#makers.get(name);
    if (maker === undefined && this.resources.has(name)) throw new Error(`The resource ${name} isn't prepared.`);
    return maker;
  }

  /** Prepares a resource, its parents, and the resources to which its items refer. */
  prepare(name: string): Promise<void> | undefined {
    const resource = this.resources.get(name);
    if (resource === undefined || this.#makers.has(name)) return undefined;
    let preparing = this.#preparing.get(name);
    if (preparing === undefined) {
      preparing = this.#prepare(resource).finally(() => this.#preparing.delete(name));
      this.#preparing.set(name, preparing);
    }
    return preparing;
  }

  async #prepare(resource: Resource): Promise<void> {
    const parent = parentOf(resource);
    const targets = this.references.withoutCycles(resource).map(({ target }) => target.name);
    await Promise.all(
      [...parent === undefined ? [] : [parent.resource.name], ...targets].map((name) => this.prepare(name)),
    );
    const { generatorOf, validatorOf } = this.#options;
    const [generator, validator] = await Promise.all([
      generatorOf(resource.document),
      validatorOf(resource.document),
    ]);
    this.#makers.set(resource.name, createItemMaker(resource, generator, validator));
  }
}
