/**
 * The types of an inference in progress: operations grouped by their paths, and drafts that become resources.
 *
 * @module
 */
import type { Exchange } from "./message.ts";
import type { PlaceFinder } from "./envelope.ts";
import type { PathShape, Segment } from "./path_shape.ts";
import type { BindingKind } from "./resource.ts";
import type { ResourceSettings } from "./settings.ts";
import type { Shape } from "./compare_shapes.ts";
import type { ShapeReader } from "./shape.ts";

/** The operations of one path. Path keys that differ only in the names of parameters are one path. */
export interface PathGroup {
  readonly path: PathShape;
  readonly byMethod: Map<string, Exchange>;
  /** `x-svc.mocking.resource` of the first operation of the path that has this setting. */
  settings: ResourceSettings | undefined;
}

/** The parts of a definition that the search for resources reads. */
export interface Search {
  readonly reader: ShapeReader;
  readonly places: PlaceFinder;
  /** The groups of paths, by `PathShape.key`. */
  readonly groups: ReadonlyMap<string, PathGroup>;
}

/** A binding whose resource isn't finished. */
export interface DraftBinding {
  readonly kind: BindingKind;
  readonly exchange: Exchange;
  readonly idParameter: string | undefined;
  /**
   * The parameters of the operation's path for the scope of the resource, by position. The operation spans all values
   * of a parameter that is `undefined` or missing.
   */
  readonly scopeParameters: (string | undefined)[];
  readonly envelope: readonly string[] | undefined;
  readonly element: readonly string[];
  readonly requestEnvelope: readonly string[] | undefined;
  readonly createsMissing: boolean;
  readonly action?: string;
}

/** A resource that isn't finished: other paths may still add bindings and scope parameters. */
export interface Draft {
  /** The path of the collection, or of the singleton. */
  readonly segments: readonly Segment[];
  /** The name that `x-svc.mocking.resource` gives. */
  readonly name: string | undefined;
  /** The name of the parent that `x-svc.mocking.resource` gives. */
  readonly parentName: string | undefined;
  readonly isSingleton: boolean;
  readonly id: readonly string[];
  readonly item: Shape;
  readonly scope: { readonly parameter: string; property: readonly string[] | undefined; prefix: string }[];
  readonly bindings: DraftBinding[];
  readonly evidence: string[];
}
