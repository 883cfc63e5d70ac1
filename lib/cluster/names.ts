/**
 * The names that gw uses in a cluster, each in one place.
 *
 * @module
 */

/** The group of gw's own kinds, and the prefix of its labels and annotations. */
export const GROUP = "gateway.x-svc.io";

/** The version of gw's own kinds. */
export const VERSION = "v1alpha1";

/** `apiVersion` of gw's own kinds. */
export const API_VERSION = `${GROUP}/${VERSION}`;

/** The field manager of gw's writes, and the value of the label `app.kubernetes.io/managed-by`. */
export const FIELD_MANAGER = "gw";

/** The controller's finalizer: deletion of an object waits until the controller has removed it. */
export const FINALIZER = `${GROUP}/controller`;

/** Labels of the objects that gw makes: which fleet, API or static route they are for. */
export const LABELS = {
  /** On every object of gw; its value is {@linkcode FIELD_MANAGER}. */
  managedBy: "app.kubernetes.io/managed-by",
  /**
   * Name of the API or static route that the object is made for. The namespace of that owner is the object's own,
   * unless the label `namespace` names another.
   */
  api: `${GROUP}/api`,
  staticRoute: `${GROUP}/static-route`,
  /** Namespace of the owner, where the object is in another namespace. */
  namespace: `${GROUP}/namespace`,
  /** Name and namespace of the fleet. */
  fleet: `${GROUP}/fleet`,
  fleetNamespace: `${GROUP}/fleet-namespace`,
  /** On HTTPRoutes with request validation: the shared policy selects them by this label. */
  checked: `${GROUP}/checked`,
} as const;

/** Headers between the gateway and the mocks; the gateway overwrites those of clients. */
export const HEADERS = {
  /** The API that the mocks answer for: `shop/todo`. */
  api: "x-svc-api",
  /** The route is closed: the mocks answer every request 503. */
  closed: "x-svc-closed",
  /** The request matches no rule of an operation: the mocks answer 404 or 405. */
  undeclared: "x-svc-undeclared",
} as const;

/** The Service of the mocks, as `gw manifests` makes it. */
export const MOCKS = {
  name: "gw-mock",
  namespace: "gw-system",
  /** Port for mocked requests, which name their API by the header `x-svc-api`. */
  port: 8080,
  /** Port for request validation (`extAuth`), and for probes. */
  checkPort: 8081,
} as const;
