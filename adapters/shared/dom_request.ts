/**
 * Requests of programs in a test environment with a DOM, as the Fetch API of Node.js takes them: that knows no page whose
 * URL others are relative to, and takes neither the `AbortSignal` nor the `FormData`, `Blob` and `URLSearchParams` of
 * jsdom.
 *
 * @module
 */

/** Makes the request of a call of `fetch`, without its signal. */
export async function domRequest(input: Request | URL | string, init: RequestInit = {}): Promise<Request> {
  const { signal: _, body, headers, ...rest } = init;
  const target = input instanceof Request ? input : absoluteUrl(input);
  if (body === undefined || body === null) {
    return new Request(target, headers === undefined ? rest : { ...rest, headers });
  }
  const { content, type } = await readBody(body);
  const written = new Headers(headers ?? (input instanceof Request ? input.headers : {}));
  if (type !== undefined && !written.has("content-type")) written.set("content-type", type);
  return new Request(target, { ...rest, headers: written, body: content });
}

/** Whether the environment has a DOM. */
export function hasDom(): boolean {
  return page() !== undefined;
}

/** A URL that may be relative to the page's, as an absolute URL. */
export function absoluteUrl(url: string | URL): string {
  return new URL(url, page()?.baseURI).href;
}

function page(): { readonly baseURI: string } | undefined {
  return Reflect.get(globalThis, "document");
}

/** A body that every `Request` takes. */
interface Body {
  readonly content: BodyInit;
  /** The media type, unless `Request` knows it. */
  readonly type?: string;
}

async function readBody(body: BodyInit): Promise<Body> {
  if (body instanceof FormData) return await writeForm(body);
  if (body instanceof URLSearchParams) {
    return { content: String(body), type: "application/x-www-form-urlencoded;charset=UTF-8" };
  }
  if (!(body instanceof Blob)) return { content: body };
  return { content: await bytesOf(body), ...(body.type === "" ? {} : { type: body.type }) };
}

/** Writes a form as `multipart/form-data`: https://html.spec.whatwg.org/#multipart-form-data */
async function writeForm(form: FormData): Promise<Body> {
  // jsdom 20, which is that of Jest 29, has no `crypto.randomUUID`.
  const boundary = `----form-${[...crypto.getRandomValues(new Uint8Array(16))].join("")}`;
  const parts: (string | ArrayBuffer)[] = [];
  for (const [name, value] of form) {
    const disposition = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"`;
    if (typeof value === "string") {
      parts.push(`${disposition}\r\n\r\n${value.replaceAll(/\r\n?|\n/g, "\r\n")}\r\n`);
    } else {
      const type = value.type === "" ? "application/octet-stream" : value.type;
      parts.push(`${disposition}; filename="${escapeName(value.name)}"\r\nContent-Type: ${type}\r\n\r\n`);
      parts.push(await bytesOf(value), "\r\n");
    }
  }
  parts.push(`--${boundary}--\r\n`);
  return { content: joined(parts), type: `multipart/form-data; boundary=${boundary}` };
}

function escapeName(name: string): string {
  return name.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22");
}

function joined(parts: readonly (string | ArrayBuffer)[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const chunks = parts.map((part) => typeof part === "string" ? encoder.encode(part) : new Uint8Array(part));
  const bytes = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let length = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, length);
    length += chunk.length;
  }
  return bytes;
}

/** The bytes of a blob. Those of jsdom 26 have no method `arrayBuffer`. */
async function bytesOf(blob: Blob): Promise<ArrayBuffer> {
  if (typeof blob.arrayBuffer === "function") return await blob.arrayBuffer();
  const reader = new FileReader();
  await new Promise((resolve) => {
    reader.addEventListener("loadend", resolve);
    reader.readAsArrayBuffer(blob);
  });
  // `readAsArrayBuffer` has no other result.
  return reader.result as ArrayBuffer;
}
