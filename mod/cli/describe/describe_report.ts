/**
 * All that is known of a pod, as `kubectl describe` lays it out.
 *
 * @module
 */

import type {
  ContainerSpec,
  ContainerStatus,
  Pod,
  PodCondition,
} from "../../api/types/mod.ts";
import type { PodReport } from "../../server/mod.ts";
import { containerFields, type TimeTexts } from "./describe_container.ts";
import { volumesValue } from "./describe_volumes.ts";
import {
  annotationLines,
  eventLines,
  labelLines,
  orNone,
  timeTexts,
  titledTable,
} from "./describe_parts.ts";
import { fieldLines, given, type NamedValue } from "../text/mod.ts";

/**
 * Writes the whole report. Ages are by the clock of the node.
 *
 * @param options.utcOffsetMs How far local time is ahead of UTC.
 */
export function describeReport(
  report: PodReport,
  options: { readonly utcOffsetMs: number },
): string {
  const texts = timeTexts(report.time, options.utcOffsetMs);
  const lines = [
    ...fieldLines(headFields(report, texts)),
    ...containerLines(report, texts),
    ...conditionLines(report.pod.status?.conditions ?? [], texts),
    ...fieldLines([
      ["Volumes", volumesValue(report.pod.spec.volumes ?? [])],
      ["QoS Class", report.pod.status?.qosClass ?? "<unknown>"],
      ["Explanation", { lines: report.explanation }],
    ]),
    ...decisionLines(report, texts),
    ...eventLines(report),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function headFields(
  report: PodReport,
  texts: TimeTexts,
): readonly NamedValue[] {
  const { pod, source } = report;
  const { metadata, spec, status = {} } = pod;
  const node = [spec.nodeName, status.hostIP].filter((each) => each);
  const ips = status.podIPs ?? [];
  const shown = status.phase ?? "Unknown";
  return [
    ["Name", metadata.name],
    ["Namespace", metadata.namespace],
    ["UID", metadata.uid === "" ? "<none>" : metadata.uid],
    ["Priority", String(spec.priority ?? 0)],
    ...given("Priority Class Name", spec.priorityClassName),
    ...given("Runtime Class Name", spec.runtimeClassName),
    ["Node", node.length === 0 ? "<none>" : node.join("/")],
    ["Start Time", texts.time(status.startTime)],
    ["Labels", orNone(labelLines(metadata.labels))],
    ["Annotations", orNone(annotationLines(metadata.annotations))],
    ...(metadata.deletionTimestamp === undefined
      ? [["Status", shown] as const]
      : endingFields(pod, texts)),
    ...given("Reason", status.reason),
    ...given("Message", status.message),
    ["IP", status.podIP ?? ""],
    [
      "IPs",
      ips.length === 0
        ? "<none>"
        : { block: ips.map(({ ip }) => ["IP", ip] as const) },
    ],
    [
      "Controlled By",
      source === undefined ? "<none>" : `${source.name} ${source.location}`,
    ],
  ];
}

function endingFields(
  { metadata }: Pod,
  texts: TimeTexts,
): readonly NamedValue[] {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata;
  return [
    ["Status", `Terminating (lasts ${texts.age(deletionTimestamp)})`],
    ["Termination Grace Period", `${deletionGracePeriodSeconds}s`],
  ];
}

function containerLines(
  { pod, probes }: PodReport,
  texts: TimeTexts,
): readonly string[] {
  const { spec, status = {} } = pod;
  const group = (
    title: string,
    specs: readonly ContainerSpec[] = [],
    statuses: readonly ContainerStatus[] = [],
  ): readonly string[] => {
    if (specs.length === 0) return [];
    const block = specs.map((each) => {
      const described = {
        spec: each,
        status: statuses.find(({ name }) => name === each.name),
        probes: probes.filter(({ container }) => container === each.name),
      };
      const value = { block: containerFields(described, texts) };
      return [each.name, value] as const;
    });
    return fieldLines([[title, { block }]]);
  };
  return [
    ...group(
      "Init Containers",
      spec.initContainers,
      status.initContainerStatuses,
    ),
    ...group("Containers", spec.containers, status.containerStatuses),
    ...group(
      "Ephemeral Containers",
      spec.ephemeralContainers,
      status.ephemeralContainerStatuses,
    ),
  ];
}

function conditionLines(
  conditions: readonly PodCondition[],
  texts: TimeTexts,
): readonly string[] {
  if (conditions.length === 0) return [];
  return titledTable("Conditions", [
    ["Type", "Status", "Since", "Reason", "Message"],
    ...conditions.map((condition) => [
      condition.type,
      condition.status,
      texts.age(condition.lastTransitionTime),
      condition.reason ?? "",
      condition.message ?? "",
    ]),
  ]);
}

function decisionLines(
  { decision, activities }: PodReport,
  texts: TimeTexts,
): readonly string[] {
  if (decision === undefined) return [];
  const { time, plan, why, failures, next } = decision;
  const failed = failures.map(({ container, reason, message }) =>
    `${container === undefined ? "" : `${container}: `}${reason}: ${message}`
  );
  const doing = activities.map(({ kind, container, image, seconds }) =>
    [kind, container, image, `for ${seconds}s`]
      .filter((each) => each !== undefined).join(" ")
  );
  return fieldLines([["Last Decision", {
    block: [
      ["Made", `${texts.time(time)} (${texts.age(time)} ago)`],
      ["Plan", plan ?? "<none>"],
      ["Why", why],
      ...(failed.length === 0 ? [] : [["Failed", failed] as const]),
      ...(doing.length === 0 ? [] : [["Doing", doing] as const]),
      [
        "Next",
        next.time === undefined
          ? next.kind
          : `${next.kind}, at ${texts.time(next.time)}`,
      ],
    ],
  }]]);
}
