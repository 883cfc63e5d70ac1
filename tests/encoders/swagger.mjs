// Sends the values of standard input with the encoder of Swagger UI: swagger-client.
import { readFileSync } from "node:fs";

const { default: SwaggerClient } = await import(process.argv[2]);
const statuses = [];
for (const { url, parameter, value } of JSON.parse(readFileSync(0, "utf8"))) {
  const spec = {
    openapi: "3.0.3",
    info: { title: "Encoders", version: "1" },
    servers: [{ url }],
    paths: {
      [parameter.in === "path" ? "/{p}" : "/"]: { get: { operationId: "o", parameters: [parameter], responses: {} } },
    },
  };
  const request = SwaggerClient.buildRequest({ spec, operationId: "o", parameters: { p: value } });
  const target = parameter.in === "path" ? request.url : request.url.replace(/\/(?=\?|$)/, "");
  statuses.push((await fetch(target, { headers: request.headers })).status);
}
process.stdout.write(JSON.stringify(statuses));
