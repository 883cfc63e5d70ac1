/**
 * Scenarios that must have the same results with the npm library in every runtime: servers, and steps for each, in
 * order.
 *
 * @module
 */

export interface Requested {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A call of a method of the `MockServer` or its `session`. The name may be a path: `["state.list", "notes"]`. */
export type Call = readonly [method: string, ...args: unknown[]];

/** A server, and the steps that are run with it. */
export interface Scenario {
  /** The name of the definition's file in this folder. */
  readonly definition: string;
  /** Which function makes the server: `createMock` or `createMockServer`. */
  readonly kind: "mock" | "server";
  readonly options: Readonly<Record<string, unknown>>;
  readonly steps: readonly (Requested | { readonly call: Call; readonly session?: string })[];
}

const json = { "content-type": "application/json" };
const PET = '{"id":7,"name":"Tom"}';

const post = (contentType: string, body: string): Requested => (
  { method: "POST", path: "/pets", headers: { "content-type": contentType }, body }
);
const accept = (path: string, type: string): Requested => ({ path, headers: { accept: type } });
const prefer = (path: string, value: string): Requested => ({ path, headers: { prefer: value } });

const MULTIPART = [
  "--limit",
  'Content-Disposition: form-data; name="name"',
  "",
  "Tom",
  "--limit",
  'Content-Disposition: form-data; name="photo"; filename="tom.png"',
  "Content-Type: image/png",
  "",
  "PNG",
  "--limit--",
  "",
].join("\r\n");

/** All scenarios. Scenarios of validation exist twice, with `error` and with `warn`. */
export const SCENARIOS: readonly Scenario[] = [
  {
    definition: "pets.yaml",
    kind: "mock",
    options: { seed: 7 },
    steps: [
      { path: "/pets" },
      { path: "/v1/pets" },
      { path: "/pets", method: "HEAD" },
      { path: "/pets", method: "OPTIONS" },
      { path: "/pets", method: "PUT" },
      { path: "/pests" },
      prefer("/pets", "example=none"),
      prefer("/pets", "code=503"),
      prefer("/pets", "code=499"),
      prefer("/pets", "dynamic=true, seed=5"),
      { path: "/pets?__code=400" },
      accept("/pets", "application/xml"),
      accept("/pets", "text/csv"),
      accept("/pets", "application/yaml"),
      accept("/pets", "image/webp"),
      accept("/pets", "text/csv;q=0.5, application/xml;q=0.8"),
      { path: "/pets/7" },
      { path: "/pets/K%C3%A4se" },
      prefer("/pets/7", "code=404"),
      prefer("/pets/7", "seed=99"),
      accept("/pets/7", "application/vnd.pets+xml"),
      { path: "/pets/7", method: "DELETE" },
      { path: "/pets/7/photo" },
      { path: "/report.txt" },
      accept("/report.html", "text/html"),
      { path: "/events" },
      accept("/events", "text/event-stream"),
      { path: "/shapes" },
      prefer("/shapes", "seed=2"),
      { path: "/only-errors" },
      post("application/json", PET),
    ],
  },
  {
    definition: "pets.yaml",
    kind: "mock",
    options: { validate: "error", dynamic: true },
    steps: [
      { path: "/pets?limit=0" },
      { path: "/pets?limit=ten&tags=a,b" },
      { path: "/pets?filter[age]=x" },
      { path: "/pets", headers: { "x-trace": "nobody" } },
      post("application/json", PET),
      post("application/json", '{"id":0,"name":"tom","born":"2021-02-29"}'),
      post("application/json", "{"),
      post("application/json", '{"name":"Tom",}'),
      post("application/xml", '<pet id="7"><name>Tom</name></pet>'),
      post("application/xml", '<pet id="0"><name>t</name></pet>'),
      post("application/x-www-form-urlencoded", "id=7&name=Tom"),
      post("application/x-www-form-urlencoded", "id=seven&name=Tom"),
      post("multipart/form-data; boundary=limit", MULTIPART),
      post("multipart/form-data; boundary=limit", MULTIPART.replace("photo", "picture")),
      post("text/plain", "Tom"),
      { method: "POST", path: "/pets" },
      { path: "/pets/0" },
      { path: "/secret" },
      { path: "/secret", headers: { "x-key": "k" } },
    ],
  },
  {
    definition: "swagger.yaml",
    kind: "mock",
    options: { validate: "error" },
    steps: [
      { path: "/v2/shops" },
      accept("/shops", "application/xml"),
      {
        method: "POST",
        path: "/v2/shops",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: "name=Corner&sizes=1&sizes=two",
      },
    ],
  },
  {
    definition: "notes.json",
    kind: "server",
    options: { seed: 3, items: 2, validate: "warn" },
    steps: [
      { path: "/notes" },
      { path: "/notes?limit=1" },
      { method: "POST", path: "/notes", headers: json, body: '{"text":"Buy milk"}' },
      { method: "POST", path: "/notes", headers: json, body: '{"text":""}' },
      { path: "/notes/1" },
      { call: ["state.replace", "notes", [{ id: 7, text: "Ünï" }, { id: 8, text: "B" }]] },
      { path: "/notes/7" },
      { call: ["snapshot", "two"] },
      {
        method: "PATCH",
        path: "/notes/7",
        headers: { "content-type": "application/merge-patch+json" },
        body: '{"text":"Changed"}',
      },
      { method: "DELETE", path: "/notes/8" },
      { path: "/notes" },
      { path: "/notes", headers: { "x-gw-session": "other" } },
      { call: ["state.list", "notes"], session: "other" },
      { call: ["restore", "two"] },
      { path: "/notes?sort=-id" },
      { call: ["rules.add", "readNote: 503 x1"] },
      { path: "/notes/7" },
      { path: "/notes/7" },
      { path: "/notes/9" },
      { call: ["rules.add", "listNotes: reset"] },
      { path: "/notes" },
      { call: ["requests.verify", { operation: "readNote", count: 99 }] },
      { call: ["requests.list", { operation: "createNote" }] },
      { call: ["reset"] },
      { path: "/notes" },
    ],
  },
];
