/**
 * What makes pods, or is named by them, as `kubectl describe` lays it out.
 *
 * @module
 */

import type { WireEvent } from "../../api/types/mod.ts";
import type { PodTemplate } from "../../api/workload/mod.ts";
import { isRecord } from "../../base/mod.ts";
import { formatAge } from "../../base/text/mod.ts";
import {
  fieldAt,
  labelsText,
  listAt,
  mapAt,
  numberAt,
  selectorText,
  type ShownObject,
  templateOf,
  textAt,
} from "../kinds/mod.ts";
import {
  fieldLines,
  given,
  type NamedValue,
  sortedEntries,
} from "../text/mod.ts";
import { containerFields, type TimeTexts } from "./describe_container.ts";
import {
  annotationLines,
  eventLines,
  orNone,
  timeTexts,
  titledTable,
} from "./describe_parts.ts";
import { volumesValue } from "./describe_volumes.ts";

/**
 * Writes all of an object that kubectl would; of a Secret the names of its keys.
 *
 * @param options.time By which ages are told.
 * @param options.utcOffsetMs How far local time is ahead of UTC.
 */
export function describeObject(
  object: ShownObject,
  options: {
    readonly events: readonly WireEvent[];
    readonly time: string;
    readonly utcOffsetMs: number;
  },
): string {
  const { events, time, utcOffsetMs } = options;
  const texts = timeTexts(time, utcOffsetMs);
  const template = templateOf(object);
  const { kind } = object;
  const lines = [
    ...fieldLines([
      ...headFields(object, texts),
      ...(FIELDS[kind]?.(object, texts) ?? []),
      ...(isTemplate(template)
        ? [
          ["Pod Template", { block: templateFields(template, texts) }] as const,
        ]
        : []),
    ]),
    ...dataLines(object),
    ...conditionLines(object),
    ...eventLines({ events, time }),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function headFields(
  object: ShownObject,
  texts: TimeTexts,
): readonly NamedValue[] {
  const { metadata } = object;
  const owner = metadata.ownerReferences?.find((each) => each.controller);
  const labels = sortedEntries(metadata.labels).map((each) => each.join("="));
  return [
    ["Name", metadata.name],
    ...given("Namespace", metadata.namespace),
    ...(metadata.creationTimestamp === undefined ? [] : [
      ["CreationTimestamp", texts.time(metadata.creationTimestamp)] as const,
    ]),
    ...(metadata.deletionTimestamp === undefined ? [] : [
      [
        "Terminating",
        `lasts ${texts.age(metadata.deletionTimestamp)}`,
      ] as const,
    ]),
    ["Labels", orNone(labels)],
    ["Annotations", orNone(annotationLines(metadata.annotations))],
    ...(owner === undefined
      ? []
      : [["Controlled By", `${owner.kind}/${owner.name}`] as const]),
    ...(fieldAt(object, "spec.selector") === undefined
      ? []
      : [["Selector", selectorText(object)] as const]),
  ];
}

type Fields = (
  object: ShownObject,
  texts: TimeTexts,
) => readonly NamedValue[];

const replicaFields: Fields = (object) => [
  [
    "Replicas",
    `${numberAt(object, "status.replicas")} current / ${
      numberAt(object, "spec.replicas")
    } desired`,
  ],
  ["Ready", `${numberAt(object, "status.readyReplicas")}`],
];

/** What only objects of one kind have. */
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
  DaemonSet: (object) => [
    [
      "Node-Selector",
      labelsText(mapAt(object, "spec.template.spec.nodeSelector")),
    ],
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
  ],
  StatefulSet: (object) => [
    [
      "Replicas",
      `${numberAt(object, "spec.replicas")} desired | ${
        numberAt(object, "status.replicas")
      } total`,
    ],
    ...named(object, "Update Strategy", "spec.updateStrategy.type"),
    ...named(
      object,
      "Partition",
      "spec.updateStrategy.rollingUpdate.partition",
    ),
  ],
  Job: (object, texts) => [
    ["Parallelism", textAt(object, "spec.parallelism") ?? "<unset>"],
    ["Completions", textAt(object, "spec.completions") ?? "<unset>"],
    ...named(object, "Completion Mode", "spec.completionMode"),
    ["Suspend", String(fieldAt(object, "spec.suspend") === true)],
    ...named(object, "Backoff Limit", "spec.backoffLimit"),
    ...timed(object, ["Start Time", "status.startTime"], texts),
    ...timed(object, ["Completed At", "status.completionTime"], texts),
    ...durationField(object),
    ...named(object, "Active Deadline Seconds", "spec.activeDeadlineSeconds"),
    [
      "Pods Statuses",
      `${numberAt(object, "status.active")} Active (${
        numberAt(object, "status.ready")
      } Ready) / ${numberAt(object, "status.succeeded")} Succeeded / ${
        numberAt(object, "status.failed")
      } Failed`,
    ],
  ],
  CronJob: (object, texts) => [
    ...named(object, "Schedule", "spec.schedule"),
    ...named(object, "Time Zone", "spec.timeZone"),
    ...named(object, "Concurrency Policy", "spec.concurrencyPolicy"),
    [
      "Suspend",
      fieldAt(object, "spec.suspend") === true ? "True" : "False",
    ],
    ...named(
      object,
      "Successful Job History Limit",
      "spec.successfulJobsHistoryLimit",
    ),
    ...named(object, "Failed Job History Limit", "spec.failedJobsHistoryLimit"),
    [
      "Starting Deadline Seconds",
      textAt(object, "spec.startingDeadlineSeconds") ?? "<unset>",
    ],
    [
      "Last Schedule Time",
      textAt(object, "status.lastScheduleTime") === undefined
        ? "<unset>"
        : texts.time(textAt(object, "status.lastScheduleTime")),
    ],
    [
      "Active Jobs",
      listAt(object, "status.active").map((each) => textAt(each, "name") ?? "")
        .join(", ") || "<none>",
    ],
  ],
  PersistentVolumeClaim: (object) => [
    ...named(object, "StorageClass", "spec.storageClassName"),
    ["Status", textAt(object, "status.phase") ?? ""],
    ["Volume", textAt(object, "spec.volumeName") ?? ""],
    ["Capacity", textAt(object, "status.capacity.storage") ?? ""],
    ["Access Modes", listAt(object, "spec.accessModes").join(",")],
    ...named(object, "VolumeMode", "spec.volumeMode"),
  ],
  ControllerRevision: (object) => [
    ["Revision", `${numberAt(object, "revision")}`],
  ],
  Secret: (object) => [["Type", textAt(object, "type") ?? "Opaque"]],
  RuntimeClass: (object) => named(object, "Handler", "handler"),
  PriorityClass: (object) => [
    ["Value", `${numberAt(object, "value")}`],
    ["GlobalDefault", String(fieldAt(object, "globalDefault") === true)],
    ...named(object, "PreemptionPolicy", "preemptionPolicy"),
  ],
};

function named(
  object: ShownObject,
  label: string,
  path: string,
): readonly NamedValue[] {
  return given(label, textAt(object, path));
}

function timed(
  object: ShownObject,
  [label, path]: readonly [string, string],
  texts: TimeTexts,
): readonly NamedValue[] {
  const time = textAt(object, path);
  return time === undefined ? [] : [[label, texts.time(time)]];
}

function rollingFields(object: ShownObject): readonly NamedValue[] {
  const path = "spec.strategy.rollingUpdate";
  if (fieldAt(object, path) === undefined) return [];
  const most = textAt(object, `${path}.maxUnavailable`);
  const surge = textAt(object, `${path}.maxSurge`);
  const text = `${most} max unavailable, ${surge} max surge`;
  return [["RollingUpdateStrategy", text]];
}

function durationField(object: ShownObject): readonly NamedValue[] {
  const from = Date.parse(textAt(object, "status.startTime") ?? "");
  const to = Date.parse(textAt(object, "status.completionTime") ?? "");
  return Number.isNaN(to - from)
    ? []
    : [["Duration", formatAge(Math.max(0, to - from))]];
}

/** An agent of the same version has read it as one. */
function isTemplate(template: unknown): template is PodTemplate {
  return isRecord(template) && isRecord(template["spec"]);
}

/** What a container has only when it runs. */
const OF_RUNNING = ["Container ID", "Image ID", "State"];

function templateFields(
  { metadata = {}, spec }: PodTemplate,
  texts: TimeTexts,
): readonly NamedValue[] {
  const labels = sortedEntries(metadata.labels).map((each) => each.join("="));
  const notes = annotationLines(metadata.annotations);
  const group = (
    label: string,
    specs: typeof spec.containers = [],
  ): readonly NamedValue[] => {
    if (specs.length === 0) return [];
    const block = specs.map((each): NamedValue => {
      const known = { spec: each, status: undefined, probes: [] };
      const fields = containerFields(known, texts);
      return [each.name, {
        block: fields.filter(([name]) => !OF_RUNNING.includes(name)),
      }];
    });
    return [[label, { block }]];
  };
  return [
    ["Labels", orNone(labels)],
    ...(notes.length === 0 ? [] : [["Annotations", notes] as const]),
    ...given("Service Account", spec.serviceAccountName),
    ...group("Init Containers", spec.initContainers),
    ...group("Containers", spec.containers),
    ["Volumes", volumesValue(spec.volumes ?? [])],
    ...given("Priority Class Name", spec.priorityClassName),
    ...given("Node-Selectors", labelsText(sortedEntries(spec.nodeSelector))),
  ];
}

/** The data of ConfigMaps whole, and the keys of Secrets. */
function dataLines(object: ShownObject): readonly string[] {
  const keys = (path: string): readonly string[] =>
    mapAt(object, path).map(([key]) => key);
  switch (object.kind) {
    case "ConfigMap": {
      const block = mapAt(object, "data")
        .map(([key, text]): NamedValue => [key, { lines: text.split("\n") }]);
      return fieldLines([
        ["Data", block.length === 0 ? "<none>" : { block }],
        ["BinaryData", orNone(keys("binaryData"))],
      ]);
    }
    case "Secret":
      return fieldLines([["Data", orNone(keys("data"))]]);
    default:
      return [];
  }
}

function conditionLines(object: ShownObject): readonly string[] {
  const conditions = listAt(object, "status.conditions");
  if (conditions.length === 0) return [];
  const cells = (each: unknown): readonly string[] =>
    ["type", "status", "reason", "message"]
      .map((field) => textAt(each, field) ?? "");
  return titledTable("Conditions", [
    ["Type", "Status", "Reason", "Message"],
    ...conditions.map(cells),
  ]);
}
