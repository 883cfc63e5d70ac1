/**
 * A small server with a definition, for tests of recordings. It lists, finds, creates and refuses items, and puts
 * secrets into all places where servers may leak them.
 *
 * @module
 */

/**
 * The definition of the shop. It is incomplete: it lacks status 400 and 401, errors as XML, and the property `meta`.
 */
export const SHOP = `
openapi: 3.0.3
info: {title: Shop, version: 1.0.0}
security: [{key: []}]
paths:
  /items:
    get:
      parameters: [{name: page, in: query, schema: {type: integer}}, {name: kind, in: query, schema: {type: string}}]
      responses: {"200": {$ref: "#/components/responses/Items"}}
    post:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Item"}}}}
      responses:
        "201": {description: Created, content: {application/json: {schema: {$ref: "#/components/schemas/Item"}}}}
  /items/{id}:
    get:
      responses:
        "200":
          description: An item
          content:
            application/json: {example: {id: 0}, schema: {$ref: "#/components/schemas/Item"}}
            application/xml: {schema: {$ref: "#/components/schemas/Item"}}
        "404": {$ref: "#/components/responses/Problem"}
    delete: {responses: {"204": {description: Deleted}}}
  /login:
    post:
      requestBody: {content: {application/json: {}, application/x-www-form-urlencoded: {schema: {type: object}}}}
      responses: {"200": {description: A session, content: {application/json: {schema: {type: object}}}}}
  /users/{name}: {get: {responses: {default: {description: A user, content: {application/json: {}}}}}}
  /config: {get: {responses: {"200": {description: Settings, content: {text/plain: {}, application/json: {}}}}}}
  /events: {get: {responses: {"200": {description: Events, content: {text/event-stream: {}}}}}}
components:
  securitySchemes: {key: {type: apiKey, in: header, name: X-Shop-Access}}
  responses:
    Items: {description: Items, content: {application/json: {schema: {type: object}}}}
    Problem: {description: Problem, content: {application/problem+json: {schema: {type: object}}}}
  schemas:
    Item: {type: object, properties: {id: {type: integer}, name: {type: string}, code: {type: string, format: password}}}
`;

/** Secrets, by the place in which the shop or its clients send them. */
export type Secrets = Record<
  | "accessHeader"
  | "bearer"
  | "basicPassword"
  | "cookie"
  | "setCookie"
  | "loginPassword"
  | "formPassword"
  | "sessionToken"
  | "echoedToken"
  | "queryKey"
  | "formatPassword"
  | "environment"
  | "stripe"
  | "github"
  | "aws"
  | "jwt"
  | "privateKey"
  | "urlPassword"
  | "xmlSecret"
  | "streamToken",
  string
>;

/**
 * Makes the twenty secrets. Each is assembled from parts, so that tools that search for secrets find none in this file.
 */
export function planSecrets(): Secrets {
  const random = (seed: number): string => ((seed * 2654435761) >>> 0).toString(36) + (seed * 40503 + 977).toString(36);
  return {
    accessHeader: `shop-access-${random(1)}`,
    bearer: `opaque.${random(2)}`,
    basicPassword: `pass/${random(3)}&"x"`,
    cookie: `visitor-${random(4)}`,
    setCookie: `sess-${random(5)}`,
    loginPassword: `hunter2 ${random(6)}`,
    formPassword: `fürm+${random(7)}`,
    sessionToken: `tok-${random(8)}`,
    echoedToken: `echo-${random(9)}`,
    queryKey: `query-${random(10)}`,
    formatPassword: `locker-${random(11)}`,
    environment: `env-${random(12)}`,
    stripe: `sk_live_${random(13)}${random(14)}`,
    github: `ghp_${random(15)}${random(16)}abcd`,
    aws: `AKIA${"Q7".repeat(8)}`,
    jwt: ["eyJhbGciOiJIUzI1NiJ9", btoa(`{"sub":"${random(17)}"}`).replace(/=+$/, ""), random(18)].join("."),
    privateKey: `MIIEpAIBAAKCAQEA${random(19)}`,
    urlPassword: `db-${random(20)}`,
    xmlSecret: `xml-${random(21)}`,
    streamToken: `stream-${random(22)}`,
  };
}

const KINDS = ["tool", "toy", "book", "tea"];

