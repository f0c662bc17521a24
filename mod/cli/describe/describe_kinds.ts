/**
 * What only objects of one kind have, as `kubectl describe` writes it.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import { formatAge } from "../../base/text/mod.ts";
import {
  accessModesText,
  fieldAt,
  isControlledBy,
  labelsText,
  listAt,
  mapAt,
  numberAt,
  type ShownObject,
  textAt,
} from "../kinds/mod.ts";
import { given, type NamedValue } from "../text/mod.ts";
import type { TimeTexts } from "./describe_container.ts";
import { serviceFields } from "./describe_service.ts";

/** What is shown of an object beside itself. */
export interface Company {
  readonly texts: TimeTexts;
  /** Those of its namespace. */
  readonly pods: readonly Pod[];
}

type Fields = (
  object: ShownObject,
  company: Company,
) => readonly NamedValue[];

/** The fields above the template, in kubectl's order. */
export function kindFields(
  object: ShownObject,
  company: Company,
): readonly NamedValue[] {
  return FIELDS[object.kind]?.(object, company) ?? [];
}

const replicaFields: Fields = (object, { pods }) => [
  [
    "Replicas",
    `${numberAt(object, "status.replicas")} current / ${
      numberAt(object, "spec.replicas")
    } desired`,
  ],
  ...podsStatus(object, pods),
];

