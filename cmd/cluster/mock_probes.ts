import { splitTarget } from "../../lib/http/url.ts";
import { problemResponse } from "../../lib/http/problem.ts";
import type { FleetHandler } from "../io/data_plane.ts";
import type { Metrics } from "../io/telemetry.ts";

/** What is answered beside checks. */
export interface ProbeOptions {
  /** Why requests had better go to another replica; `undefined` when this one is ready. */
  notReady: () => string | undefined;
  metrics: Pick<Metrics, "text">;
  /** Answers the checks, which is everything else. */
  checks: FleetHandler;
}

/** Makes the handler of the port that is the cluster's own: probes, metrics, and the checks of requests. */
export function createProbeHandler({ notReady, metrics, checks }: ProbeOptions): FleetHandler {
  return (request, info) => {
    switch (splitTarget(request.url).path) {
      case "/healthz":
        return new Response("ok\n");
      case "/readyz":
        return readiness(notReady());
      case "/metrics":
        return metrics.text().then(({ mediaType, text }) =>
          new Response(text, { headers: { "content-type": mediaType } })
        );
      default:
        return checks(request, info);
    }
  };
}

function readiness(reason: string | undefined): Response {
  if (reason === undefined) return new Response("ok\n");
  return problemResponse({ title: "Service Unavailable", status: 503, detail: reason }, [["retry-after", "1"]]);
}
