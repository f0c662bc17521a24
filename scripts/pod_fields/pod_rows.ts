/**
 * Rows of the pod itself, its metadata and its spec.
 *
 * @module
 */

import {
  container,
  done,
  init,
  notApplicable,
  pod,
  refused,
  shownBy,
  type TypeRows,
  volume,
} from "./row.ts";

const BY_SERVER =
  "written by an API server; left out, so that what kubectl prints can be used";
const NO_SCHEDULER =
  "a scheduler's business; a pod from a file is on its node already";
const SERVICE_ACCOUNT =
  "Forbidden: static pods may not reference a service account: there is no API server to ask";
const BY_REMOVAL =
  "Forbidden: what is in a file is deleted by removing it from the file";
const NO_EFFECT = "Forbidden: has no effect on what is in a file; remove it";

/** The document. */
export const POD: TypeRows = {
  apiVersion: done("identity", "`v1`", pod(), "v2"),
  kind: done("identity", "`Pod`", pod(), "Deployment"),
  metadata: done("identity", "names the pod", pod()),
  spec: done("container", "what runs", pod(), {
    containers: [{ name: "d", image: "localhost/app:1" }],
  }),
  status: notApplicable(BY_SERVER, { ...pod(), status: { phase: "Failed" } }),
};

/** What names and describes the pod. */
export const OBJECT_META: TypeRows = {
  annotations: done(
    "sandbox",
    "handed to the runtime; `kubernetes.io/config.*` are the agent's own and refused",
    pod({}, { annotations: { "example.com/a": "b" } }),
  ),
  creationTimestamp: notApplicable(
    BY_SERVER,
    pod({}, { creationTimestamp: "2026-01-02T03:04:05Z" }),
  ),
  deletionGracePeriodSeconds: refused(
    BY_REMOVAL,
    pod({}, { deletionGracePeriodSeconds: 3 }),
  ),
  deletionTimestamp: refused(
    BY_REMOVAL,
    pod({}, { deletionTimestamp: "2026-01-02T03:04:05Z" }),
  ),
  finalizers: refused(NO_EFFECT, pod({}, { finalizers: ["example.com/f"] })),
  generateName: notApplicable(
    "`name` counts; a pod without one is refused",
    pod({}, { generateName: "web-" }),
  ),
  generation: notApplicable(BY_SERVER, pod({}, { generation: 3 })),
  labels: done(
    "sandbox",
    "handed to the runtime",
    pod({}, { labels: { app: "web" } }),
  ),
  managedFields: notApplicable(BY_SERVER, pod({}, { managedFields: [] })),
  name: done(
    "identity",
    "the node's name is appended, as the kubelet does",
    pod(),
    "other",
  ),
  namespace: done("identity", "`default` if absent", pod()),
  ownerReferences: refused(
    NO_EFFECT,
    pod({}, {
      ownerReferences: [{
        apiVersion: "v1",
        kind: "Node",
        name: "n",
        uid: "u",
      }],
    }),
  ),
  resourceVersion: notApplicable(BY_SERVER, pod({}, { resourceVersion: "7" })),
  selfLink: notApplicable(BY_SERVER, pod({}, { selfLink: "/x" })),
  uid: done(
    "identity",
    "1 to 64 letters, digits and `-`; if absent, made from node, path and content. A pod with one is changed in place; once it has ended it stays so until the file has been away",
    pod({}, { uid: "u-1" }),
  ),
};

const NODE_AFFINITY = {
  requiredDuringSchedulingIgnoredDuringExecution: {
    nodeSelectorTerms: [{
      matchExpressions: [{ key: "zone", operator: "In", values: ["far"] }],
    }],
  },
};

