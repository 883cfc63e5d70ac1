import { bare } from "./candidates.ts";
import { type Server, startServer } from "./server.ts";

/** A request to which a server and its baseline give the same answer. */
export interface SameRequest {
  path: string;
  headers?: readonly [string, string][];
  /** A JSON body, which is sent by POST, and which the bare server parses too. Default: none. */
  body?: string;
}

/**
 * Starts a bare `Deno.serve` that sends the bytes and headers that another server answers.
 *
 * @param folder Folder for the file with the bytes.
 * @throws {Error} If the headers of the two servers differ.
 */
export async function startSame(
  server: Server,
  { path, headers = [], body }: SameRequest,
  folder: string,
): Promise<Server> {
  const ask = (port: number): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      headers: [...headers],
      redirect: "manual",
      ...(body === undefined ? {} : { method: "POST", body }),
    });
  const model = await ask(server.port);
  if (!model.ok) throw new Error(`${path} answers ${model.status}: ${await model.text()}`);
  const bodyFile = await Deno.makeTempFile({ dir: folder });
  await Deno.writeFile(bodyFile, await model.bytes());
  // Leaves out the two headers that Deno.serve adds itself.
  const own = [...model.headers].filter(([name]) => name !== "date" && name !== "content-length");
  const baseline = await startServer(bare(bodyFile, own, body === undefined ? undefined : "json"));
  const same = await ask(baseline.port);
  await same.body?.cancel();
  const names = (response: Response): string => [...response.headers.keys()].sort().join(", ");
  if (names(same) !== names(model)) throw new Error(`Headers differ: ${names(model)}; bare: ${names(same)}`);
  return baseline;
}
