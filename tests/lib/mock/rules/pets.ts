import { createRandom } from "../../../../lib/mock/generate/random.ts";
import { createRouter } from "../../../../lib/mock/route/router.ts";
import type { Rule } from "../../../../lib/openapi/extension/rule.ts";
import { RuleBase, type RuleBaseOptions } from "../../../../lib/mock/rules/rule_base.ts";
import type { Chosen, RuleList } from "../../../../lib/mock/rules/rule_list.ts";
import { createRuleList } from "../../../../lib/mock/rules/session_rules.ts";
import { splitTarget } from "../../../../lib/http/url/url.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { listOperations, type Operation } from "../../../../lib/openapi/operation.ts";

export const PETS = `
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
paths:
  /pets:
    get:
      operationId: listPets
      parameters: [{name: status, in: query, schema: {type: string}}]
      responses:
        "200":
          description: Pets
          content:
            application/json:
              schema: {type: array, items: {$ref: "#/components/schemas/Pet"}}
              examples:
                two: {value: [{id: 1, name: Tom}, {id: 2, name: Kit}]}
                none: {value: []}
    post:
      operationId: createPet
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
      responses:
        "201": {description: Created, content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
  /pets/{petId}:
    get:
      operationId: getPet
      parameters: [{name: petId, in: path, required: true, schema: {type: integer}}]
      responses:
        "200":
          description: Pet
          headers: {X-Rate: {schema: {type: integer}, example: 5}}
          content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}, example: {id: 1, name: Tom}}}
        "404":
          description: Unknown
          content:
            application/json:
              schema: {type: object, required: [error], properties: {error: {type: string}}}
              examples: {missing: {value: {error: missing}}, sold: {value: {error: sold}}}
components:
  schemas:
    Pet: {type: object, required: [id, name], properties: {id: {type: integer}, name: {type: string}}}
`;

export async function petOperations(): Promise<readonly Operation[]> {
  return listOperations(await parseDocument(PETS));
}

/** Makes a list of rules, and a function that applies the list to a request such as `GET /pets?status=sold`. */
export async function rulesOfPets(
  { shared = [], own = [], declared = [], options = {} }: {
    shared?: readonly Rule[];
    own?: readonly Rule[];
    declared?: readonly Rule[];
    options?: RuleBaseOptions;
  },
): Promise<{ list: RuleList; choose: (line: string, body?: unknown) => Chosen | undefined }> {
  const router = createRouter(await petOperations());
  const list = createRuleList(new RuleBase(shared, options), createRandom(0));
  for (const rule of own) list.add(rule);
  return {
    list,
    choose(line, body) {
      const [method = "", url = ""] = line.split(" ");
      const request = new Request(`http://localhost${url}`, { method, headers: { "x-tenant": "acme" } });
      const { path, query } = splitTarget(request.url);
      const match = router.match(method, path);
      if (match.kind !== "found") throw new Error(`no operation for ${line}`);
      const target = { path, query, pathParameters: match.parameters };
      return list.choose({ operation: match.route, declaredRules: declared }, request, target, body);
    },
  };
}
