import { parseMediaType } from "../../http/media_type.ts";
import type { Document } from "../../openapi/document.ts";
import { child, type Node } from "../../openapi/node.ts";
import type { Check, SchemaCompiler } from "../../openapi/schema.ts";
import type { DecodedBody } from "../encode/body.ts";
import { FINE, type RequestPart, type RequestViolation, schemaViolations, violation } from "./violation.ts";

/** A body, or a parameter, that is written in a media type and has a schema. */
export interface CheckedContent {
  readonly read: (content: Uint8Array) => DecodedBody | Promise<DecodedBody>;
  readonly check: Check;
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** Prepares the check of what is written in a media type; `undefined` when there is no schema to check it by. */
export function prepareContent(
  _document: Document,
  compiler: SchemaCompiler,
  mediaType: string,
  mediaTypeObject: Node,
): CheckedContent | undefined {
  const schema = child(mediaTypeObject, "schema");
  if (schema.value === undefined) return undefined;
  const read = isJson(mediaType) ? readJson : undefined;
  return read && { read, check: compiler.compile(schema, "request") };
}

/** Finds out what is wrong with a parameter, or with the body when it has no name. */
export function checkContent(
  part: RequestPart,
  name: string,
  content: Uint8Array,
  { read, check }: CheckedContent,
): readonly RequestViolation[] | Promise<readonly RequestViolation[]> {
  const decoded = read(content);
  return decoded instanceof Promise ? decoded.then(judge) : judge(decoded);

  function judge(decoded: DecodedBody): readonly RequestViolation[] {
    switch (decoded.kind) {
      case "value":
        return schemaViolations(part, name, check(decoded.value));
      case "malformed":
        return [violation(part, name, "malformed", decoded.message)];
      case "unknown":
        return FINE;
    }
  }
}

function isJson(mediaType: string): boolean {
  const parsed = parseMediaType(mediaType);
  return parsed?.subtype === "json" || parsed?.suffix === "json";
}

function readJson(content: Uint8Array): DecodedBody {
  try {
    return { kind: "value", value: JSON.parse(UTF8.decode(content)) };
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : "it is not UTF-8";
    return { kind: "malformed", message: `is not JSON: ${why}` };
  }
}
