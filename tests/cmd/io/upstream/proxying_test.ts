import { createUpstreamClient } from "../../../../cmd/io/upstream/client.ts";
import { testProxying } from "../../../lib/gateway/embedded/proxy_cases.ts";

testProxying("the gateway's client", () => createUpstreamClient(() => undefined));
