import { isObject } from "../../schema/json/node.ts";

/** A format that people take for OpenAPI. */
interface OtherFormat {
  /** Whether a text has this format, by the value of its root. */
  readonly has: (root: Readonly<Record<string, unknown>>) => boolean;
  /** What the text is, as a clause after `it is`. */
  readonly name: string;
  /** What to do, as a sentence. */
  readonly advice: string;
}

const CONVERT = "Convert it to OpenAPI first.";

const FORMATS: readonly OtherFormat[] = [
  {
    has: (root) => "asyncapi" in root,
    name: "an AsyncAPI document",
    advice: "gw answers HTTP requests, which OpenAPI describes.",
  },
  {
    has: ({ log }) => isObject(log) && Array.isArray(log["entries"]),
    name: "an HTTP Archive (HAR)",
    advice:
      "gw records traffic by itself: gw proxy FILE URL --record recorded.yaml, with an OpenAPI definition as FILE.",
  },
  {
    has: (root) => isPostman(root) || isObject(root["collection"]) && isPostman(root["collection"]),
    name: "a Postman collection",
    advice: CONVERT,
  },
  { has: (root) => "_postman_variable_scope" in root, name: "a Postman environment", advice: CONVERT },
  {
    has: (root) => "__export_format" in root || /^(?:collection|spec)\.insomnia\.rest\//.test(String(root["type"])),
    name: "an export of Insomnia",
    advice: CONVERT,
  },
  {
    has: ({ lastMigration, routes }) => lastMigration !== undefined && Array.isArray(routes),
    name: "an environment file of Mockoon",
    advice: "gw convert FILE makes a definition of it.",
  },
  {
    has: ({ overlay, actions }) => overlay !== undefined && Array.isArray(actions),
    name: "an overlay",
    advice: "Name it with --overlay, beside the definition.",
  },
  {
    has: (root) => "arazzo" in root,
    name: "an Arazzo document",
    advice: "Name the definitions of its sourceDescriptions.",
  },
  {
    has: ({ kind }) => kind === "discovery#restDescription",
    name: "a Google API Discovery document",
    advice: CONVERT,
  },
  {
    has: ({ data, __schema }) => isObject(__schema) || isObject(data) && isObject(data["__schema"]),
    name: "a GraphQL schema",
    advice: "gw answers HTTP APIs that OpenAPI describes.",
  },
  {
    has: ({ name, dependencies, scripts }) => typeof name === "string" && (isObject(dependencies) || isObject(scripts)),
    name: "a package.json",
    advice: "Name the definition itself.",
  },
  {
    has: ({ $schema }) => typeof $schema === "string" && /\/\/json-schema\.org\//.test($schema),
    name: "a JSON Schema",
    advice: "A definition has schemas in `components.schemas`.",
  },
  {
    has: (root) => isObject(root["x-svc"]) && !("paths" in root) && !("info" in root),
    name: "an `x-svc` alone, as of a static route",
    advice: "gw deploy FILE --static-route deploys it.",
  },
];

function isPostman(root: Readonly<Record<string, unknown>>): boolean {
  const { info, requests, order } = root;
  if (Array.isArray(requests) && Array.isArray(order)) return true;
  if (!isObject(info)) return false;
  return "_postman_id" in info || /(?:getpostman|postman)\.com\/json\/collection\//.test(String(info["schema"]));
}

/**
 * Recognises a text of another format, and says what it is and what to do; `undefined` for an unknown one.
 *
 * @param root The value of the text's root.
 */
export function describeOtherFormat(root: Readonly<Record<string, unknown>>): string | undefined {
  const format = FORMATS.find(({ has }) => has(root));
  return format && `it is ${format.name}. ${format.advice}`;
}
