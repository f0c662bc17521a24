/**
 * From raw documents to what makes pods.
 *
 * @module
 */

import {
  applyWorkloadDefaults,
  type WrittenWorkload,
} from "../defaults/mod.ts";
import { fnv1a128Hex, stableJson } from "../objects/mod.ts";
import type { RawObject } from "../text/mod.ts";
import { type WorkloadManifest, workloadTemplate } from "../workload/mod.ts";
import { validateWorkload } from "../validate/mod.ts";
import type { Place } from "../fault/mod.ts";
import type { ObjectReading } from "./decode_object.ts";
import { warnOfLeftOut } from "./exported_pod.ts";
import { withoutStoreFields } from "./exported_workload.ts";
import { warnOfPod } from "./pod_warnings.ts";
import { readTyped } from "./schema.ts";

/**
 * Reads and checks a workload as the API server checks one that is created.
 *
 * What is wrong is reported; the result counts only if nothing is.
 */
export function readWorkload(
  kind: WorkloadManifest["kind"],
  value: RawObject,
  reading: ObjectReading & { readonly isFaultless: () => boolean },
): WorkloadManifest {
  const { at, settle } = reading;
  const { value: plain, leftOut } = withoutStoreFields(value);
  warnOfLeftOut(leftOut, at);
  // The schema has checked every field; what was wrong is missing and reported.
  const typed = readTyped(plain, kind, at) as Omit<WrittenWorkload, "kind">;
  const written = { ...typed, kind } as WrittenWorkload;
  checkWritten(written, at.child("spec"));
  settle();
  const writtenHash = fnv1a128Hex(stableJson(written.spec));
  const workload = { ...applyWorkloadDefaults(written), writtenHash };
  validateWorkload(workload, at);
  if (reading.isFaultless()) {
    const { template, path } = workloadTemplate(workload);
    const { metadata = {}, spec } = template;
    const place = path.reduce((place, name) => place.child(name), at);
    warnOfPod({ apiVersion: "v1", kind: "Pod", metadata, spec }, place);
  }
  return workload;
}

/** Reports what defaults would hide. */
function checkWritten(workload: WrittenWorkload, at: Place): void {
  const { kind, spec = {} } = workload;
  switch (kind) {
    case "ReplicationController":
      if (!("template" in spec)) at.child("template").required();
      return;
    case "ReplicaSet":
    case "Deployment":
    case "DaemonSet":
    case "StatefulSet":
      if (!("selector" in spec)) at.child("selector").required();
      return;
    case "CronJob": {
      const { selector } = workload.spec?.jobTemplate?.spec ?? {};
      if (selector === undefined) return;
      at.child("jobTemplate").child("spec").child("selector").invalid(
        selector,
        "`selector` will be auto-generated",
      );
      return;
    }
    case "Job":
      // It gets one that selects by its own UID.
      return;
  }
}
