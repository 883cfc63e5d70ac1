import assert from "node:assert/strict";
import { splitTarget } from "../../../../lib/http/url/url.ts";
import {
  createRequestValidator,
  type KnownBody,
  type RequestValidatorOptions,
  type Validation,
} from "../../../../lib/mock/validation/validate_request.ts";
import { createRouter } from "../../../../lib/mock/route/router.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { listOperations } from "../../../../lib/openapi/operation.ts";
import { createDocumentValidator } from "../../../../lib/schema/document_validator.ts";

/** A definition with one operation, by its parts. */
export interface Definition {
  /** The version of OpenAPI. Default: `3.1.1`. */
  openapi?: string;
  /** The method. Default: `POST` if there is a `requestBody`, else `GET`. */
  method?: string;
  /** The path of the operation. Default: `/`. */
  path?: string;
  /** The Operation Object; `responses` may be absent. */
  operation: Record<string, unknown>;
  /** Additional fields of the Path Item Object. */
  pathItem?: Record<string, unknown>;
  /** Additional fields of the OpenAPI Object. */
  root?: Record<string, unknown>;
}

/** Makes a function that validates requests for the definition's operation. */
export async function createChecker(
  { openapi = "3.1.1", operation, method = "requestBody" in operation ? "POST" : "GET", path = "/", ...more }:
    Definition,
  options?: RequestValidatorOptions,
): Promise<((request: Request, body?: KnownBody) => Promise<Validation>) | undefined> {
  const pathItem = { ...more.pathItem, [method.toLowerCase()]: operation };
  const root = { openapi, info: { title: "Test", version: "1" }, paths: { [path]: pathItem }, ...more.root };
  const document = await parseDocument(JSON.stringify(root));
  assert.deepEqual(document.diagnostics, []);
  const operations = listOperations(document);
  const router = createRouter(operations);
  const documentValidator = await createDocumentValidator(document);
  const [only] = operations;
  assert.ok(only);
  const validator = createRequestValidator(only, documentValidator, options);
  return validator && (async (request, body) => {
    const target = splitTarget(request.url);
    const match = router.match(request.method, target.path);
    assert.equal(match.kind, "found", `${request.method} ${target.path}`);
    const pathParameters = match.kind === "found" ? match.parameters : {};
    return await validator.check(request, { ...target, pathParameters }, body);
  });
}

/** Validates one request. Returns `location: message` for each violation. */
export async function violationsOf(
  definition: Definition,
  request: RequestInit & { target?: string } = {},
  options?: RequestValidatorOptions,
): Promise<string[]> {
  const { violations } = await validationOf(definition, request, options);
  return violations.map(({ location, code }) => `${location.join("/")}: ${code}`);
}

export async function validationOf(
  definition: Definition,
  { target = definition.path ?? "/", ...init }: RequestInit & { target?: string } = {},
  options?: RequestValidatorOptions,
): Promise<Validation> {
  const check = await createChecker(definition, options);
  const method = definition.method ?? ("requestBody" in definition.operation ? "POST" : "GET");
  return check === undefined
    ? { violations: [] }
    : await check(new Request(`http://localhost${target}`, { method, ...init }));
}
