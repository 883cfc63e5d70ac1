/**
 * The JSON Schema of `x-svc`. The types of settings, docs/x-svc.md and the fields of custom resources are derived from
 * this schema, so each setting is described once.
 *
 * A string has its exact rule as `format`, which `EXTENSION_FORMATS` checks. The Kubernetes API server doesn't have
 * these formats, so a string also has a `pattern` for the API server to check. Every valid string matches the pattern,
 * whose syntax ECMAScript and RE2 share.
 *
 * @module
 */
import { AUTH } from "./auth_schema.ts";
import { MOST_FAULTS, MOST_STEPS } from "./rule.ts";
import {
  BOOLEAN,
  HOST,
  INT32,
  INTEGER_OR_STRING,
  NAME,
  PATH,
  PATH_KEY,
  PORT,
  SECONDS,
  type SettingSchema,
  TOKENS,
  UINT32,
  URL,
  WHOLE_SECONDS,
} from "./setting_schema.ts";
import { UPSTREAM, WEIGHTED_UPSTREAM } from "./upstream_schema.ts";

const REDIRECT = {
  type: "object",
  description:
    "Where clients are redirected; parts that aren't given stay as requested. Without scheme, host and port, " +
    "Location is a path.",
  additionalProperties: false,
  properties: {
    scheme: { type: "string", enum: ["https", "http"], description: "Scheme of the new URL." },
    host: { ...HOST, description: "Host name or IP address." },
    port: { ...PORT, description: "Port. Default: that of the request, or that of scheme where this is given." },
    path: { ...PATH, description: "Path, instead of the requested one." },
    response_code: {
      type: "integer",
      enum: [301, 302, 303, 307, 308],
      description: "Status of the answer. Default: 302.",
    },
  },
  anyOf: [{ required: ["scheme"] }, { required: ["host"] }, { required: ["port"] }, { required: ["path"] }],
} as const satisfies SettingSchema;

const CORS = {
  type: "object",
  description:
    "Which pages of other origins may send requests (Fetch Standard, section 3.3). The CORS headers of the " +
    "upstream are removed. Without this key the upstream decides: preflights go to it, past auth.",
  additionalProperties: false,
  properties: {
    origins: {
      type: "array",
      items: { type: "string", format: "origin", pattern: "^([*]|[A-Za-z][-0-9A-Za-z+.]*://[^/]+)$" },
      description: "Origins of these pages: https://example.com, or * for all.",
    },
    methods: { ...TOKENS, description: "Methods that they may use." },
    headers: { ...TOKENS, description: "Request headers that they may send." },
    expose_headers: { ...TOKENS, description: "Response headers that they may read." },
    credentials: { ...BOOLEAN, description: "Whether they may send cookies and credentials; not for the origin *." },
    max_age: { ...WHOLE_SECONDS, description: "Seconds that the answer to a preflight may be cached." },
  },
} as const satisfies SettingSchema;

const RATE_LIMIT = {
  type: "object",
  description:
    "How many requests of all clients together are let through; the others are answered 429. Operations that have it " +
    "from the same place share it.",
  additionalProperties: false,
  properties: {
    requests_per_unit: {
      type: "integer",
      minimum: 1,
      deployable: { maximum: UINT32 },
      description: "Requests in each unit of time.",
    },
    unit: {
      type: "string",
      enum: ["second", "minute", "hour"],
      description: "The unit of time.",
    },
  },
  required: ["requests_per_unit", "unit"],
} as const satisfies SettingSchema;

