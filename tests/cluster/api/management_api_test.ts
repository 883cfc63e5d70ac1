import { createKubernetesStore } from "../../../cmd/cluster/kubernetes_store.ts";
import { testManagementApi } from "../../lib/management/api_contract.ts";
import { startApiServer } from "../support/api_server.ts";
import { createVirtualCluster } from "../support/virtual_cluster.ts";

testManagementApi("the management API on the Kubernetes store", async (test) => {
  await using api = await startApiServer();
  await using cluster = await createVirtualCluster(api);
  await test(createKubernetesStore(cluster));
});
