/**
 * The columns of `get` for every kind but pods, as kubectl would write them.
 *
 * They are those of Kubernetes' pkg/printers/internalversion.
 *
 * @module
 */

import type { Resource } from "../api/access/mod.ts";
import { formatAge } from "../base/text/mod.ts";
import type { Column, Listing } from "./listing.ts";
import { ageText } from "./text/mod.ts";
import {
  accessModesText,
  fieldAt,
  hasShownCondition,
  kindWord,
  labelsText,
  listAt,
  mapAt,
  numberAt,
  selectorText,
  type ShownObject,
  templateOf,
  textAt,
} from "./kinds/mod.ts";

/** An object, the wall time of the table, and how its name is written. */
export interface ObjectRow {
  readonly object: ShownObject;
  readonly nowMs: number;
}

type ObjectColumn = Column<ObjectRow>;

const NAMESPACE: ObjectColumn = [
  "NAMESPACE",
  ({ object }) => object.metadata.namespace,
  "all_namespaces",
];
const NAME: ObjectColumn = ["NAME", ({ object }) => object.metadata.name];
const AGE: ObjectColumn = [
  "AGE",
  ({ object, nowMs }) => ageText(object.metadata.creationTimestamp, nowMs),
];
const SELECTOR: ObjectColumn = [
  "SELECTOR",
  ({ object }) => selectorText(object),
  "wide",
];
const CONTAINERS: readonly ObjectColumn[] = [
  ["CONTAINERS", ({ object }) => containersText(object, "name"), "wide"],
  ["IMAGES", ({ object }) => containersText(object, "image"), "wide"],
];

const REPLICAS: readonly ObjectColumn[] = [
  count("DESIRED", "spec.replicas"),
  count("CURRENT", "status.replicas"),
  count("READY", "status.readyReplicas"),
  AGE,
  ...CONTAINERS,
  SELECTOR,
];

/** What stands behind the name, by kind. */
const COLUMNS: Readonly<Record<string, readonly ObjectColumn[]>> = {
  ReplicationController: REPLICAS,
  ReplicaSet: REPLICAS,
  Deployment: [
    ["READY", readyText],
    count("UP-TO-DATE", "status.updatedReplicas"),
    count("AVAILABLE", "status.availableReplicas"),
    AGE,
    ...CONTAINERS,
    SELECTOR,
  ],
  DaemonSet: [
    count("DESIRED", "status.desiredNumberScheduled"),
    count("CURRENT", "status.currentNumberScheduled"),
    count("READY", "status.numberReady"),
    count("UP-TO-DATE", "status.updatedNumberScheduled"),
    count("AVAILABLE", "status.numberAvailable"),
    [
      "NODE SELECTOR",
      ({ object }) =>
        labelsText(mapAt(object, "spec.template.spec.nodeSelector")),
    ],
    AGE,
    ...CONTAINERS,
    SELECTOR,
  ],
  StatefulSet: [["READY", readyText], AGE, ...CONTAINERS],
  ControllerRevision: [
    ["CONTROLLER", ({ object }) => ownerText(object)],
    ["REVISION", ({ object }) => String(numberAt(object, "revision"))],
    AGE,
  ],
  Job: [
    ["STATUS", ({ object }) => jobStatus(object)],
    ["COMPLETIONS", ({ object }) => completionsText(object)],
    ["DURATION", jobDuration],
    AGE,
    ...CONTAINERS,
    SELECTOR,
  ],
  CronJob: [
    text("SCHEDULE", "spec.schedule", "<none>"),
    text("TIMEZONE", "spec.timeZone", "<none>"),
    [
      "SUSPEND",
      ({ object }) =>
        fieldAt(object, "spec.suspend") === true ? "True" : "False",
    ],
    ["ACTIVE", ({ object }) => String(listAt(object, "status.active").length)],
    ["LAST SCHEDULE", ({ object, nowMs }) => {
      const last = textAt(object, "status.lastScheduleTime");
      return last === undefined ? "<none>" : ageText(last, nowMs);
    }],
    AGE,
    ...CONTAINERS,
    SELECTOR,
  ],
  PersistentVolumeClaim: [
    [
      "STATUS",
      ({ object }) =>
        object.metadata.deletionTimestamp === undefined
          ? textAt(object, "status.phase") ?? ""
          : "Terminating",
    ],
    text("VOLUME", "spec.volumeName", ""),
    text("CAPACITY", "status.capacity.storage", ""),
    ["ACCESS MODES", ({ object }) => accessModesText(object)],
    text("STORAGECLASS", "spec.storageClassName", ""),
    text("VOLUMEATTRIBUTESCLASS", "spec.volumeAttributesClassName", "<unset>"),
    AGE,
    [
      "VOLUMEMODE",
      ({ object }) => textAt(object, "spec.volumeMode") ?? "<unset>",
      "wide",
    ],
  ],
  ConfigMap: [
    ["DATA", ({ object }) =>
      String(
        mapAt(object, "data").length + mapAt(object, "binaryData").length,
      )],
    AGE,
  ],
  Secret: [
    text("TYPE", "type", "Opaque"),
    ["DATA", ({ object }) => String(mapAt(object, "data").length)],
    AGE,
  ],
  RuntimeClass: [text("HANDLER", "handler", ""), AGE],
  PriorityClass: [
    ["VALUE", ({ object }) => String(numberAt(object, "value"))],
    [
      "GLOBAL-DEFAULT",
      ({ object }) => String(fieldAt(object, "globalDefault") === true),
    ],
    AGE,
    text("PREEMPTIONPOLICY", "preemptionPolicy", "PreemptLowerPriority"),
  ],
  Service: [
    text("TYPE", "spec.type", "ClusterIP"),
    text("CLUSTER-IP", "spec.clusterIP", "<none>"),
    [
      "EXTERNAL-IP",
      ({ object }) => listAt(object, "spec.externalIPs").join(",") || "<none>",
    ],
    ["PORT(S)", ({ object }) => portsText(object)],
    AGE,
    SELECTOR,
  ],
};

