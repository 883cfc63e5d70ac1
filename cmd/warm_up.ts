import type { checkDeployment } from "../lib/gateway/check_deployment.ts";
import { parseDocument } from "../lib/openapi/document.ts";

/** The versions that nearly all definitions have; each has a schema of its own. */
const VERSIONS = ["3.0.3", "3.1.0"];

/**
 * Does once what a deployment needs and what takes time the first time only: loading the code that checks definitions,
 * and getting the schemas of OpenAPI ready. Somebody who deploys right after the start doesn't wait for it then.
 *
 * @param check What will check them.
 */
export async function warmUp(check: typeof checkDeployment): Promise<void> {
  for (const version of VERSIONS) {
    const document = await parseDocument(JSON.stringify({
      openapi: version,
      info: { title: "Warm-up", version: "1.0.0" },
      "x-svc": { mocking: { enabled: true } },
      paths: {
        "/": {
          get: {
            responses: {
              200: {
                description: "",
                content: { "application/json": { schema: { type: "object" }, example: {} } },
              },
            },
          },
        },
      },
    }));
    await check(document);
  }
}
