/**
 * What a ControllerRevision holds: a template, as upstream writes it.
 *
 * @module
 */

import type {
  ControllerRevision,
  PodTemplate,
} from "../../api/workload/mod.ts";
import { isRecord } from "../../base/mod.ts";

/** A strategic merge patch that puts the template in the place of any other. */
export function revisionData(
  template: PodTemplate,
): NonNullable<ControllerRevision["data"]> {
  return { spec: { template: { ...template, [HOW]: "replace" } } };
}

const HOW = "$patch";

/** The template that a revision holds; `undefined` for what is none. */
export function revisionTemplate(
  { data }: ControllerRevision,
): PodTemplate | undefined {
  const spec: unknown = isRecord(data) ? data["spec"] : undefined;
  const template: unknown = isRecord(spec) ? spec["template"] : undefined;
  if (!isRecord(template)) return undefined;
  const { [HOW]: _how, ...plain } = template;
  return isTemplate(plain) ? plain : undefined;
}

/** Whether it has at least the shape of one; the store validates what is made from it. */
function isTemplate(
  value: Readonly<Record<string, unknown>>,
): value is Readonly<Record<string, unknown>> & PodTemplate {
  const { spec } = value;
  return isRecord(spec) && Array.isArray(spec["containers"]);
}