const FIELDS: Readonly<Record<string, Fields>> = {
  ReplicaSet: replicaFields,
  ReplicationController: replicaFields,
  Deployment: (object) => [
    [
      "Replicas",
      [
        `${numberAt(object, "spec.replicas")} desired`,
        `${numberAt(object, "status.updatedReplicas")} updated`,
        `${numberAt(object, "status.replicas")} total`,
        `${numberAt(object, "status.availableReplicas")} available`,
        `${numberAt(object, "status.unavailableReplicas")} unavailable`,
      ].join(" | "),
    ],
    ...named(object, "StrategyType", "spec.strategy.type"),
    ["MinReadySeconds", `${numberAt(object, "spec.minReadySeconds")}`],
    ...rollingFields(object),
    ...(fieldAt(object, "spec.paused") === true
      ? [["Paused", "True"] as const]
      : []),
  ],
  DaemonSet: (object, { pods }) => [
    ...[
      ["Desired Number of Nodes Scheduled", "desiredNumberScheduled"],
      ["Current Number of Nodes Scheduled", "currentNumberScheduled"],
      [
        "Number of Nodes Scheduled with Up-to-date Pods",
        "updatedNumberScheduled",
      ],
      ["Number of Nodes Scheduled with Available Pods", "numberAvailable"],
      ["Number of Nodes Misscheduled", "numberMisscheduled"],
    ].map(([label = "", field]) =>
      [label, `${numberAt(object, `status.${field}`)}`] as const
    ),
    ...podsStatus(object, pods),
  ],
  StatefulSet: (object, { pods }) => [
    ...named(object, "Service Name", "spec.serviceName"),
    ...named(object, "Pod Management Policy", "spec.podManagementPolicy"),
    [
      "Replicas",
      `${numberAt(object, "spec.replicas")} desired | ${
        numberAt(object, "status.replicas")
      } total`,
    ],
    ["Update Strategy", {
      value: textAt(object, "spec.updateStrategy.type") ?? "",
      block: [
        ...named(object, "Partition", `${ROLLING_SET}.partition`),
        ...named(object, "MaxUnavailable", `${ROLLING_SET}.maxUnavailable`),
      ],
    }],
    ...retentionFields(object),
    ...podsStatus(object, pods),
  ],
  Job: (object, { texts }) => [
    ...named(object, "Parallelism", "spec.parallelism"),
    ["Completions", textAt(object, "spec.completions") ?? "<unset>"],
    ...named(object, "Completion Mode", "spec.completionMode"),
    ["Suspend", String(fieldAt(object, "spec.suspend") === true)],
    ...named(object, "Backoff Limit", "spec.backoffLimit"),
    ...named(
      object,
      "TTL Seconds After Finished",
      "spec.ttlSecondsAfterFinished",
    ),
    ...timed(object, ["Start Time", "status.startTime"], texts),
    ...timed(object, ["Completed At", "status.completionTime"], texts),
    ...durationField(object),
    ...seconds(object, "Active Deadline Seconds", "spec.activeDeadlineSeconds"),
    [
      "Pods Statuses",
      `${numberAt(object, "status.active")} Active (${
        numberAt(object, "status.ready")
      } Ready) / ${numberAt(object, "status.succeeded")} Succeeded / ${
        numberAt(object, "status.failed")
      } Failed`,
    ],
    ...(textAt(object, "spec.completionMode") === "Indexed"
      ? [["Completed Indexes", completedIndexes(object)] as const]
      : []),
  ],
  CronJob: (object) => [
    ...named(object, "Schedule", "spec.schedule"),
    ...named(object, "Concurrency Policy", "spec.concurrencyPolicy"),
    [
      "Suspend",
      fieldAt(object, "spec.suspend") === true ? "True" : "False",
    ],
    ...unsetOr(object, {
      "Time Zone": "spec.timeZone",
      "Successful Job History Limit": "spec.successfulJobsHistoryLimit",
      "Failed Job History Limit": "spec.failedJobsHistoryLimit",
    }),
    ...seconds(
      object,
      "Starting Deadline Seconds",
      "spec.startingDeadlineSeconds",
      "<unset>",
    ),
    ["Selector", "<unset>"],
    ...unsetOr(object, {
      Parallelism: "spec.jobTemplate.spec.parallelism",
      Completions: "spec.jobTemplate.spec.completions",
    }),
    ...seconds(
      object,
      "Active Deadline Seconds",
      "spec.jobTemplate.spec.activeDeadlineSeconds",
    ),
  ],
  PersistentVolumeClaim: (object, { pods }) => [
    ["StorageClass", textAt(object, "spec.storageClassName") ?? ""],
    ["Status", textAt(object, "status.phase") ?? ""],
    ["Volume", textAt(object, "spec.volumeName") ?? ""],
    ["Capacity", textAt(object, "status.capacity.storage") ?? ""],
    ["Access Modes", accessModesText(object)],
    ...named(object, "VolumeMode", "spec.volumeMode"),
    ["Used By", usersOf(object, pods)],
  ],
  Service: (object, { pods }) => serviceFields(object, pods),
  ControllerRevision: (object) => [
    ["Revision", `${numberAt(object, "revision")}`],
  ],
  Secret: (object) => [["Type", textAt(object, "type") ?? "Opaque"]],
  RuntimeClass: (object) => named(object, "Handler", "handler"),
  PriorityClass: (object) => [
    ["Value", `${numberAt(object, "value")}`],
    ["GlobalDefault", String(fieldAt(object, "globalDefault") === true)],
    ...named(object, "PreemptionPolicy", "preemptionPolicy"),
    ["Description", textAt(object, "description") ?? ""],
  ],
};

const ROLLING_SET = "spec.updateStrategy.rollingUpdate";

function named(
  object: ShownObject,
  label: string,
  path: string,
): readonly NamedValue[] {
  return given(label, textAt(object, path));
}

/** Fields that stand there also without a value. */
function unsetOr(
  object: ShownObject,
  paths: Readonly<Record<string, string>>,
): readonly NamedValue[] {
  return Object.entries(paths)
    .map(([label, path]) => [label, textAt(object, path) ?? "<unset>"]);
}

function seconds(
  object: ShownObject,
  label: string,
  path: string,
  silent: string = "",
): readonly NamedValue[] {
  const found = textAt(object, path);
  return given(label, found === undefined ? silent : `${found}s`);
}

function timed(
  object: ShownObject,
  [label, path]: readonly [string, string],
  texts: TimeTexts,
): readonly NamedValue[] {
  const time = textAt(object, path);
  return time === undefined ? [] : [[label, texts.time(time)]];
}

const PHASES = [
  ["Running", "Running"],
  ["Pending", "Waiting"],
  ["Succeeded", "Succeeded"],
  ["Failed", "Failed"],
];

