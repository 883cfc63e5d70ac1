/**
 * The names that gw uses in a cluster: groups, labels, headers.
 *
 * @module
 */

/** The API group of gw's custom resources, and the prefix of its labels and annotations. */
export const GROUP = "gateway.x-svc.io";

/** The API version of gw's custom resources. */
export const VERSION = "v1alpha1";

/** The `apiVersion` of gw's custom resources. */
export const API_VERSION = `${GROUP}/${VERSION}`;

/** The field manager of gw's writes (server-side apply), and the value of the label `app.kubernetes.io/managed-by`. */
export const FIELD_MANAGER = "gw";

/**
 * The value of the label `app.kubernetes.io/managed-by` on objects that `gw render` prints. The controller ignores
 * objects with it, because whoever applies them also changes and deletes them.
 */
export const RENDER_MANAGER = "gw-render";

/** The finalizer of the controller: the deletion of an object waits until the controller removes it. */
export const FINALIZER = `${GROUP}/controller`;

/**
 * The labels of the objects that gw makes. They name the owner: the fleet, API or static route for which gw has made
 * the object.
 */
export const LABELS = {
  /** On every object of the controller, with the value {@linkcode FIELD_MANAGER}. */
  managedBy: "app.kubernetes.io/managed-by",
  /**
   * The name of the API for which the object was made. The namespace of the API is that of the object, unless the label
   * `namespace` names another.
   */
  api: `${GROUP}/api`,
  staticRoute: `${GROUP}/static-route`,
  /** The namespace of the owner, if the object is in another namespace. */
  namespace: `${GROUP}/namespace`,
  /** The name of the fleet; the next label has its namespace. */
  fleet: `${GROUP}/fleet`,
  fleetNamespace: `${GROUP}/fleet-namespace`,
  /** On HTTPRoutes whose requests are validated. The shared policy of their namespace selects them by this label. */
  checked: `${GROUP}/checked`,
} as const;

/** The annotations of gw's custom resources. */
export const ANNOTATIONS = {
  /** The file, or the title, after which `gw deploy` named the resource. */
  source: `${GROUP}/source`,
} as const;

/**
 * Headers that the gateway sets for the mocks. The gateway overwrites headers of these names that a client has sent.
 */
export const HEADERS = {
  /** The API that the mocks answer for, such as `shop/todo`. */
  api: "x-svc-api",
  /** The group of the route is closed: the mocks answer 503. */
  closed: "x-svc-closed",
  /** The request matched no rule of an operation: the mocks answer 404 or 405. */
  undeclared: "x-svc-undeclared",
} as const;

/** The Service of the mocks, as `gw manifests` makes it. */
export const MOCKS = {
  name: "gw-mock",
  namespace: "gw-system",
  /** The port for mocked requests. Their header `x-svc-api` names the API. */
  port: 8080,
  /** The port for request validation (`extAuth` of a SecurityPolicy), and for probes. */
  checkPort: 8081,
} as const;

/** The name of rules for undeclared requests: those that no operation handles. */
export const UNDECLARED_RULE = "undeclared";
