/**
 * What is wrong with how pods are exchanged, by TestValidateDeployment,
 * TestValidateDaemonSet and TestValidateStatefulSet of upstream.
 *
 * @module
 */

import { testWorkloads } from "../../../support/api/workload_rows.ts";

const rolling = (rollingUpdate: unknown, type = "RollingUpdate") => ({
  strategy: { type, rollingUpdate },
});
const updating = (rollingUpdate: unknown, type = "RollingUpdate") => ({
  updateStrategy: { type, rollingUpdate },
});

const NEGATIVE = "Invalid value: -1: must be greater than or equal to 0";
const NO_AMOUNT = "must be an integer or a percentage such as '5%'";

testWorkloads("Deployment", [
  [
    "a strategy that is none",
    { spec: { strategy: { type: "Canary" } } },
    'spec.strategy.type: Unsupported value: "Canary": supported values: "Recreate", "RollingUpdate"',
  ],
  ["Recreate", { spec: { strategy: { type: "Recreate" } } }],
  [
    "numbers for Recreate",
    { spec: rolling({ maxSurge: 1 }, "Recreate") },
    "spec.strategy.rollingUpdate: Forbidden: may not be specified when `type` is Recreate",
  ],
  [
    "neither a surge nor a lack",
    { spec: rolling({ maxSurge: 0, maxUnavailable: 0 }) },
    "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0",
  ],
  [
    "neither, in percent",
    { spec: rolling({ maxSurge: "0%", maxUnavailable: "0%" }) },
    'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": may not be 0 when `maxSurge` is 0',
  ],
  ["a surge alone", { spec: rolling({ maxSurge: 1, maxUnavailable: 0 }) }],
  ["a lack alone", { spec: rolling({ maxSurge: 0, maxUnavailable: "100%" }) }],
  ["a surge of more than all", { spec: rolling({ maxSurge: "200%" }) }],
  [
    "a lack of more than all",
    { spec: rolling({ maxUnavailable: "101%" }) },
    'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be more than 100%',
  ],
  [
    "a surge that is no number",
    { spec: rolling({ maxSurge: "20Percent" }) },
    `spec.strategy.rollingUpdate.maxSurge: Invalid value: "20Percent": ${NO_AMOUNT}`,
  ],
  [
    "a lack of a part of a percent",
    { spec: rolling({ maxUnavailable: "1.5%" }) },
    `spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "1.5%": ${NO_AMOUNT}`,
  ],
  [
    "negative amounts",
    { spec: rolling({ maxSurge: -1, maxUnavailable: -1 }) },
    `spec.strategy.rollingUpdate.maxUnavailable: ${NEGATIVE}`,
    `spec.strategy.rollingUpdate.maxSurge: ${NEGATIVE}`,
  ],
  [
    "a negative history",
    { spec: { revisionHistoryLimit: -1 } },
    `spec.revisionHistoryLimit: ${NEGATIVE}`,
  ],
  ["no history", { spec: { revisionHistoryLimit: 0 } }],
  [
    "a deadline before its pods can be ready (invalidProgressDeadlineSeconds)",
    { spec: { minReadySeconds: 600 } },
    "spec.progressDeadlineSeconds: Invalid value: 600: must be greater than `minReadySeconds`",
  ],
  ["a deadline just after", { spec: { minReadySeconds: 599 } }],
  [
    "a negative deadline",
    { spec: { progressDeadlineSeconds: -1 } },
    `spec.progressDeadlineSeconds: ${NEGATIVE}`,
    "spec.progressDeadlineSeconds: Invalid value: -1: must be greater than `minReadySeconds`",
  ],
  ["a pause", { spec: { paused: true } }],
]);

testWorkloads("DaemonSet", [
  ["OnDelete", { spec: { updateStrategy: { type: "OnDelete" } } }],
  [
    "a strategy that is none",
    { spec: { updateStrategy: { type: "Recreate" } } },
    'spec.updateStrategy.type: Unsupported value: "Recreate": supported values: "OnDelete", "RollingUpdate"',
  ],
  ["a surge", { spec: updating({ maxSurge: 1, maxUnavailable: 0 }) }],
  [
    "a surge and a lack",
    { spec: updating({ maxSurge: "10%", maxUnavailable: 1 }) },
    'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: "10%": may not be set when `maxUnavailable` is not zero',
  ],
  [
    "neither",
    { spec: updating({ maxSurge: "0%", maxUnavailable: 0 }) },
    "spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when `maxSurge` is 0",
  ],
  [
    "a surge of more than all",
    { spec: updating({ maxSurge: "101%", maxUnavailable: 0 }) },
    'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: "101%": must not be more than 100%',
  ],
  [
    "a lack of more than all",
    { spec: updating({ maxUnavailable: "101%" }) },
    'spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be more than 100%',
  ],
  [
    "a negative history",
    { spec: { revisionHistoryLimit: -1 } },
    `spec.revisionHistoryLimit: ${NEGATIVE}`,
  ],
]);

const claim = (name: unknown, spec: object = {}) => ({
  metadata: { name },
  spec: {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "1Gi" } },
    ...spec,
  },
});
const mounting = (name: string) => ({
  containers: [{
    name: "main",
    image: "web:1",
    volumeMounts: [{ name, mountPath: "/data" }],
  }],
});