function podsStatus(
  object: ShownObject,
  pods: readonly Pod[],
): readonly NamedValue[] {
  const own = pods.filter((pod) => isControlledBy(pod, object));
  const counts = PHASES.map(([phase, word]) =>
    `${own.filter(({ status }) => status?.phase === phase).length} ${word}`
  );
  return [["Pods Status", counts.join(" / ")]];
}

function usersOf(
  { metadata: { name } }: ShownObject,
  pods: readonly Pod[],
): readonly string[] | string {
  const users = pods.filter(({ spec }) =>
    spec.volumes?.some(({ persistentVolumeClaim }) =>
      persistentVolumeClaim?.claimName === name
    )
  );
  return users.length === 0
    ? "<none>"
    : users.map(({ metadata }) => metadata.name);
}

function rollingFields(object: ShownObject): readonly NamedValue[] {
  const path = "spec.strategy.rollingUpdate";
  if (fieldAt(object, path) === undefined) return [];
  const most = textAt(object, `${path}.maxUnavailable`);
  const surge = textAt(object, `${path}.maxSurge`);
  const text = `${most} max unavailable, ${surge} max surge`;
  return [["RollingUpdateStrategy", text]];
}

function retentionFields(object: ShownObject): readonly NamedValue[] {
  const path = "spec.persistentVolumeClaimRetentionPolicy";
  if (fieldAt(object, path) === undefined) return [];
  return [["Persistent Volume Claim Retention Policy", {
    block: [
      ["WhenDeleted", textAt(object, `${path}.whenDeleted`) ?? ""],
      ["WhenScaled", textAt(object, `${path}.whenScaled`) ?? ""],
    ],
  }]];
}

function durationField(object: ShownObject): readonly NamedValue[] {
  const from = Date.parse(textAt(object, "status.startTime") ?? "");
  const to = Date.parse(textAt(object, "status.completionTime") ?? "");
  return Number.isNaN(to - from)
    ? []
    : [["Duration", formatAge(Math.max(0, to - from))]];
}

// From kubectl's describe.go: behind so many characters it is cut at the next comma.
const MAX_INDEXES_LENGTH = 50;

function completedIndexes(object: ShownObject): string {
  const indexes = textAt(object, "status.completedIndexes") ?? "";
  const comma = indexes.indexOf(",", MAX_INDEXES_LENGTH);
  if (comma !== -1) return `${indexes.slice(0, comma + 1)}...`;
  return indexes === "" ? "<none>" : indexes;
}

/** What stands below the template of a CronJob. */
export function lastFields(
  object: ShownObject,
  { texts }: Pick<Company, "texts">,
): readonly NamedValue[] {
  switch (object.kind) {
    case "CronJob": {
      const last = textAt(object, "status.lastScheduleTime");
      const active = listAt(object, "status.active")
        .map((each) => textAt(each, "name") ?? "");
      return [
        [
          "Last Schedule Time",
          last === undefined ? "<unset>" : texts.time(last),
        ],
        ["Active Jobs", active.join(", ") || "<none>"],
      ];
    }
    case "StatefulSet":
      return [["Volume Claims", claimsValue(object)]];
    default:
      return [];
  }
}

function claimsValue(
  object: ShownObject,
): string | { readonly block: readonly NamedValue[] } {
  const claims = listAt(object, "spec.volumeClaimTemplates");
  if (claims.length === 0) return "<none>";
  const block = claims.map((claim): NamedValue => [
    textAt(claim, "metadata.name") ?? "",
    {
      block: [
        ["StorageClass", textAt(claim, "spec.storageClassName") ?? ""],
        ["Labels", labelsText(mapAt(claim, "metadata.labels"))],
        ["Annotations", labelsText(mapAt(claim, "metadata.annotations"))],
        [
          "Capacity",
          textAt(claim, "spec.resources.requests.storage") ?? "<default>",
        ],
        ["Access Modes", listAt(claim, "spec.accessModes").join(",")],
      ],
    },
  ]);
  return { block };
}
