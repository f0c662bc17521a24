/**
 * The template of pods as `kubectl describe` writes it.
 *
 * @module
 */

import type { PodTemplate } from "../../api/workload/mod.ts";
import { isRecord } from "../../base/mod.ts";
import { fieldLines, given, type NamedValue } from "../text/mod.ts";
import { containerFields } from "./describe_container.ts";
import { annotationLines, labelLines, orNone } from "./describe_parts.ts";
import { volumesValue } from "./describe_volumes.ts";

/** A template alone, as `rollout history` shows one. */
export function describeTemplate(template: unknown): string {
  return fieldLines(templateField(template)).map((line) => `${line}\n`)
    .join("");
}

/** The template as a field; nothing where there is none. */
export function templateField(template: unknown): readonly NamedValue[] {
  return isTemplate(template)
    ? [["Pod Template", { block: templateFields(template) }]]
    : [];
}

/** An agent of the same version has read it as one. */
function isTemplate(template: unknown): template is PodTemplate {
  return isRecord(template) && isRecord(template["spec"]);
}

/** What a container has only when it runs. */
const OF_RUNNING = ["Container ID", "Image ID", "State"];
/** Nothing of a template has happened at a time. */
const NO_TIMES = { time: () => "", age: () => "" };

function templateFields(
  { metadata = {}, spec }: PodTemplate,
): readonly NamedValue[] {
  const notes = annotationLines(metadata.annotations);
  const group = (
    label: string,
    specs: typeof spec.containers = [],
  ): readonly NamedValue[] => {
    if (specs.length === 0) return [];
    const block = specs.map((each): NamedValue => {
      const known = { spec: each, status: undefined, probes: [] };
      const fields = containerFields(known, NO_TIMES);
      return [each.name, {
        block: fields.filter(([name]) => !OF_RUNNING.includes(name)),
      }];
    });
    return [[label, { block }]];
  };
  return [
    ["Labels", orNone(labelLines(metadata.labels))],
    ...(notes.length === 0 ? [] : [["Annotations", notes] as const]),
    ...given("Service Account", spec.serviceAccountName),
    ...group("Init Containers", spec.initContainers),
    ...group("Containers", spec.containers),
    ["Volumes", volumesValue(spec.volumes ?? [])],
    ...given("Priority Class Name", spec.priorityClassName),
    ["Node-Selectors", orNone(labelLines(spec.nodeSelector))],
  ];
}