/** The pod as a whole. */
export const POD_SPEC: TypeRows = {
  activeDeadlineSeconds: done(
    "status",
    "after so many seconds the pod is ended, Failed with DeadlineExceeded",
    pod({ activeDeadlineSeconds: 5 }),
  ),
  affinity: done(
    "admission",
    "the required node affinity counts",
    pod({ affinity: { nodeAffinity: NODE_AFFINITY } }),
  ),
  automountServiceAccountToken: notApplicable(
    "there are no service accounts without an API server",
    pod({ automountServiceAccountToken: true }),
  ),
  containers: done("container", "", pod(), [
    { name: "other", image: "localhost/app:1" },
  ]),
  dnsConfig: done(
    "sandbox",
    "",
    pod({ dnsConfig: { nameservers: ["192.0.2.53"] } }),
  ),
  dnsPolicy: done("sandbox", "", pod({ dnsPolicy: "Default" })),
  enableServiceLinks: done(
    "container",
    "the variables of a Service lead to a pod itself, since there is no proxy",
    pod({ enableServiceLinks: false }),
  ),
  ephemeralContainers: refused(
    "Forbidden: cannot be set when a pod is created",
    pod({ ephemeralContainers: [{ name: "e", image: "localhost/app:1" }] }),
  ),
  hostAliases: done(
    "hosts file",
    "",
    pod({ hostAliases: [{ ip: "192.0.2.9", hostnames: ["db"] }] }),
  ),
  hostIPC: done("sandbox", "", pod({ hostIPC: true })),
  hostNetwork: done("sandbox", "", pod({ hostNetwork: true })),
  hostPID: done("sandbox", "", pod({ hostPID: true })),
  hostUsers: done(
    "sandbox",
    "`false` is refused when the runtime has no user namespaces",
    pod({ hostUsers: false }),
  ),
  hostname: done("sandbox", "", pod({ hostname: "h" })),
  hostnameOverride: done("sandbox", "", pod({ hostnameOverride: "h.example" })),
  imagePullSecrets: done(
    shownBy(
      "tests/component/agent/image_credentials_test.ts",
      "Agent pulls with the login of a Secret that the pod names",
    ),
    "tried before the node's own credentials",
    pod({ imagePullSecrets: [{ name: "s" }] }),
  ),
  initContainers: done(
    "plan",
    "ordinary ones one after the other, sidecars (`restartPolicy: Always`) beside the others",
    init({}),
  ),
  nodeName: notApplicable(
    "a pod from a file runs on the node that reads it",
    pod({ nodeName: "far" }),
  ),
  nodeSelector: done("admission", "", pod({ nodeSelector: { zone: "far" } })),
  os: done("admission", "", pod({ os: { name: "windows" } })),
  overhead: done(
    "sandbox",
    "",
    pod({ overhead: { cpu: "100m", memory: "64Mi" } }),
  ),
  preemptionPolicy: notApplicable(
    "no pod is ended to make room for another",
    pod({ preemptionPolicy: "Never" }),
  ),
  priority: done(
    "container",
    "from 2000000000 on the pod is critical: not evicted, and with `system-node-critical` protected from the OOM killer",
    pod({ priority: 2_000_001_000, priorityClassName: "system-node-critical" }),
  ),
  priorityClassName: done(
    "container",
    "there are no PriorityClasses; only the name `system-node-critical` of a critical pod counts",
    pod({ priority: 2_000_001_000, priorityClassName: "system-node-critical" }),
  ),
  readinessGates: done(
    "status",
    "nothing sets their conditions, so such a pod is never ready",
    pod({ readinessGates: [{ conditionType: "example.com/g" }] }),
  ),
  resourceClaims: refused(
    "Forbidden: static pods may not reference resource claims: there is no API server to ask",
    pod({ resourceClaims: [{ name: "gpu", resourceClaimName: "g" }] }),
  ),
  resources: done(
    "sandbox",
    "limits and requests of the pod as a whole; with `--host-view` its cgroup keeps them, too",
    pod({ resources: { limits: { cpu: "1", memory: "1Gi" } } }),
  ),
  restartPolicy: done("plan", "", pod({ restartPolicy: "Never" })),
  runtimeClassName: done(
    "sandbox",
    "the handler of the RuntimeClass document of that name, else the runtime's handler of that name",
    pod({ runtimeClassName: "kata" }),
  ),
  schedulerName: notApplicable(NO_SCHEDULER, pod({ schedulerName: "mine" })),
  schedulingGates: refused(
    "Forbidden: a pod from a file is on its node already; nothing would clear the gates",
    pod({ schedulingGates: [{ name: "example.com/g" }] }),
  ),
  schedulingGroup: notApplicable(
    NO_SCHEDULER,
    pod({ schedulingGroup: { podGroupName: "g" } }),
  ),
  securityContext: done(
    "sandbox",
    "",
    pod({ securityContext: { runAsUser: 7 } }),
  ),
  serviceAccount: refused(SERVICE_ACCOUNT, pod({ serviceAccount: "sa" })),
  serviceAccountName: refused(
    SERVICE_ACCOUNT,
    pod({ serviceAccountName: "sa" }),
  ),
  setHostnameAsFQDN: done(
    "sandbox",
    "",
    pod({ setHostnameAsFQDN: true, subdomain: "s" }),
  ),
  shareProcessNamespace: done(
    "sandbox",
    "",
    pod({ shareProcessNamespace: true }),
  ),
  subdomain: done("hosts file", "", pod({ subdomain: "s" })),
  terminationGracePeriodSeconds: done(
    "stop",
    "",
    pod({ terminationGracePeriodSeconds: 7 }),
  ),
  tolerations: notApplicable(
    "taints of a cluster's node keep its own pods away, if their effect is NoExecute",
    pod({ tolerations: [{ key: "k", operator: "Exists" }] }),
  ),
  topologySpreadConstraints: notApplicable(
    NO_SCHEDULER,
    pod({
      topologySpreadConstraints: [{
        maxSkew: 1,
        topologyKey: "zone",
        whenUnsatisfiable: "DoNotSchedule",
      }],
    }),
  ),
  volumes: done(
    "container",
    "kinds below",
    volume({ hostPath: { path: "/srv" } }),
    [{ name: "v", hostPath: { path: "/other" } }],
  ),
};

