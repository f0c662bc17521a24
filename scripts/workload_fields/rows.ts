/**
 * What becomes of each field beside those of a Pod.
 *
 * @module
 */

import {
  done,
  type ManifestDraft,
  notApplicable,
  refused,
  type WorkloadTypeRows,
} from "./row.ts";

const STATUS = notApplicable(
  "written by the node; in a manifest it is left out",
);

function document(spec: WorkloadTypeRows): WorkloadTypeRows {
  return {
    apiVersion: done("as in the title"),
    kind: done(),
    metadata: done("without owners and finalizers; a UID in it is left out"),
    ...spec,
  };
}

const KIND = document({ spec: done(), status: STATUS });

const PODS = {
  template: done("checked like a Pod"),
  selector: done("must match the labels of the template"),
};

const CLAIM_ENDS =
  "`Retain` or `Delete`; with `Delete` the claim goes, its directory and what is in it stay";
const RECREATED =
  "cannot change while the object exists; the edit is refused and the last good version stays";
const SELECTOR = done(`must match the labels of the template; ${RECREATED}`);
const POLICY = done("policies as in a cluster");

const NO_PROXY =
  "Forbidden: there is no proxy on this node; give the container a hostPort to reach it from outside";
const NO_DNS = "Forbidden: there is no DNS server on this node";
const NO_ADDRESS =
  "Forbidden: a Service has no address of its own on this node; leave it out, or say None";

function service(spec: ManifestDraft): ManifestDraft {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web" },
    spec: { selector: { app: "web" }, ports: [{ port: 80 }], ...spec },
  };
}

