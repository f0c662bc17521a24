/**
 * What the node has against the pods that a workload would make.
 *
 * @module
 */

import type { Fault } from "../../api/fault/mod.ts";
import {
  type WorkloadManifest,
  workloadTemplate,
} from "../../api/workload/mod.ts";
import type { PodCheck } from "../mod.ts";

/** Lists why pods of that template cannot run here; it is asked as a pod without a UID. */
export function checkTemplate(
  workload: WorkloadManifest,
  check: PodCheck,
): readonly Fault[] {
  const { template, path } = workloadTemplate(workload);
  const { name, namespace } = workload.metadata;
  const metadata = { ...template.metadata, name, namespace, uid: "" };
  const pod = { apiVersion: "v1", kind: "Pod", metadata } as const;
  return check({ ...pod, spec: template.spec }, [])
    .map((fault) => ({
      ...fault,
      field: [...path, fault.field].join("."),
    }));
}
