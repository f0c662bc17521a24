/**
 * Labels that a node may not give itself.
 *
 * @module
 */

import { match, ok, strictEqual } from "node:assert/strict";
import { nodeLabelFaults } from "../../../mod/config/cluster_settings.ts";
import { parseRunArguments } from "../../../mod/config/run_arguments.ts";
import { fakeIo } from "../../support/config/config_io.ts";

for (
  const [key, isFault] of [
    ["site", false],
    ["example.com/site", false],
    ["mykubernetes.io/site", false],
    ["kubernetes.io", false],
    ["kubernetes.io/hostname", false],
    ["topology.kubernetes.io/zone", false],
    ["topology.kubernetes.io/rack", true],
    ["kubernetes.io/role", true],
    ["node-role.kubernetes.io/edge", true],
    ["node-restriction.kubernetes.io/site", true],
    ["k8s.io/site", true],
    ["x.k8s.io/site", true],
    ["node.kubernetes.io/site", false],
    ["x.node.kubernetes.io/site", false],
    ["kubelet.kubernetes.io/site", false],
    ["xnode.kubernetes.io/site", true],
  ] as const
) {
  Deno.test(`a node ${isFault ? "may not have" : "may have"} a label ${key} of its own accord`, () => {
    const faults = nodeLabelFaults({ [key]: "x" });
    strictEqual(faults.length, isFault ? 1 : 0);
    if (isFault) ok(faults[0]?.includes(`found "${key}"`));
  });
}

const KUBECONFIG = `
apiVersion: v1
kind: Config
current-context: edge
contexts: [{name: edge, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://192.0.2.1:6443"}}]
users: [{name: u, user: {token: t}}]
`;

Deno.test("labels that a cluster would refuse are a fault where there is one, and nobody's business elsewhere", async () => {
  const labels = "--node-labels=node-role.kubernetes.io/edge=";
  const io = fakeIo({ "/here/kube.conf": KUBECONFIG });
  const alone = await parseRunArguments([labels], io);
  strictEqual(alone.kind, "ok");
  const joined = await parseRunArguments(
    ["--kubeconfig=kube.conf", labels],
    io,
  );
  ok(joined.kind === "refused");
  match(joined.faults.join(), /^Cannot use --node-labels: found "node-role/);
});
