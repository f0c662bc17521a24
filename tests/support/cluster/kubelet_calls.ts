/**
 * What a kubelet asks of its API server, and so may a node that stands in its place.
 *
 * @module
 */

// deno-lint-ignore-file no-console -- the list of calls is for whoever reads the log

import { deepStrictEqual, ok } from "node:assert/strict";
import { type AuditedCall, countAudited } from "./audit_log.ts";
import type { Cluster } from "./cluster.ts";

/** Of each kind of object what is done with it, as `system:node` and the Node authorizer allow it. */
const KUBELET_CALLS: Readonly<Record<string, readonly string[]>> = {
  "nodes": ["create", "get", "list", "watch", "patch"],
  "nodes/status": ["patch"],
  "leases.coordination.k8s.io": ["create", "get", "update"],
  "pods": ["create", "delete", "get", "list", "watch"],
  "pods/status": ["patch"],
  "configmaps": ["get", "list", "watch"],
  "secrets": ["get", "list", "watch"],
  "services": ["list", "watch"],
  "runtimeclasses.node.k8s.io": ["list", "watch"],
  "serviceaccounts/token": ["create"],
  "events": ["create", "patch"],
  "events.events.k8s.io": ["create", "patch"],
  "persistentvolumeclaims": ["get"],
  "persistentvolumes": ["get"],
  "certificatesigningrequests.certificates.k8s.io": [
    ...["create", "get", "list", "watch"],
  ],
};

/** Those that no kubelet makes, each once. */
export function foreignCalls(calls: readonly AuditedCall[]): readonly string[] {
  const foreign = calls
    .filter(({ verb, resource }) => !KUBELET_CALLS[resource]?.includes(verb))
    .map(({ verb, resource }) => `${verb} ${resource}`);
  return [...new Set(foreign)].sort();
}

/** Those that were refused for want of a right, each once. */
export function forbiddenCalls(
  calls: readonly AuditedCall[],
): readonly string[] {
  const refused = calls.filter(({ code }) => code === 401 || code === 403)
    .map(({ verb, uri }) => `${verb} ${uri}`);
  return [...new Set(refused)].sort();
}

/** Lists what the nodes of a cluster have asked for, and checks that a kubelet may and does. */
export async function onlyKubeletCalls(
  cluster: Pick<Cluster, "calls">,
): Promise<void> {
  const calls = (await cluster.calls()).filter(({ user }) =>
    user.startsWith("system:node:")
  );
  ok(calls.length > 0);
  for (const [what, count] of countAudited(calls)) {
    console.log(`${String(count).padStart(6)} ${what}`);
  }
  deepStrictEqual(foreignCalls(calls), []);
  deepStrictEqual(forbiddenCalls(calls), []);
}