const DNS = { nameservers: ["192.0.2.53"] };

/** The small types below the spec. */
export const POD_PARTS: Readonly<Record<string, TypeRows>> = {
  HostAlias: {
    hostnames: done(
      "hosts file",
      "",
      pod({ hostAliases: [{ ip: "192.0.2.9", hostnames: ["db"] }] }),
    ),
    ip: done(
      "hosts file",
      "",
      pod({ hostAliases: [{ ip: "192.0.2.9", hostnames: ["db"] }] }),
      "192.0.2.8",
    ),
  },
  PodDNSConfig: {
    nameservers: done("sandbox", "at most 3", pod({ dnsConfig: DNS })),
    options: done(
      "sandbox",
      "",
      pod({ dnsConfig: { options: [{ name: "debug" }] } }),
    ),
    searches: done(
      "sandbox",
      "at most 32, and 2048 characters",
      pod({ dnsConfig: { searches: ["example.com"] } }),
    ),
  },
  PodDNSConfigOption: {
    name: done(
      "sandbox",
      "",
      pod({ dnsConfig: { options: [{ name: "debug" }] } }),
      "rotate",
    ),
    value: done(
      "sandbox",
      "",
      pod({ dnsConfig: { options: [{ name: "ndots", value: "3" }] } }),
    ),
  },
  PodOS: {
    name: done(
      "admission",
      "anything but `linux` is refused by the node",
      pod({ os: { name: "windows" } }),
      "linux",
    ),
  },
  PodReadinessGate: {
    conditionType: done(
      "status",
      "",
      pod({ readinessGates: [{ conditionType: "example.com/g" }] }),
      "example.com/h",
    ),
  },
  ResourceRequirements: {
    claims: refused(
      "Forbidden: static pods may not reference resource claims: there is no API server to ask",
      container({ resources: { claims: [{ name: "gpu" }] } }),
    ),
    limits: done(
      "container",
      "`cpu`, `memory`, `hugepages-*`; `ephemeral-storage` by eviction; any other is refused: no device plugin offers it",
      container({ resources: { limits: { cpu: "1" } } }),
    ),
    requests: done(
      "container",
      "",
      container({ resources: { requests: { cpu: "100m" } } }),
    ),
  },
  Sysctl: {
    name: done(
      "sandbox",
      "safe ones, and those of `allowedUnsafeSysctls`",
      pod({
        securityContext: {
          sysctls: [{ name: "kernel.shm_rmid_forced", value: "1" }],
        },
      }),
      "net.ipv4.tcp_syncookies",
    ),
    value: done(
      "sandbox",
      "",
      pod({
        securityContext: {
          sysctls: [{ name: "kernel.shm_rmid_forced", value: "1" }],
        },
      }),
      "0",
    ),
  },
};
