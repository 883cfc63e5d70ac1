import type { JsonObject } from "../../schema/json/node.ts";
import type { Leftover } from "../conversion.ts";
import type { Environment, Header, RouteResponse } from "./environment.ts";
import { parseMockoonJson } from "./parse_json.ts";
import type { Matches } from "./rules.ts";
import { isTemplated, readTemplate } from "./template.ts";

/** The media type of a Mockoon response without `Content-Type`: the default of Express, on which Mockoon is built. */
const DEFAULT_TYPE = "text/html; charset=utf-8";

/** A response of a Mockoon route, with the conditions that select it. */
export interface ConvertedResponse {
  readonly response: RouteResponse;
  /** The name of the response's example in the definition. */
  readonly name: string;
  /** The conditions. Absent for a response to requests that meet the conditions of no other response. */
  readonly matches?: Matches;
}

/** A body: an example, or a schema from which gw generates bodies, with a sample of them. */
type Content = { example: JsonObject } | { schema: JsonObject; sample: unknown };

/** Converts responses to the Responses Object of an operation. The first of them is the default response. */
export function convertResponses(
  chosen: readonly ConvertedResponse[],
  environment: Environment,
  leftovers: Leftover[],
): JsonObject {
  const byStatus = Map.groupBy(chosen, ({ response }) => String(response.status));
  return Object.fromEntries([...byStatus].map(([status, group]) => {
    const [first] = group;
    const content = contentOf(group, environment, leftovers);
    const headers = headersOf(group, environment, leftovers);
    return [status, {
      description: first?.response.label || `Status ${status}`,
      ...Object.keys(headers).length === 0 ? {} : { headers },
      ...Object.keys(content).length === 0 ? {} : { content },
    }];
  }));
}

function contentOf(group: readonly ConvertedResponse[], environment: Environment, leftovers: Leftover[]): JsonObject {
  const content = new Map<string, { schema?: JsonObject; examples?: Record<string, JsonObject> }>();
  for (const { response, name, matches } of group) {
    const type = mediaTypeOf(response, environment);
    const body = readBody(response, type, environment, leftovers);
    if (body === undefined) continue;
    const isAlone = group.length === 1 && matches === undefined;
    const media = content.get(type) ?? {};
    content.set(type, media);
    if ("schema" in body) {
      if (isAlone) media.schema = body.schema;
      else {
        leftovers.push({
          pointer: `${response.pointer}/body`,
          message: "Beside other examples of this status, its templates became fixed values.",
        });
      }
    }
    if ("schema" in body && isAlone) continue;
    const example = "schema" in body ? { value: body.sample } : body.example;
    const copies = matches ?? [{}];
    copies.forEach((match, index) => {
      const key = index === 0 ? name : `${name}-${index + 1}`;
      const svc = Object.keys(match).length === 0 ? {} : { "x-svc": { mocking: { match } } };
      (media.examples ??= {})[key] = { ...example, ...svc };
    });
  }
  return Object.fromEntries(content);
}

function readBody(
  response: RouteResponse,
  type: string,
  environment: Environment,
  leftovers: Leftover[],
): Content | undefined {
  if (response.bodyType === "FILE") {
    if (response.filePath === "") return undefined;
    leftovers.push({
      pointer: `${response.pointer}/filePath`,
      message: "gw reads this path from the folder of the definition, and no templates in the file. Check the path.",
    });
    return { example: { externalValue: response.filePath } };
  }
  const bucket = environment.buckets.find(({ id }) => id !== "" && id === response.bucket);
  const isBucket = response.bodyType === "DATABUCKET";
  const text = isBucket ? bucket?.value ?? "" : response.body;
  const pointer = isBucket && bucket !== undefined ? `${bucket.pointer}/value` : `${response.pointer}/body`;
  if (text === "") return undefined;
  const isJson = /[/+]json\b/i.test(type) || isBucket;
  const template = (response.hasTemplates || isBucket) && isTemplated(text) ? readTemplate(text) : undefined;
  if (template !== undefined && isJson) {
    for (const left of new Set(template.left)) {
      leftovers.push({
        pointer,
        message:
          `gw has nothing for {{${left}}}: it generates a text there. See the page migration of the documentation.`,
      });
    }
    return { schema: template.schema, sample: template.sample };
  }
  if (response.hasTemplates && isTemplated(text)) {
    leftovers.push({
      pointer,
      message: "gw has no templates: they are answered as they are written. Write examples without them.",
    });
  }
  return { example: { value: isJson ? jsonOf(text, pointer, leftovers) : text } };
}

function jsonOf(text: string, pointer: string, leftovers: Leftover[]): unknown {
  const value = parseMockoonJson(text);
  if (value === undefined) {
    leftovers.push({ pointer, message: "The body is no JSON, and is answered as a JSON string." });
  }
  return value ?? text;
}

/** Returns the media type of a response, by the headers of the response or the environment. */
function mediaTypeOf({ headers, bodyType }: RouteResponse, environment: Environment): string {
  const isType = ({ key }: Header): boolean => key.toLowerCase() === "content-type";
  const written = (headers.find(isType) ?? environment.headers.find(isType))?.value;
  return written || (bodyType === "DATABUCKET" ? "application/json" : DEFAULT_TYPE);
}

/** Converts the headers of all responses with one status. CORS headers are left out, since gw sets them itself. */
function headersOf(group: readonly ConvertedResponse[], environment: Environment, leftovers: Leftover[]): JsonObject {
  const headers = new Map<string, JsonObject>();
  const known = new Set<string>();
  for (const [index, { response }] of group.entries()) {
    // The headers of the environment are added once, since all responses of the group have them.
    for (const { key, value } of index === 0 ? [...response.headers, ...environment.headers] : response.headers) {
      const name = key.toLowerCase();
      if (name === "content-type" || environment.hasCors && name.startsWith("access-control-")) continue;
      if (!known.has(name)) headers.set(key, { required: true, schema: { type: "string" }, example: value });
      known.add(name);
      if (isTemplated(value)) {
        leftovers.push({
          pointer: `${response.pointer}/headers`,
          message: `The header ${key} has a template; gw answers it as it is written.`,
        });
      }
    }
  }
  const [first, ...others] = group;
  const ofFirst = JSON.stringify(first && withoutType(first.response));
  const differs = ({ response }: ConvertedResponse): boolean => JSON.stringify(withoutType(response)) !== ofFirst;
  for (const other of others.filter(differs)) {
    leftovers.push({
      pointer: `${other.response.pointer}/headers`,
      message: "All examples of a status have the same headers in OpenAPI: those of its first response.",
    });
  }
  return Object.fromEntries(headers);
}

function withoutType({ headers }: RouteResponse): readonly Header[] {
  return headers.filter(({ key }) => key.toLowerCase() !== "content-type");
}