/** How objects of a kind are listed. */
export function objectListing(
  resource: Resource,
): Listing<ShownObject, ObjectRow> {
  return {
    kind: kindWord(resource),
    name: ({ metadata }) => metadata.name,
    row: (object, nowMs) => ({ object, nowMs }),
    columns: [
      ...(resource.isNamespaced ? [NAMESPACE] : []),
      NAME,
      ...COLUMNS[resource.kind] ?? [AGE],
    ],
  };
}

function count(heading: string, path: string): ObjectColumn {
  return [heading, ({ object }) => String(numberAt(object, path))];
}

function text(heading: string, path: string, silent: string): ObjectColumn {
  return [heading, ({ object }) => textAt(object, path) ?? silent];
}

function readyText({ object }: ObjectRow): string {
  const ready = numberAt(object, "status.readyReplicas");
  return `${ready}/${numberAt(object, "spec.replicas")}`;
}

function containersText(object: ShownObject, field: string): string {
  return listAt(templateOf(object), "spec.containers")
    .map((each) => textAt(each, field) ?? "").join(",");
}

function ownerText(object: ShownObject): string {
  const owner = object.metadata.ownerReferences?.find((each) =>
    each.controller === true
  );
  return owner === undefined ? "<none>" : `${kindWord(owner)}/${owner.name}`;
}

function jobStatus(object: ShownObject): string {
  if (hasShownCondition(object, "Complete")) return "Complete";
  if (hasShownCondition(object, "Failed")) return "Failed";
  if (object.metadata.deletionTimestamp !== undefined) return "Terminating";
  const others = ["Suspended", "FailureTarget", "SuccessCriteriaMet"];
  return others.find((each) => hasShownCondition(object, each)) ?? "Running";
}

function completionsText(object: ShownObject): string {
  const done = numberAt(object, "status.succeeded");
  const wanted = textAt(object, "spec.completions");
  if (wanted !== undefined) return `${done}/${wanted}`;
  const parallelism = numberAt(object, "spec.parallelism");
  return parallelism > 1 ? `${done}/1 of ${parallelism}` : `${done}/1`;
}

function jobDuration({ object, nowMs }: ObjectRow): string {
  const from = Date.parse(textAt(object, "status.startTime") ?? "");
  if (Number.isNaN(from)) return "";
  const end = Date.parse(textAt(object, "status.completionTime") ?? "");
  // A clock that was set back makes nothing take less than no time.
  return formatAge(Math.max(0, (Number.isNaN(end) ? nowMs : end) - from));
}

function portsText(object: ShownObject): string {
  const ports = listAt(object, "spec.ports").map((each) => {
    const node = textAt(each, "nodePort");
    const port = textAt(each, "port") ?? "";
    const behind = node === undefined ? "" : `:${node}`;
    return `${port}${behind}/${textAt(each, "protocol") ?? "TCP"}`;
  });
  return ports.join(",") || "<none>";
}