testWorkloads("StatefulSet", [
  ["Parallel", { spec: { podManagementPolicy: "Parallel" } }],
  [
    "a policy that is none (invalid pod management policy)",
    { spec: { podManagementPolicy: "Any" } },
    'spec.podManagementPolicy: Unsupported value: "Any": supported values: "OrderedReady", "Parallel"',
  ],
  ["OnDelete", { spec: { updateStrategy: { type: "OnDelete" } } }],
  [
    "a partition for OnDelete",
    { spec: updating({ partition: 1 }, "OnDelete") },
    "spec.updateStrategy.rollingUpdate: Forbidden: only allowed when `type` is RollingUpdate",
  ],
  [
    "a strategy that is none (invalid udpate strategy)",
    { spec: { updateStrategy: { type: "foo" } } },
    'spec.updateStrategy.type: Unsupported value: "foo": supported values: "OnDelete", "RollingUpdate"',
  ],
  ["a partition", { spec: updating({ partition: 2 }) }],
  [
    "a negative partition",
    { spec: updating({ partition: -1 }) },
    `spec.updateStrategy.rollingUpdate.partition: ${NEGATIVE}`,
  ],
  ["a lack", { spec: updating({ maxUnavailable: "50%" }) }],
  [
    "a lack of none",
    { spec: updating({ maxUnavailable: 0 }) },
    "spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: 0: cannot be 0",
  ],
  [
    "a lack of no percent",
    { spec: updating({ maxUnavailable: "0%" }) },
    'spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "0%": cannot be 0',
  ],
  [
    "a lack of more than all",
    { spec: updating({ maxUnavailable: "101%" }) },
    'spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be more than 100%',
  ],
  [
    "a negative history",
    { spec: { revisionHistoryLimit: -1 } },
    `spec.revisionHistoryLimit: ${NEGATIVE}`,
  ],
  ["a first ordinal", { spec: { ordinals: { start: 2 } } }],
  [
    "a negative first ordinal",
    { spec: { ordinals: { start: -1 } } },
    `spec.ordinals.start: ${NEGATIVE}`,
  ],
  [
    "claims that are deleted",
    {
      spec: {
        persistentVolumeClaimRetentionPolicy: {
          whenDeleted: "Delete",
          whenScaled: "Delete",
        },
      },
    },
  ],
  [
    "policies for claims that are none",
    {
      spec: {
        persistentVolumeClaimRetentionPolicy: {
          whenDeleted: "Keep",
          whenScaled: "Drop",
        },
      },
    },
    'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "Keep": supported values: "Retain", "Delete"',
    'spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "Drop": supported values: "Retain", "Delete"',
  ],
  [
    "a claim that its pods mount",
    { spec: { volumeClaimTemplates: [claim("data")] }, pod: mounting("data") },
  ],
  [
    "a claim in the place of a volume",
    {
      spec: { volumeClaimTemplates: [claim("data")] },
      pod: {
        ...mounting("data"),
        volumes: [{ name: "data", hostPath: { path: "" } }],
      },
    },
  ],
  [
    "a mount of nothing",
    { spec: { volumeClaimTemplates: [claim("data")] }, pod: mounting("log") },
    'spec.template.spec.containers[0].volumeMounts[0].name: Not found: "log": no volume of this pod has that name',
  ],
  [
    "faulty volumes beside a claim",
    {
      spec: { volumeClaimTemplates: [claim("data")] },
      pod: {
        volumes: [
          { name: "log", emptyDir: {} },
          { name: "data", emptyDir: {} },
          { name: "a_b", emptyDir: {} },
        ],
      },
    },
    `spec.template.spec.volumes[2].name: Invalid value: "a_b": must consist of lower case letters, digits and '-', and start and end with a letter or digit (RFC 1123 label, such as 'my-name')`,
  ],
  [
    "two claims of one name",
    { spec: { volumeClaimTemplates: [claim("data"), claim("data")] } },
    'spec.volumeClaimTemplates[1].metadata.name: Duplicate value: "data"',
  ],
  [
    "a claim without a name",
    { spec: { volumeClaimTemplates: [claim(undefined)] } },
    "spec.volumeClaimTemplates[0].metadata.name: Required value",
  ],
  [
    "a claim whose name is none of a volume",
    { spec: { volumeClaimTemplates: [claim("a.b")] } },
    `spec.volumeClaimTemplates[0].metadata.name: Invalid value: "a.b": must consist of lower case letters, digits and '-', and start and end with a letter or digit (RFC 1123 label, such as 'my-name')`,
  ],
  [
    "a claim that asks for nothing",
    { spec: { volumeClaimTemplates: [claim("data", { resources: {} })] } },
    "spec.volumeClaimTemplates[0].spec.resources.requests[storage]: Required value",
  ],
  [
    "a claim without modes, of a volume",
    {
      spec: {
        volumeClaimTemplates: [
          claim("data", { accessModes: [], volumeName: "v" }),
        ],
      },
    },
    "spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required",
    "spec.volumeClaimTemplates[0].spec.volumeName: Forbidden: a claim on this node gets a directory of its own; there are no volumes to choose from",
  ],
]);