/** A thousand requests, of which 20 have a secret in the request or in the response. */
export function shopRequests(secrets: Secrets): ({ target: string } & RequestInit)[] {
  const json = { "content-type": "application/json" };
  const requests: ({ target: string } & RequestInit)[] = [];
  for (let index = 0; index < 1000; index++) {
    const id = index % 90;
    switch (index % 10) {
      case 0:
        requests.push({ target: `/items?page=${index % 30}` });
        break;
      case 1:
        requests.push({ target: `/items?kind=${KINDS[index % 4]}&page=${index % 8}` });
        break;
      case 2:
        requests.push({
          target: `/items/${500 + id}`,
          headers: { accept: "application/json, application/problem+json" },
        });
        break;
      case 3:
        requests.push({ target: `/items/${id}`, headers: { accept: "application/xml" } });
        break;
      case 4:
        requests.push({ target: "/items", method: "POST", headers: json, body: JSON.stringify({ name: `New ${id}` }) });
        break;
      case 5:
        requests.push({ target: "/items", method: "POST", headers: json, body: JSON.stringify({ price: id }) });
        break;
      case 6:
        requests.push({ target: `/items/${id}`, method: "DELETE" });
        break;
      default:
        requests.push({ target: `/items/${id}` });
    }
  }
  const secret: ({ target: string } & RequestInit)[] = [
    { target: "/config", headers: { "x-shop-access": secrets.accessHeader, accept: "application/json" } },
    { target: "/config", headers: { authorization: `Bearer ${secrets.bearer}`, accept: "text/plain" } },
    { target: "/users/ada", headers: { authorization: `Basic ${btoa(`ada:${secrets.basicPassword}`)}` } },
    { target: "/users/eve", headers: { cookie: `theme=dark; visitor=${secrets.cookie}` } },
    { target: "/login", method: "POST", headers: json, body: JSON.stringify({ password: secrets.loginPassword }) },
    {
      target: "/login",
      method: "POST",
      body: new URLSearchParams({ password: secrets.formPassword }).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    },
    { target: `/users/max?api_key=${secrets.queryKey}` },
    { target: "/events" },
    { target: "/items/7", headers: { "x-shop-access": secrets.accessHeader } },
    { target: "/items/13", headers: { accept: "application/xml", "x-shop-access": secrets.accessHeader } },
  ];
  // Spread the requests with secrets over the others. A response may thus contain a secret before a client sends it as
  // a credential.
  for (const [index, request] of [...secret, ...secret].entries()) {
    requests[index * 47 + 5] = request;
  }
  return requests;
}

export function startShop(secrets: Secrets): { url: string } & AsyncDisposable {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const answer = await answerOf(request, secrets);
    answer.headers.append("set-cookie", `sid=${secrets.setCookie}; Path=/; HttpOnly`);
    return answer;
  });
  return { url: `http://127.0.0.1:${server.addr.port}`, [Symbol.asyncDispose]: () => server.shutdown() };
}

async function answerOf(request: Request, secrets: Secrets): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const [, first, rest = ""] = pathname.split("/");
  switch (`${request.method} /${first}`) {
    case "GET /items":
      return rest === "" ? listItems(searchParams) : findItem(Number(rest), request, secrets);
    case "POST /items": {
      const { name, price } = await request.json();
      if (name === undefined) return Response.json({ error: `no name for ${price}` }, { status: 400 });
      return Response.json({ id: 1000 + name.length, name }, { status: 201 });
    }
    case "DELETE /items":
      return new Response(null, { status: 204 });
    case "POST /login":
      return Response.json({
        token: secrets.sessionToken,
        hint: `sent ${await request.text()}`,
        next: `/s/${secrets.sessionToken}`,
      });
    case "GET /users":
      return Response.json({
        name: rest,
        seen: [request.headers.get("authorization"), request.headers.get("cookie"), request.url],
        decoded: atob((request.headers.get("authorization") ?? "").split(" ")[1] ?? ""),
        sessionId: secrets.setCookie,
        avatar: `https://cdn.example.com/?access_token=${secrets.echoedToken}`,
        notes: [`pushed with ${secrets.github}`, `paid with ${secrets.stripe}`],
      });
    case "GET /config":
      return configOf(request, secrets);
    case "GET /events":
      return new Response(
        `event: login\ndata: ${JSON.stringify({ token: secrets.streamToken, id: 1 })}\n\ndata: ${secrets.jwt}\n\n`,
        {
          headers: { "content-type": "text/event-stream" },
        },
      );
    default:
      return Response.json({ error: "no such page" }, { status: 404 });
  }
}

function listItems(query: URLSearchParams): Response {
  const page = Number(query.get("page"));
  const items = Array.from({ length: 5 }, (_, index) => itemOf(page * 5 + index));
  return Response.json({ items, kind: query.get("kind"), next: `/items?page=${page + 1}` });
}

function findItem(id: number, request: Request, secrets: Secrets): Response {
  if (id >= 500) {
    return Response.json({ title: `No item ${id}` }, {
      status: 404,
      headers: { "content-type": "application/problem+json" },
    });
  }
  const isOwner = request.headers.has("x-shop-access");
  if (request.headers.get("accept") === "application/xml") {
    const secret = isOwner ? `<secret>${secrets.xmlSecret}</secret>` : "";
    return new Response(`<item><id>${id}</id><name>Item ${id}</name>${secret}</item>`, {
      headers: { "content-type": "application/xml" },
    });
  }
  return Response.json({ ...itemOf(id), ...isOwner ? { code: secrets.formatPassword } : {} });
}

function itemOf(id: number): Record<string, unknown> {
  return { id, name: `Item ${id}`, price: id * 3, tags: id % 3 === 0 ? [] : ["new"], kind: KINDS[id % 4] };
}

function configOf(request: Request, secrets: Secrets): Response {
  const pem = (kind: string): string => `-----${kind} RSA PRIVATE ${"KEY"}-----`;
  if (request.headers.get("accept") === "text/plain") {
    return new Response(
      `database=postgres://shop:${secrets.urlPassword}@db/shop\nseen=${request.headers.get("authorization")}\n`,
      {
        headers: { "content-type": "text/plain" },
      },
    );
  }
  return Response.json({
    env: [{ name: "SMTP_PASSWORD", value: secrets.environment }, { name: "HOST", value: "db" }],
    aws: { access: secrets.aws },
    tls: `${pem("BEGIN")}\n${secrets.privateKey}\n${pem("END")}\n`,
    greeting: `Hello ${request.headers.get("x-shop-access")}`,
  });
}
