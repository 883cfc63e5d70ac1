import { suggest } from "../../http/message.ts";
import { readHints } from "../../schema/hints.ts";
import type { DocumentValidator } from "../../schema/document_validator.ts";
import type { Document } from "../../openapi/document.ts";
import { writeJson } from "../../schema/json/json.ts";
import type { JsonObject } from "../../schema/json/node.ts";
import type { Resource } from "../infer/resource.ts";

/** Why an item doesn't fit the schema of its resource. */
export interface ItemFault {
  /** The keys that lead to the part at fault in the item. */
  readonly path: readonly string[];
  readonly message: string;
}

/** Finds the faults of an item. */
export type ItemCheck = (value: JsonObject) => readonly ItemFault[];

export type ValidatorReader = (document: Document) => Promise<DocumentValidator>;

/** Makes the function that checks items of a resource against its schema. */
export async function createItemCheck(
  { document, schema }: Resource,
  validatorOf: ValidatorReader,
): Promise<ItemCheck> {
  const check = (await validatorOf(document)).checkOf(schema, "response");
  return (value) =>
    check(value).map(({ path, message }) => ({
      path,
      message: `${path.length === 0 ? "The item" : `\`${path.join(".")}\``} ${message}, says the definition.`,
    }));
}

/** Keywords whose violations a missing property may cause. Responses have missing properties generated. */
const OF_MISSING: ReadonlySet<string> = new Set(["required", "dependentRequired"]);
const OF_BRANCHES: ReadonlySet<string> = new Set(["oneOf", "anyOf", "if"]);

/**
 * Makes the function that checks items which a test sets: wrong values and undeclared properties are faults, missing
 * properties aren't.
 */
export async function createPartCheck(
  { document, schema }: Resource,
  validatorOf: ValidatorReader,
): Promise<ItemCheck> {
  const check = (await validatorOf(document)).checkOf(schema, "response");
  const { propertyNames, describesOthers } = readHints(document, schema, "response");
  const isOpen = describesOthers || propertyNames.size === 0;
  return (value) => {
    const found = check(value);
    const isMissing = found.some(({ keyword }) => OF_MISSING.has(keyword));
    const wrong = found.filter(({ keyword }) => !OF_MISSING.has(keyword) && !(isMissing && OF_BRANCHES.has(keyword)));
    const undeclared = isOpen ? [] : Object.keys(value).filter((name) => !propertyNames.has(name));
    return [
      ...wrong.map(({ path, message }) => ({
        path,
        message: `${path.length === 0 ? "the item" : `\`${path.join(".")}\``} ${message}`,
      })),
      ...undeclared.map((name) => {
        const [nearest] = suggest(name, [...propertyNames]);
        const advice = nearest === undefined ? "" : `; did you mean ${writeJson(nearest)}?`;
        return { path: [name], message: `${writeJson(name)} is no property of it${advice}` };
      }),
    ];
  };
}
