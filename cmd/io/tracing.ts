/** Names the span of the request that is being answered after its operation. */
export type NameSpan = (operation: string) => void;

/**
 * Makes what names spans, where Deno traces (`OTEL_DENO=true`); Deno itself begins a span for each request of a server
 * and sends them out.
 *
 * @see {@link https://docs.deno.com/runtime/fundamentals/open_telemetry/ Deno, OpenTelemetry}
 */
export async function createSpanNamer(env: (name: string) => string | undefined): Promise<NameSpan | undefined> {
  if (!/^(1|true)$/.test(env("OTEL_DENO") ?? "")) return undefined;
  const { trace } = await import("@opentelemetry/api");
  return (operation) => {
    const span = trace.getActiveSpan();
    if (span === undefined || operation === "") return;
    span.updateName(operation);
    span.setAttribute("http.route", operation);
  };
}
