import type { Operation } from "../../openapi/operation.ts";
import { child, entries, isObject, type JsonObject, type Node, stringOf } from "../../schema/json/node.ts";
import { parsePointer } from "../../schema/json/pointer.ts";
import { referenceOf } from "../../schema/json/reference.ts";
import { reasonPhrase } from "../../http/reason_phrase.ts";
import { type MediaType, parseMediaType } from "../../http/media_type.ts";
import type { ChosenExample, ChosenResponse } from "./choose_examples.ts";
import { type DeclaredContent, declaredResponse } from "./declared_response.ts";
import { formatTarget } from "./overlay_target.ts";
import { responseHash } from "./recorded_answer.ts";

/** An Action Object of an overlay (OpenAPI Overlay 1.0, section 4.4.3). */
export interface OverlayAction {
  target: string;
  update?: unknown;
  remove?: true;
}

/**
 * The actions that add an operation's recorded examples. To a response that the operation itself declares, only
 * examples are added. A response that has a `$ref` is copied into the operation, because other operations may refer to
 * the same object. An undeclared response is added.
 *
 * @returns `undefined` if the operation is written in another file than the root of the definition. An overlay can't
 * change that file.
 */
export function actionsOf(operation: Operation, responses: readonly ChosenResponse[]): OverlayAction[] | undefined {
  const { document, node } = operation;
  if (node.source !== document.root.source) return undefined;
  const path = parsePointer(node.pointer);
  if (document.version === "2.0") return swaggerActions(operation, path, responses);
  const alwaysNeedsMatch = !responses.some(({ status }) => status >= 200 && status < 300);
  const byStatus = Map.groupBy(responses, ({ status }) => status);
  return [...byStatus].flatMap(([status, ofStatus]) =>
    statusActions(operation, path, status, ofStatus, alwaysNeedsMatch)
  );
}

/** The actions for a definition of Swagger 2.0, in which `x-examples` of a response holds several examples. */
function swaggerActions(
  { document }: Operation,
  path: readonly string[],
  responses: readonly ChosenResponse[],
): OverlayAction[] {
  const responsesOf = path.reduce<Node>((node, token) => child(node, token), document.written);
  const written = child(responsesOf, "responses");
  const alwaysNeedsMatch = !responses.some(({ status }) => status >= 200 && status < 300);
  const byStatus = Map.groupBy(responses.filter(({ mediaType }) => mediaType !== ""), ({ status }) => status);
  return [...byStatus].flatMap(([status, ofStatus]): OverlayAction[] => {
    const at = [...path, "responses", String(status)];
    const examples = ofStatus.map(({ mediaType, examples }): [string, unknown] => {
      return [mediaType, writeExamples(examples, undefined, alwaysNeedsMatch)];
    });
    const added = { "x-examples": Object.fromEntries(examples) };
    const exact = child(written, String(status));
    const reference = stringOf(child(exact, "$ref"));
    if (isObject(exact.value) && reference === undefined) {
      const own = ofStatus.flatMap(({ mediaType }) => {
        const node = child(child(exact, "examples"), mediaType);
        const target = formatTarget([...at, "examples", mediaType]);
        return node.value === undefined ? [] : [{ target, remove: true as const }];
      });
      return [...own, { target: formatTarget(at), update: added }];
    }
    const general = isObject(exact.value) ? exact : child(written, "default");
    const { examples: _, $ref: __, ...fields } = fieldsOf(document, general);
    const response = { description: reasonPhrase(status) ?? `Status ${status}`, ...fields, ...added };
    return reference === undefined
      ? [{ target: formatTarget([...path, "responses"]), update: { [String(status)]: response } }]
      : [{ target: formatTarget([...at, "$ref"]), remove: true }, { target: formatTarget(at), update: response }];
  });
}

/** The fields of a Response Object of Swagger 2.0, after its `$ref` to `#/responses/…` was followed. */
function fieldsOf({ written }: Operation["document"], response: Node): JsonObject {
  const [, name] = /^#\/responses\/(.+)$/.exec(stringOf(child(response, "$ref")) ?? "") ?? [];
  const [key = ""] = parsePointer(`/${name ?? ""}`);
  const { value } = name === undefined ? response : child(child(written as Node, "responses"), key);
  return isObject(value) ? value : {};
}

