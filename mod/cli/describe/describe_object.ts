/**
 * What makes pods, or is named by them, as `kubectl describe` lays it out.
 *
 * @module
 */

import type { Pod, WireEvent } from "../../api/types/mod.ts";
import {
  fieldAt,
  isControlledBy,
  labelsText,
  listAt,
  mapAt,
  numberAt,
  selectorText,
  type ShownObject,
  templateOf,
  textAt,
} from "../kinds/mod.ts";
import { newestSet } from "../rollout/mod.ts";
import { fieldLines, given, type NamedValue } from "../text/mod.ts";
import type { TimeTexts } from "./describe_container.ts";
import { kindFields, lastFields } from "./describe_kinds.ts";
import {
  annotationLines,
  eventLines,
  labelLines,
  orNone,
  timeTexts,
  titledTable,
} from "./describe_parts.ts";
import { templateField } from "./describe_template.ts";

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
    /** Those of its namespace, where its kind has to do with pods. */
    readonly pods?: readonly Pod[];
    /** Those of its namespace, if it is a Deployment. */
    readonly replicaSets?: readonly ShownObject[];
    readonly time: string;
    readonly utcOffsetMs: number;
  },
): string {
  const { events, pods = [], replicaSets = [], time, utcOffsetMs } = options;
  const texts = timeTexts(time, utcOffsetMs);
  const lines = [
    ...fieldLines([
      ...headFields(object, texts),
      ...kindFields(object, { texts, pods }),
      ...templateField(templateOf(object)),
      ...lastFields(object, { texts }),
    ]),
    ...dataLines(object),
    ...conditionLines(object),
    ...fieldLines(revisionFields(object, replicaSets)),
    ...eventLines({ events, time }),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/** The order of kubectl, which has the selector of Deployments and Services further below. */
const LABELS_FIRST = ["Deployment", "Service"];

function headFields(
  object: ShownObject,
  texts: TimeTexts,
): readonly NamedValue[] {
  const { kind, metadata } = object;
  const { creationTimestamp, deletionTimestamp } = metadata;
  const owner = metadata.ownerReferences?.find((each) => each.controller);
  const selector: readonly NamedValue[] = [
    ...(fieldAt(object, "spec.selector") === undefined
      ? []
      : [["Selector", selectorText(object)] as const]),
    ...(kind === "DaemonSet"
      ? [["Node-Selector", labelsText(mapAt(object, NODES))] as const]
      : []),
  ];
  const labels: readonly NamedValue[] = [
    ["Labels", orNone(labelLines(metadata.labels))],
    ["Annotations", orNone(annotationLines(metadata.annotations))],
  ];
  return [
    ["Name", metadata.name],
    ...given("Namespace", metadata.namespace),
    ...(creationTimestamp === undefined
      ? []
      : [["CreationTimestamp", texts.time(creationTimestamp)] as const]),
    ...(deletionTimestamp === undefined
      ? []
      : [["Terminating", `lasts ${texts.age(deletionTimestamp)}`] as const]),
    ...(LABELS_FIRST.includes(kind)
      ? [...labels, ...selector]
      : [...selector, ...labels]),
    ...(owner === undefined
      ? []
      : [["Controlled By", `${owner.kind}/${owner.name}`] as const]),
  ];
}

const NODES = "spec.template.spec.nodeSelector";

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

/** The versions of a Deployment: that of its template, and the others. */
function revisionFields(
  object: ShownObject,
  replicaSets: readonly ShownObject[],
): readonly NamedValue[] {
  const own = replicaSets.filter((each) => isControlledBy(each, object));
  if (own.length === 0) return [];
  const newest = newestSet(object, own);
  const text = (sets: readonly ShownObject[]): string =>
    sets.map((each) =>
      `${each.metadata.name} (${numberAt(each, "status.replicas")}/${
        numberAt(each, "spec.replicas")
      } replicas created)`
    ).join(", ") || "<none>";
  return [
    ["OldReplicaSets", text(own.filter((each) => each !== newest))],
    ["NewReplicaSet", text(newest === undefined ? [] : [newest])],
  ];
}
