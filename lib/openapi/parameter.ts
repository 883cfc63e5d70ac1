import { child, entries, isObject, items, type Node, stringOf } from "../schema/json/node.ts";
import { isTabDelimited } from "./definition_keys.ts";
import type { Operation } from "./operation.ts";
import { follow } from "../schema/json/reference.ts";

/** The part of a request that contains the parameter; `querystring` since OpenAPI 3.2. */
export type ParameterLocation = "path" | "query" | "querystring" | "header" | "cookie";

/** The serialization of a parameter's value; `cookie` since OpenAPI 3.2. */
export type ParameterStyle =
  | "simple"
  | "label"
  | "matrix"
  | "form"
  | "spaceDelimited"
  /** Not of OpenAPI: the `collectionFormat: tsv` of Swagger 2.0. */
  | "tabDelimited"
  | "pipeDelimited"
  | "deepObject"
  | "cookie";

/** The `content` of a parameter, which gives its value a media type. */
export interface ParameterContent {
  /** The media type, as the definition writes it. */
  readonly mediaType: string;
  /** The Media Type Object (the target, if the definition has a `$ref`). */
  readonly node: Node<"MediaType">;
  /** The Schema Object; `undefined` where the Media Type Object has none. */
  readonly schema: Node<"Schema"> | undefined;
}

/** A Parameter Object of an operation, with the defaults of the specification filled in. */
export interface Parameter {
  /** The name, as the definition writes it. Header names are compared without regard to case. */
  readonly name: string;
  readonly in: ParameterLocation;
  readonly required: boolean;
  readonly deprecated: boolean;
  readonly style: ParameterStyle;
  readonly explode: boolean;
  /** Whether the definition has `style` or `explode`, rather than their defaults. */
  readonly namesStyle: boolean;
  readonly allowReserved: boolean;
  readonly allowEmptyValue: boolean;
  /** The Schema Object; `undefined` where the parameter has none. */
  readonly schema: Node<"Schema"> | undefined;
  /** The only entry of `content`; `undefined` where the parameter has a style instead. */
  readonly content: ParameterContent | undefined;
  /** The Parameter Object (the target, if the definition has a `$ref`). */
  readonly node: Node<"Parameter">;
}

/** An operation; or a path, which has no `node`. */
export type ParameterHolder = Pick<Operation, "document" | "pathItems"> & Partial<Pick<Operation, "node">>;

const DEFAULT_STYLES = {
  path: "simple",
  query: "form",
  querystring: "form",
  header: "simple",
  cookie: "form",
} as const satisfies Record<ParameterLocation, ParameterStyle>;

/** The styles that are allowed in each location. */
const STYLES: Record<ParameterLocation, readonly ParameterStyle[]> = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  querystring: [],
  header: ["simple"],
  cookie: ["form", "cookie"],
};

/** Headers that a Parameter Object can't describe: OpenAPI ignores parameters with these names. */
const DESCRIBED_ELSEWHERE = new Set(["accept", "content-type", "authorization"]);

/**
 * Lists the parameters of an operation: its own, and those of its path that it doesn't override. Invalid parameters are
 * left out.
 *
 * @see {@link https://spec.openapis.org/oas/v3.1.1.html#parameter-object OpenAPI 3.1, Parameter Object}
 */
export function listParameters(operation: ParameterHolder): Parameter[] {
  const parameters = new Map<string, Parameter>();
  for (const holder of [...(operation.node === undefined ? [] : [operation.node]), ...operation.pathItems]) {
    for (const written of items(child(holder, "parameters"))) {
      const parameter = readParameter(operation, written);
      if (parameter === undefined) continue;
      const key = identityOf(parameter);
      if (!parameters.has(key)) parameters.set(key, parameter);
    }
  }
  return [...parameters.values()];
}

/** A key of the name and location of a parameter, by which an operation overrides a parameter of its path. */
function identityOf(parameter: Parameter): string {
  const name = parameter.in === "header" ? parameter.name.toLowerCase() : parameter.name;
  return `${parameter.in} ${name}`;
}

function readParameter({ document }: ParameterHolder, written: Node<"Parameter">): Parameter | undefined {
  const node = follow(document, written);
  const location = locationOf(node);
  const name = stringOf(child(node, "name")) ?? "";
  if (location === undefined || (name === "" && location !== "querystring")) return undefined;
  if (location === "header" && DESCRIBED_ELSEWHERE.has(name.toLowerCase())) return undefined;

  const style = styleOf(node, location);
  const explode = child(node, "explode").value;
  const [content] = entries(child(node, "content"));
  return {
    name,
    in: location,
    required: location === "path" || child(node, "required").value === true,
    deprecated: child(node, "deprecated").value === true,
    style,
    explode: typeof explode === "boolean" ? explode : style === "form" || style === "cookie",
    namesStyle: child(node, "style").value !== undefined || typeof explode === "boolean" || isTabDelimited(node),
    allowReserved: child(node, "allowReserved").value === true,
    allowEmptyValue: child(node, "allowEmptyValue").value === true,
    schema: schemaOf(node),
    content: content && readContent(content[0], follow(document, content[1])),
    node,
  };
}

function readContent(mediaType: string, node: Node<"MediaType">): ParameterContent {
  return { mediaType, node, schema: schemaOf(node) };
}

function schemaOf(node: Node<"Parameter" | "MediaType">): Node<"Schema"> | undefined {
  const schema = child(node, "schema");
  return isObject(schema.value) || typeof schema.value === "boolean" ? schema : undefined;
}

function locationOf(node: Node<"Parameter">): ParameterLocation | undefined {
  const location = child(node, "in").value;
  switch (location) {
    case "path":
    case "query":
    case "querystring":
    case "header":
    case "cookie":
      return location;
    default:
      return undefined;
  }
}

function styleOf(node: Node<"Parameter">, location: ParameterLocation): ParameterStyle {
  if (location === "query" && isTabDelimited(node)) return "tabDelimited";
  const written = child(node, "style").value;
  return STYLES[location].find((style) => style === written) ?? DEFAULT_STYLES[location];
}