function statusActions(
  operation: Operation,
  path: readonly string[],
  status: number,
  responses: readonly ChosenResponse[],
  alwaysNeedsMatch: boolean,
): OverlayAction[] {
  const { place, node, content } = declaredResponse(operation, status);
  const withBody = responses.filter(({ mediaType }) => mediaType !== "");
  const at = [...path, "responses", String(status)];
  const examplesOf = ({ mediaType, examples }: ChosenResponse): JsonObject => {
    const declared = content.find((media) => media.mediaType === mediaType);
    return { examples: writeExamples(examples, place === "inline" ? declared : undefined, alwaysNeedsMatch) };
  };
  if (place === "inline") {
    return [
      ...withBody.flatMap((response): OverlayAction[] => {
        const { mediaType } = response;
        const declared = content.find((media) => media.mediaType === mediaType);
        const target = [...at, "content", mediaType];
        if (declared?.isInline) {
          const hasExample = child(declared.node, "example").value !== undefined;
          return [
            ...hasExample ? [{ target: formatTarget([...target, "example"]), remove: true as const }] : [],
            { target: formatTarget(target), update: examplesOf(response) },
          ];
        }
        const media = { ...copyOfMedia(operation, rangeFor(mediaType, content) ?? declared), ...examplesOf(response) };
        return [{ target: formatTarget(at), update: { content: { [mediaType]: media } } }];
      }),
      ...headerActions(at, responses),
    ];
  }

  const copied = Object.fromEntries(content.map((media) => [media.mediaType, copyOfMedia(operation, media)]));
  const recorded = Object.fromEntries(withBody.map((response) => {
    const declared = content.find(({ mediaType }) => mediaType === response.mediaType) ??
      rangeFor(response.mediaType, content);
    return [response.mediaType, { ...copyOfMedia(operation, declared), ...examplesOf(response) }];
  }));
  // A range or `default` covers several statuses, so its other media types need not belong to this status. Copy only
  // the media types that were recorded with it.
  const all = place === "reference" ? { ...copied, ...recorded } : recorded;
  const response = {
    description: (node && stringOf(child(node, "description"))) || reasonPhrase(status) || `Status ${status}`,
    ...copyOfHeaders(operation, node),
    ...(Object.keys(all).length === 0 ? {} : { content: all }),
  };
  if (place === "reference") {
    // Without a recorded body, there is no example to add. Keep the `$ref`.
    if (withBody.length === 0) return [];
    return [
      { target: formatTarget([...at, "$ref"]), remove: true },
      { target: formatTarget(at), update: response },
    ];
  }
  const added = { [String(status)]: response };
  return isObject(child(operation.node, "responses").value)
    ? [{ target: formatTarget([...path, "responses"]), update: added }]
    : [{ target: formatTarget(path), update: { responses: added } }];
}

/** The Example Objects by name. A name gets a suffix if the definition already has an example of that name. */
function writeExamples(
  examples: readonly ChosenExample[],
  declared: DeclaredContent | undefined,
  alwaysNeedsMatch: boolean,
): JsonObject {
  const taken = new Set(declared === undefined ? [] : entries(child(declared.node, "examples")).map(([name]) => name));
  return Object.fromEntries(examples.map(({ name, answer, conditions }) => {
    // Without `match`, the mock server would prefer the definition's own examples, or a response with a 2xx status.
    const needsMatch = Object.keys(conditions).length > 0 || taken.size > 0 || alwaysNeedsMatch;
    const { contentType } = answer;
    const mocking = {
      ...(needsMatch ? { match: conditions } : {}),
      ...(contentType === undefined ? {} : { contentType }),
    };
    const example = {
      ...(Object.keys(mocking).length === 0 ? {} : { "x-svc": { mocking } }),
      [answer.field]: answer.value,
    };
    return [taken.has(name) ? `${name}-${responseHash(name)}` : name, example];
  }));
}

function headerActions(at: readonly string[], responses: readonly ChosenResponse[]): OverlayAction[] {
  const headers = Object.entries(Object.assign({}, ...responses.toReversed().map(({ headers }) => headers)));
  if (headers.length === 0) return [];
  const update = { headers: Object.fromEntries(headers.map(([name, example]) => [name, { example }])) };
  return [{ target: formatTarget(at), update }];
}

/** The declared range, such as `application/*`, that includes a media type. */
function rangeFor(mediaType: string, content: readonly DeclaredContent[]): DeclaredContent | undefined {
  const sent = parseMediaType(mediaType);
  return content.find(({ mediaType }) => {
    const range = parseMediaType(mediaType);
    return sent !== undefined && range !== undefined && isRangeOf(range, sent);
  });
}

function isRangeOf(range: MediaType, { type }: MediaType): boolean {
  return range.subtype === "*" && (range.type === "*" || range.type === type);
}

/** Copies a Media Type Object without its examples. Schemas become references to the original schemas. */
function copyOfMedia(operation: Operation, media: DeclaredContent | undefined): JsonObject {
  if (media === undefined || !isObject(media.node.value)) return {};
  const copied = entries(media.node).filter(([field]) => field !== "example" && field !== "examples")
    .map(([field, node]): [string, unknown] => {
      return [field, field === "schema" || field === "itemSchema" ? referenceTo(operation, node) : node.value];
    });
  return Object.fromEntries(copied);
}

function copyOfHeaders(operation: Operation, response: Node<"Response"> | undefined): JsonObject {
  const headers = response === undefined ? [] : entries(child(response, "headers"));
  if (headers.length === 0) return {};
  return { headers: Object.fromEntries(headers.map(([name, node]) => [name, referenceTo(operation, node)])) };
}

/**
 * A Reference Object that refers to a part of the definition. If that part is itself a usable reference or isn't an
 * object, its value is returned.
 */
function referenceTo({ document }: Operation, node: Node): unknown {
  if (!isObject(node.value)) return node.value;
  const isInRootFile = node.source === document.root.source;
  const written = referenceOf(node);
  if (written !== undefined && (isInRootFile || /^[a-z][a-z0-9+.-]*:/i.test(written))) return node.value;
  const tokens = parsePointer(node.pointer).map((token) =>
    encodeURIComponent(token.replaceAll("~", "~0").replaceAll("/", "~1"))
  );
  const fragment = tokens.map((token) => `/${token}`).join("");
  return { $ref: `${isInRootFile ? "" : relativeUri(document.uri, node.source.uri)}#${fragment}` };
}

/** A URI relative to the folder of `base`; unchanged if it is in another folder. */
function relativeUri(base: string, uri: string): string {
  const folder = base.slice(0, base.lastIndexOf("/") + 1);
  return folder !== "" && uri.startsWith(folder) ? uri.slice(folder.length) : uri;
}
