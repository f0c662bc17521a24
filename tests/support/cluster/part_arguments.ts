/**
 * How the parts of a cluster are started: small, quick, on loopback only, and as strict
 * with a node as kubeadm makes them.
 *
 * @module
 */

import type { ClusterKeys } from "./cluster_keys.ts";

/** Where the parts of one cluster listen. */
export interface ClusterPorts {
  readonly etcd: number;
  readonly etcdPeer: number;
  readonly server: number;
}

/** The arguments of etcd, which forgets all when the machine's power is cut. */
export function etcdArguments(
  ports: ClusterPorts,
  directory: string,
): readonly string[] {
  const client = `http://127.0.0.1:${ports.etcd}`;
  const peer = `http://127.0.0.1:${ports.etcdPeer}`;
  return flags({
    "data-dir": directory,
    "listen-client-urls": client,
    "advertise-client-urls": client,
    "listen-peer-urls": peer,
    "initial-advertise-peer-urls": peer,
    "initial-cluster": `default=${peer}`,
    "unsafe-no-fsync": "true",
    "log-level": "warn",
  });
}

/** The arguments of the API server. */
export function serverArguments(
  ports: ClusterPorts,
  { keys: { paths }, audit }: {
    readonly keys: ClusterKeys;
    readonly audit: { readonly policy: string; readonly log: string };
  },
): readonly string[] {
  return flags({
    "audit-policy-file": audit.policy,
    "audit-log-path": audit.log,
    // A call is in the log when its answer has come.
    "audit-log-mode": "blocking",
    "etcd-servers": `http://127.0.0.1:${ports.etcd}`,
    "bind-address": "127.0.0.1",
    // Without it, it looks for an address that others reach.
    "advertise-address": "127.0.0.1",
    "secure-port": `${ports.server}`,
    "tls-cert-file": paths.serverCert,
    "tls-private-key-file": paths.serverKey,
    "client-ca-file": paths.ca,
    "kubelet-client-certificate": paths.toNodeCert,
    "kubelet-client-key": paths.toNodeKey,
    "kubelet-preferred-address-types": "InternalIP,Hostname",
    "service-account-issuer": "https://kubernetes.default.svc.cluster.local",
    "service-account-key-file": paths.tokenPublicKey,
    "service-account-signing-key-file": paths.tokenKey,
    "service-cluster-ip-range": "10.96.0.0/24",
    "authorization-mode": "Node,RBAC",
    "enable-admission-plugins": "NodeRestriction",
    "enable-bootstrap-token-auth": "true",
    "allow-privileged": "true",
    // The others would write the loopback address into the endpoints, which is refused.
    "endpoint-reconciler-type": "none",
    "profiling": "false",
    ...SMALL_SERVER,
  });
}

// What a cluster of a few objects does not need. The cache itself stays: watches and lists
// behave otherwise without it.
const SMALL_SERVER = {
  "default-watch-cache-size": "20",
  "delete-collection-workers": "1",
  "etcd-compaction-interval": "0",
  "etcd-count-metric-poll-period": "0",
  "etcd-db-metric-poll-interval": "0",
};

/** What the stories of the tests need of the some fifty controllers. */
const CONTROLLERS = [
  "certificatesigningrequest-approving-controller",
  "certificatesigningrequest-signing-controller",
  "clusterrole-aggregation-controller",
  "cronjob-controller",
  "daemonset-controller",
  "deployment-controller",
  "disruption-controller",
  "endpointslice-controller",
  "ephemeral-volume-controller",
  "garbage-collector-controller",
  "job-controller",
  "namespace-controller",
  "node-lifecycle-controller",
  "persistentvolume-binder-controller",
  "persistentvolume-protection-controller",
  "persistentvolumeclaim-protection-controller",
  "pod-garbage-collector-controller",
  "replicaset-controller",
  "replicationcontroller-controller",
  "root-ca-certificate-publisher-controller",
  "serviceaccount-controller",
  "statefulset-controller",
  "taint-eviction-controller",
  "ttl-after-finished-controller",
];

/** The arguments of the controller manager, which serves nothing. */
export function managerArguments(
  kubeconfigPath: string,
  { paths }: ClusterKeys,
  controllers: readonly string[] = CONTROLLERS,
): readonly string[] {
  return flags({
    kubeconfig: kubeconfigPath,
    controllers: controllers.join(","),
    "leader-elect": "false",
    "secure-port": "0",
    "root-ca-file": paths.ca,
    "service-account-private-key-file": paths.tokenKey,
    "cluster-signing-cert-file": paths.ca,
    "cluster-signing-key-file": paths.caKey,
    profiling: "false",
  });
}

/** The arguments of the scheduler, which serves nothing. */
export function schedulerArguments(kubeconfigPath: string): readonly string[] {
  return flags({
    kubeconfig: kubeconfigPath,
    "leader-elect": "false",
    "secure-port": "0",
    profiling: "false",
  });
}

function flags(values: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`);
}
