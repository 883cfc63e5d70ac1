/** What a definition says of a resource itself: `x-svc: {mocking: {resource: {...}}}`. */
export interface ResourceSettings {
  readonly name: string | undefined;
  /** The keys on the way to the id. */
  readonly id: readonly string[] | undefined;
  /** The path of the collection. */
  readonly collection: string | undefined;
  /** The name of the parent. */
  readonly parent: string | undefined;
}
