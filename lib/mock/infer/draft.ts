/**
 * Resources while they are found: their paths in groups, and drafts that become resources.
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

/** The operations of a path, also where several path keys differ in names of parameters only. */
export interface PathGroup {
  readonly path: PathShape;
  readonly byMethod: Map<string, Exchange>;
  /** What the definition says of its resource; that of the first operation that has settings. */
  settings: ResourceSettings | undefined;
}

/** What finding resources needs of a definition. */
export interface Search {
  readonly reader: ShapeReader;
  readonly places: PlaceFinder;
  /** The groups by the key of their path. */
  readonly groups: ReadonlyMap<string, PathGroup>;
}

/** A binding while its resource is found. */
export interface DraftBinding {
  readonly kind: BindingKind;
  readonly exchange: Exchange;
  readonly idParameter: string | undefined;
  /** The parameters for the scope of the resource; missing ones at the end are `undefined`. */
  readonly scopeParameters: (string | undefined)[];
  readonly envelope: readonly string[] | undefined;
  readonly element: readonly string[];
  readonly requestEnvelope: readonly string[] | undefined;
  readonly createsMissing: boolean;
  readonly action?: string;
}

/** A resource while it is found. */
export interface Draft {
  /** The path of the collection, or of the singleton. */
  readonly segments: readonly Segment[];
  /** The name that the definition's settings give; `undefined` for none. */
  readonly name: string | undefined;
  /** The name of the parent that the settings give. */
  readonly parentName: string | undefined;
  readonly isSingleton: boolean;
  readonly id: readonly string[];
  readonly item: Shape;
  readonly scope: { readonly parameter: string; property: readonly string[] | undefined; prefix: string }[];
  readonly bindings: DraftBinding[];
  readonly evidence: string[];
}
