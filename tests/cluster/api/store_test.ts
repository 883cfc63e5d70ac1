import { createKubernetesStore } from "../../../cmd/cluster/kubernetes_store.ts";
import { testStore } from "../../lib/management/store_contract.ts";
import { startApiServer } from "../support/api_server.ts";
import { createVirtualCluster } from "../support/virtual_cluster.ts";

testStore("the Kubernetes store", async (test) => {
  await using api = await startApiServer();
  await using cluster = await createVirtualCluster(api);
  await test(createKubernetesStore(cluster));
  // The creation time is from the API server's clock, in whole seconds.
}, { created: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/ });
