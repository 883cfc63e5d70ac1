/**
 * The types of an inference in progress: operations grouped by path, and drafts of resources.
 *
 * @module
 */
import type { OperationMessages } from "./message.ts";
import type { PlaceFinder } from "./envelope.ts";
import type { PathShape, Segment } from "./path_shape.ts";
import type { BindingKind } from "./resource.ts";
import type { ResourceSettings } from "./settings.ts";
import type { Shape } from "./compare_shapes.ts";
import type { ShapeReader } from "./shape.ts";

/** The operations of one path. Path keys that differ only in the names of parameters count as one path. */
export interface PathGroup {
  readonly path: PathShape;
  readonly byMethod: Map<string, OperationMessages>;
  /** `x-svc.mocking.resource` of the path's first operation that has this setting. */
  settings: ResourceSettings | undefined;
}

/** The context of the inference for one definition. */
export interface Search {
  readonly reader: ShapeReader;
  readonly places: PlaceFinder;
  /** The operations by path (`PathShape.key`). */
  readonly groups: ReadonlyMap<string, PathGroup>;
}

/** A binding of a draft. */
export interface DraftBinding {
  readonly kind: BindingKind;
  readonly exchange: OperationMessages;
  readonly idParameter: string | undefined;
  /** See `keys` of a `Binding`. */
  readonly keys?: readonly (readonly string[])[];
  /** See `isNewest` of a `Binding`. */
  readonly isNewest?: boolean;
  /**
   * The parameter of the operation's path for each position of the resource's scope. If an entry is `undefined` or
   * missing, the operation spans all values of this position.
   */
  readonly scopeParameters: (string | undefined)[];
  readonly envelope: readonly string[] | undefined;
  readonly element: readonly string[];
  readonly requestEnvelope: readonly string[] | undefined;
  readonly createsMissing: boolean;
  /** See `listEnvelope` of a `Binding`. */
  readonly listEnvelope?: readonly string[];
  readonly action?: string;
}

/** A resource in progress: further paths may still add bindings and scope parameters. */
export interface Draft {
  /** The path of the collection or singleton, as segments. */
  readonly segments: readonly Segment[];
  /** The name in `x-svc.mocking.resource`. */
  readonly name: string | undefined;
  /** The parent's name in `x-svc.mocking.resource`. */
  readonly parentName: string | undefined;
  readonly isSingleton: boolean;
  readonly id: readonly string[];
  readonly item: Shape;
  readonly scope: { readonly parameter: string; property: readonly string[] | undefined; prefix: string }[];
  readonly bindings: DraftBinding[];
  readonly evidence: string[];
}
