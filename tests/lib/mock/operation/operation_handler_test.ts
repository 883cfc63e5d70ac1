/** Replies that depend on what a request contains: validation, examples with conditions, callbacks. */
import assert from "node:assert/strict";
import { createHandlerContext } from "../../../../lib/mock/operation/operation_handler.ts";
import { createResponder } from "../../../../lib/mock/responder.ts";
import type { MockOptions } from "../../../../lib/mock/mock_options.ts";
import type { Reply } from "../../../../lib/mock/operation/reply.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";

const DEFINITION = `
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
paths:
  /pets/{petId}:
    parameters:
      - name: petId
        in: path
        required: true
        schema: {type: integer, minimum: 1}
        examples:
          dog: {value: 2}
    get:
      responses:
        "200":
          description: A pet.
          content:
            application/json:
              schema: {type: object, required: [kind], properties: {kind: {enum: [made]}}}
              examples:
                cat: {value: {kind: cat}}
                dog: {value: {kind: dog}}
                lost: {value: {kind: lost}, x-svc: {mocking: {match: {query.state: lost}}}}
            text/plain:
              examples: {cat: {value: a cat}}
        "404":
          description: No such pet.
          content:
            application/json:
              schema: {type: object}
              examples:
                none: {value: {error: none}, x-svc: {mocking: {match: {path.petId: 404}}}}
  /orders:
    post:
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [price]
              properties:
                price: {type: number}
                url: {type: string}
      responses:
        "201":
          description: Made.
          headers: {Location: {example: /orders/7}}
          content:
            application/json:
              schema: {type: object}
              examples:
                cheap: {value: {kind: cheap}}
                dear: {value: {kind: dear}, x-svc: {mocking: {match: {body./price: 1000}}}}
        "400":
          description: Bad.
          content: {application/json: {schema: {type: object}, example: {error: bad}}}
      callbacks:
        shipped:
          "{$request.body#/url}/shipped?order={$response.header.Location}":
            post:
              requestBody: {content: {application/json: {example: {state: shipped}}}}
              responses: {"200": {description: Thanks.}}
`;

async function ask(options: MockOptions, target: string, init?: RequestInit): Promise<Reply & { text: string }> {
  const document = await parseDocument(DEFINITION);
  assert.deepEqual(document.diagnostics, []);
  const answer = await (await createResponder([document], options))(new Request(`http://localhost${target}`, init));
  return { ...answer, text: await answer.response.text() };
}

function post(body: unknown): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

const choices: {
  name: string;
  target: string;
  init?: RequestInit;
  status?: number;
  want: string;
  asGateway?: boolean;
}[] = [
  { name: "no condition is met: the first", target: "/pets/1", want: '{"kind":"cat"}' },
  { name: "a parameter's example of the same name", target: "/pets/2", want: '{"kind":"dog"}' },
  { name: "a condition on the query", target: "/pets/1?state=lost", want: '{"kind":"lost"}' },
  { name: "a condition on the path, in another response", target: "/pets/404", status: 404, want: '{"error":"none"}' },
  {
    name: "an example that another media type lacks",
    target: "/pets/2",
    init: { headers: { accept: "text/plain" } },
    want: "a cat",
  },
  {
    name: "a preference of the client goes first",
    target: "/pets/2",
    init: { headers: { prefer: "example=lost" } },
    want: '{"kind":"lost"}',
  },
  {
    name: "a preference of the client goes first, also before another response",
    target: "/pets/404",
    init: { headers: { prefer: "example=cat" } },
    want: '{"kind":"cat"}',
  },
  {
    name: "dynamic goes before the contents of the request",
    target: "/pets/2",
    init: { headers: { prefer: "dynamic=true" } },
    want: '{"kind":"made"}',
  },
  {
    name: "a condition on the body",
    target: "/orders",
    init: post({ price: 1000 }),
    status: 201,
    want: '{"kind":"dear"}',
  },
  { name: "another body", target: "/orders", init: post({ price: 1 }), status: 201, want: '{"kind":"cheap"}' },
];

Deno.test("an example is selected by the contents of the request", async (t) => {
  for (const { name, target, init, status = 200, want } of choices) {
    await t.step(name, async () => {
      for (const validate of ["off", "warn", "error"] as const) {
        const { response, text } = await ask({ validate }, target, init);
        assert.equal(response.status, status, text);
        assert.equal(text, want);
      }
    });
  }
});