/** The rows of each type, in the order of the document. */
export const WORKLOAD_TABLE: Readonly<Record<string, WorkloadTypeRows>> = {
  Deployment: KIND,
  DeploymentSpec: {
    ...PODS,
    selector: SELECTOR,
    minReadySeconds: done(),
    paused: done(),
    progressDeadlineSeconds: done("600 if it is absent"),
    replicas: done("1 if it is absent"),
    revisionHistoryLimit: done("10 if it is absent"),
    strategy: done(),
  },
  DeploymentStrategy: {
    rollingUpdate: done(),
    type: done("`RollingUpdate` or `Recreate`"),
  },
  RollingUpdateDeployment: {
    maxSurge: done("25% if it is absent"),
    maxUnavailable: done("25% if it is absent; not zero like `maxSurge`"),
  },
  ReplicaSet: KIND,
  ReplicaSetSpec: {
    ...PODS,
    selector: SELECTOR,
    minReadySeconds: done(),
    replicas: done("1 if it is absent"),
  },
  ReplicationController: KIND,
  ReplicationControllerSpec: {
    template: PODS.template,
    minReadySeconds: done(),
    replicas: done("1 if it is absent"),
    selector: done("the labels of the template if it is absent"),
  },
  PodTemplateSpec: {
    metadata: done("labels and annotations; a name in it has no effect"),
    spec: done(
      "every field of a Pod, see [pod-fields.md](pod-fields.md); without a deadline and with `restartPolicy: Always`, but for Jobs",
    ),
  },
  DaemonSet: KIND,
  DaemonSetSpec: {
    ...PODS,
    selector: SELECTOR,
    minReadySeconds: done(),
    revisionHistoryLimit: done("10 if it is absent"),
    updateStrategy: done(),
  },
  DaemonSetUpdateStrategy: {
    rollingUpdate: done(),
    type: done("`RollingUpdate` or `OnDelete`"),
  },
  RollingUpdateDaemonSet: {
    maxSurge: done("0 if it is absent; not beside `maxUnavailable`"),
    maxUnavailable: done("1 if it is absent"),
  },
  StatefulSet: KIND,
  StatefulSetSpec: {
    ...PODS,
    selector: SELECTOR,
    minReadySeconds: done(),
    ordinals: done(),
    persistentVolumeClaimRetentionPolicy: done("`Retain` if it is absent"),
    podManagementPolicy: done(`\`OrderedReady\` if it is absent; ${RECREATED}`),
    replicas: done("1 if it is absent"),
    revisionHistoryLimit: done("10 if it is absent"),
    serviceName: notApplicable(
      "there is no DNS server; the hostnames of the pods are the same all the same",
    ),
    updateStrategy: done(),
    volumeClaimTemplates: done(RECREATED),
  },
  StatefulSetOrdinals: { start: done() },
  StatefulSetPersistentVolumeClaimRetentionPolicy: {
    whenDeleted: done(CLAIM_ENDS),
    whenScaled: done(CLAIM_ENDS),
  },
  StatefulSetUpdateStrategy: {
    rollingUpdate: done(),
    type: done("`RollingUpdate` or `OnDelete`"),
  },
  RollingUpdateStatefulSetStrategy: {
    maxUnavailable: done(),
    partition: done("0 if it is absent"),
  },
  Job: KIND,
  JobSpec: {
    activeDeadlineSeconds: done(),
    backoffLimit: done("6 if it is absent"),
    backoffLimitPerIndex: done(`for Indexed Jobs; ${RECREATED}`),
    completionMode: done(`\`NonIndexed\` if it is absent; ${RECREATED}`),
    completions: done(
      "cannot change while the Job exists, but together with `parallelism` in an Indexed one",
    ),
    managedBy: refused(
      'Unsupported value: "example.org/queue": supported values: "kubernetes.io/job-controller"',
      {
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: { name: "once" },
        spec: {
          managedBy: "example.org/queue",
          template: {
            spec: {
              restartPolicy: "Never",
              containers: [{ name: "c", image: "i" }],
            },
          },
        },
      },
    ),
    manualSelector: done(),
    maxFailedIndexes: done(),
    parallelism: done("1 if it is absent"),
    podFailurePolicy: done(RECREATED),
    podReplacementPolicy: done(),
    selector: done("made for each Job, or given with `manualSelector`"),
    successPolicy: done(RECREATED),
    suspend: done(),
    template: done(
      `checked like a Pod, with \`restartPolicy\` \`OnFailure\` or \`Never\`; ${RECREATED}`,
    ),
    ttlSecondsAfterFinished: done(),
  },
  PodFailurePolicy: { rules: POLICY },
  PodFailurePolicyRule: {
    action: done("`Count`, `FailIndex`, `FailJob` or `Ignore`"),
    onExitCodes: done(),
    onPodConditions: done(),
  },
  PodFailurePolicyOnExitCodesRequirement: {
    containerName: done(),
    operator: done("`In` or `NotIn`"),
    values: done("in order, each once"),
  },
  PodFailurePolicyOnPodConditionsPattern: {
    status: done("`True` if it is absent"),
    type: done(),
  },
  SuccessPolicy: { rules: POLICY },
  SuccessPolicyRule: {
    succeededCount: done(),
    succeededIndexes: done("such as `0,2-4`"),
  },
  CronJob: KIND,
  CronJobSpec: {
    concurrencyPolicy: done("`Allow` if it is absent"),
    failedJobsHistoryLimit: done("1 if it is absent"),
    jobTemplate: done(),
    schedule: done(
      "five fields with lists, ranges, steps and names, `@hourly` and the like, `@every 90m`; no `TZ=`",
    ),
    startingDeadlineSeconds: done(),
    successfulJobsHistoryLimit: done("3 if it is absent"),
    suspend: done(),
    timeZone: done("of the IANA's data base, such as `Europe/Berlin`"),
  },
  JobTemplateSpec: {
    metadata: done("labels and annotations"),
    spec: done("without a selector"),
  },
  PriorityClass: document({
    description: done(),
    globalDefault: done("of several, the lowest counts"),
    preemptionPolicy: notApplicable("nothing is preempted on one node"),
    value: done(
      "which pods are evicted first, and end first when the machine goes down; at most 1000000000",
    ),
  }),
  Service: KIND,
  ServiceSpec: {
    allocateLoadBalancerNodePorts: notApplicable("there are no node ports"),
    clusterIP: refused(NO_ADDRESS, service({ clusterIP: "10.96.0.7" })),
    clusterIPs: refused(NO_ADDRESS, service({ clusterIPs: ["10.96.0.7"] })),
    externalIPs: refused(NO_PROXY, service({ externalIPs: ["192.0.2.1"] })),
    externalName: refused(NO_DNS, service({ externalName: "example.org" })),
    externalTrafficPolicy: refused(
      NO_PROXY,
      service({ externalTrafficPolicy: "Local" }),
    ),
    healthCheckNodePort: refused(
      NO_PROXY,
      service({ healthCheckNodePort: 30000 }),
    ),
    internalTrafficPolicy: notApplicable("all pods are on this node"),
    ipFamilies: notApplicable("a Service has no address of its own"),
    ipFamilyPolicy: notApplicable("a Service has no address of its own"),
    loadBalancerClass: refused(
      NO_PROXY,
      service({ loadBalancerClass: "example.org/lb" }),
    ),
    loadBalancerIP: refused(NO_PROXY, service({ loadBalancerIP: "192.0.2.1" })),
    loadBalancerSourceRanges: refused(
      NO_PROXY,
      service({ loadBalancerSourceRanges: ["192.0.2.0/24"] }),
    ),
    ports: done("may be absent with `clusterIP: None`"),
    publishNotReadyAddresses: done(),
    selector: done("must not be empty"),
    sessionAffinity: refused(
      "Forbidden: there is no proxy on this node that could keep to a pod",
      service({ sessionAffinity: "ClientIP" }),
    ),
    sessionAffinityConfig: refused(
      "Forbidden: there is no proxy on this node",
      service({ sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } } }),
    ),
    trafficDistribution: notApplicable("all pods are on this node"),
    type: refused(NO_PROXY, service({ type: "NodePort" })),
  },
  ServicePort: {
    appProtocol: notApplicable("there is no proxy that could use it"),
    name: done("required with several ports"),
    nodePort: refused(
      NO_PROXY,
      service({ ports: [{ port: 80, nodePort: 30080 }] }),
    ),
    port: done(),
    protocol: done("`TCP` if it is absent"),
    targetPort: done(
      "the port to connect to, since there is no proxy; another number than `port` is warned of",
    ),
  },
  SessionAffinityConfig: {
    clientIP: notApplicable("refused with `sessionAffinityConfig`"),
  },
  ClientIPConfig: {
    timeoutSeconds: notApplicable("refused with `sessionAffinityConfig`"),
  },
};