/** The schema of `x-svc`. Unknown keys are refused, since they may be misspelt. */
export const EXTENSION_SCHEMA = {
  type: "object",
  additionalProperties: false,
  properties: {
    hosts: {
      type: "array",
      minItems: 1,
      items: { type: "string", format: "host-pattern", pattern: "^([*]|([*][.])?[-0-9A-Z_a-z.:\\[\\]]+)$" },
      description: "Host names of the API; one that starts with *. stands for all names below. Default: any.",
    },
    path: {
      type: "object",
      description: "Where the paths stand at the gateway.",
      additionalProperties: false,
      properties: { prefix: { ...PATH, description: "Prefix of each path, such as /api/v1." } },
    },
    disabled: {
      ...BOOLEAN,
      description: "Answers 404: at the root for all paths of the definition, at a path for every method, at an " +
        "operation for its method (and HEAD with GET). An inner disabled: false makes an exception.",
    },
    websocket: { ...BOOLEAN, description: "Passes WebSocket upgrades on to the upstream." },
    mocking: {
      type: "object",
      description: "Which operations gw answers itself.",
      additionalProperties: false,
      properties: {
        enabled: { ...BOOLEAN, description: "Whether gw answers, instead of an upstream." },
        generate: { ...BOOLEAN, description: "Generates bodies from schemas where there are no examples." },
        stateful: {
          ...BOOLEAN,
          description: "Whether operations of one resource share its items: what is created can be read, changed and " +
            "deleted.",
        },
        resource: {
          type: "object",
          description: "The resource that the operations of a path belong to, where gw resources shows another. " +
            "`resource: false` is short for `resource: {bound: false}`.",
          additionalProperties: false,
          properties: {
            bound: { ...BOOLEAN, description: "Whether they belong to a resource at all." },
            name: { ...NAME, description: "Name of the resource." },
            id: { ...NAME, description: "Property of an item that is its id; inside another: metadata.name." },
            collection: { ...PATH_KEY, description: "Path of the collection, as the definition has it." },
            parent: { ...NAME, description: "Name of the resource that the last path parameter before the id is of." },
          },
        },
        delay: {
          type: INTEGER_OR_STRING,
          format: "delay",
          minimum: 0,
          pattern: "^[0-9]+([-~][0-9]+([.][0-9]+)?)?$",
          description: "Milliseconds before each answer: 200, 200-400, or log-normal, median~sigma: 200~0.5.",
        },
        faults: {
          type: "array",
          maxItems: MOST_FAULTS,
          items: {
            type: INTEGER_OR_STRING,
            format: "fault",
          },
          description: "What goes wrong, and when, in the words of --rule: reset 1%, 503 x2. The first that applies " +
            "counts.",
        },
        sequence: {
          type: "array",
          minItems: 1,
          maxItems: MOST_STEPS,
          items: {
            type: INTEGER_OR_STRING,
            format: "step",
          },
          description: "Answers of one request after the other, of each session: 503, 503, then the operation's own.",
        },
      },
    },
    validation: {
      type: "object",
      description: "Which messages the gateway validates.",
      additionalProperties: false,
      properties: {
        request: {
          type: "object",
          description: "Validation of requests against the definition.",
          additionalProperties: false,
          properties: { enabled: { ...BOOLEAN, description: "Whether invalid requests are answered 400." } },
        },
      },
    },
    upstream: UPSTREAM,
    upstreams: {
      type: "array",
      minItems: 1,
      items: WEIGHTED_UPSTREAM,
      description: "Several upstreams that share the requests; their weights total 100.",
    },
    redirect: REDIRECT,
    cors: CORS,
    qos: {
      type: "object",
      description: "Quality of service.",
      additionalProperties: false,
      properties: {
        retries: {
          type: "integer",
          minimum: 0,
          deployable: { maximum: INT32 },
          description: "Further attempts after a failed one, with a growing pause before each, of 250 ms at most.",
        },
        request_timeout: {
          ...SECONDS,
          description: "Seconds until the head of the response, over all attempts; 0 for no limit. Default: none. " +
            "In a cluster the whole response must be there by then.",
        },
        idle_timeout: {
          ...SECONDS,
          description: "Seconds in which nothing is sent either way, before and after the head; 0 for no limit. " +
            "Default: 300.",
        },
      },
    },
    rate_limit: RATE_LIMIT,
    cache: {
      type: "object",
      description:
        "Cache-Control of the answers, private behind auth and security. no-store, no-cache, private and a shorter " +
        "max-age of the upstream stay in force.",
      additionalProperties: false,
      properties: {
        enabled: { ...BOOLEAN, description: "Whether answers may be cached." },
        max_age: { ...WHOLE_SECONDS, description: "Seconds that they may be cached." },
      },
    },
    auth: AUTH,
    public_api_path: {
      ...PATH,
      description: "Path at which the definition itself is served, without extensions and disabled operations.",
    },
    analysis: {
      type: "object",
      description: "A page that analyses the use of the API, such as a dashboard.",
      additionalProperties: false,
      properties: { url: { ...URL, description: "URL of the page. The management API returns it as externalurl." } },
    },
  },
} as const satisfies SettingSchema;