Deno.test("requests are checked by the option validate", async (t) => {
  await t.step("off: not at all", async () => {
    assert.equal((await ask({ validate: "off" }, "/pets/0")).validation, undefined);
  });
  await t.step("warn: the reply has the answer, and the violations", async () => {
    const { response, validation } = await ask({ validate: "warn" }, "/pets/0");
    assert.equal(response.status, 200);
    assert.deepEqual((await validation)?.violations.map(({ location }) => location), [["path", "petId"]]);
  });
  await t.step("error: a problem that lists the violations", async () => {
    const { response, text } = await ask({ validate: "error" }, "/pets/0");
    assert.equal(response.status, 422);
    assert.equal(response.headers.get("content-type"), "application/problem+json");
    assert.deepEqual(JSON.parse(text).validation[0].location, ["path", "petId"]);
  });
  await t.step("error: the response that the definition has for it", async () => {
    const { response, text } = await ask({ validate: "error" }, "/orders", post({}));
    assert.equal(response.status, 400);
    assert.equal(text, '{"error":"bad"}');
    assert.equal(response.headers.get("preference-applied"), null);
  });
  await t.step("error: a request that is right is answered", async () => {
    const { response } = await ask({ validate: "error" }, "/orders", post({ price: 1 }));
    assert.equal(response.status, 201);
  });
  await t.step("a gateway doesn't check requests to mocked operations", async () => {
    assert.equal((await ask({ validate: "error", asGateway: true }, "/pets/0")).validation, undefined);
  });
});

Deno.test("callbacks are planned from the request and its answer", async () => {
  const { callbacks } = await ask({ callbacks: true }, "/orders", post({ price: 1, url: "http://localhost:9/hook" }));
  const [plan, ...others] = await callbacks ?? [];
  assert.deepEqual(others, []);
  assert.equal(plan?.name, "shipped");
  assert.equal(plan?.kind, "request");
  if (plan?.kind !== "request") return;
  assert.equal(plan.request.url.href, "http://localhost:9/hook/shipped?order=/orders/7");
  assert.equal(new TextDecoder().decode(plan.request.body ?? undefined), '{"state":"shipped"}');
});

Deno.test("callbacks are planned only with the option callbacks", async () => {
  assert.equal((await ask({}, "/orders", post({ price: 1 }))).callbacks, undefined);
});

Deno.test("callbacks are left out after a request that was not accepted", async () => {
  const refused = await ask({ callbacks: true, validate: "error" }, "/orders", post({}));
  assert.equal(refused.response.status, 400);
  assert.equal(refused.callbacks, undefined);
  const noSuchCode = post({ price: 1 });
  const problem = await ask({ callbacks: true }, "/orders?__code=409", noSuchCode);
  assert.equal(problem.response.status, 409);
  assert.equal(problem.callbacks, undefined);
  const asked = await ask(
    { callbacks: true },
    "/orders?__code=400",
    post({ price: 1, url: "http://localhost:9/hook" }),
  );
  assert.equal(asked.response.status, 400);
  assert.equal(asked.source, "example");
  assert.equal(asked.callbacks, undefined);
});

Deno.test("the validator and the generator of a document are made again after a failure, and else once", async () => {
  const parsed = await parseDocument("openapi: 3.1.0\ninfo: {title: Pets, version: '1'}\npaths: {}");
  const { validatorOf, generatorOf } = createHandlerContext();
  for (const make of [validatorOf, generatorOf]) {
    let fails = true;
    const document = new Proxy(parsed, {
      get(target, key): unknown {
        if (fails) throw new TypeError("Failed to load the module.");
        return Reflect.get(target, key);
      },
    });
    await assert.rejects(async () => await make(document), /Failed to load/);
    fails = false;
    assert.equal(await make(document), await make(document));
  }
});

Deno.test("an answer tells whether its body comes from another text, and no header does", async (t) => {
  const load = (uri: string): Promise<Uint8Array> => Promise.resolve(new TextEncoder().encode(uri.slice(-5)));
  const external = { examples: { one: { externalValue: "a.txt" } } };
  const media = { "text/plain": external };
  const own = { "text/plain": { examples: { own: { value: "own" }, ...external.examples } } };
  const cases: { what: string; response: object; isExternal: boolean | undefined }[] = [
    { what: "its body", response: { content: media }, isExternal: true },
    { what: "a header", response: { headers: { "X-A": external } }, isExternal: undefined },
    { what: "the content of a header", response: { headers: { "X-A": { content: media } } }, isExternal: undefined },
    { what: "an example that isn't sent", response: { content: own }, isExternal: false },
  ];
  for (const { what, response, isExternal } of cases) {
    await t.step(what, async () => {
      const definition = {
        openapi: "3.1.0",
        info: { title: "T", version: "1" },
        paths: { "/a": { get: { responses: { 200: { description: "A", ...response } } } } },
      };
      const document = await parseDocument(definition, { uri: "file:///api/a.json", load });
      const reply = await (await createResponder([document], {}))(new Request("http://localhost/a"));
      assert.equal(reply.details?.answer?.origin?.example?.isExternal, isExternal);
      assert.doesNotMatch(reply.response.headers.get("x-a") ?? "", /a\.txt/);
    });
  }
});
