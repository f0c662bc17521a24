/**
 * Checks `spec.os` against the fields that only one operating system has.
 *
 * @module
 */

import { checkEnum, requireText } from "./checks.ts";
import type { Place } from "../fault/mod.ts";
import type {
  PodSecurityContext,
  PodSpec,
  SecurityContext,
} from "../types/mod.ts";

/** Reports fields that the pod's operating system has not. */
export function validateOs(spec: PodSpec, at: Place): void {
  const { os } = spec;
  if (os === undefined) return;
  const place = at.child("os").child("name");
  requireText(os.name, place);
  if (os.name !== "") checkEnum(os.name, ["linux", "windows"], place);
  const fields: OsFields | undefined = os.name === "linux"
    ? {
      os: "linux",
      spec: [],
      pod: ["windowsOptions"],
      container: ["windowsOptions"],
    }
    : os.name === "windows"
    ? LINUX_FIELDS
    : undefined;
  if (fields !== undefined) refuseFields(spec, fields, at);
}

interface OsFields {
  readonly os: string;
  readonly spec: readonly (keyof PodSpec)[];
  readonly pod: readonly (keyof PodSecurityContext)[];
  readonly container: readonly (keyof SecurityContext)[];
}

const LINUX_FIELDS: OsFields = {
  os: "windows",
  spec: ["hostIPC", "hostPID", "hostUsers", "shareProcessNamespace"],
  pod: [
    "appArmorProfile",
    "fsGroup",
    "fsGroupChangePolicy",
    "runAsGroup",
    "runAsUser",
    "seLinuxOptions",
    "seccompProfile",
    "supplementalGroups",
    "supplementalGroupsPolicy",
    "sysctls",
  ],
  container: [
    "allowPrivilegeEscalation",
    "appArmorProfile",
    "capabilities",
    "privileged",
    "procMount",
    "readOnlyRootFilesystem",
    "runAsGroup",
    "runAsUser",
    "seLinuxOptions",
    "seccompProfile",
  ],
};

function refuseFields(spec: PodSpec, fields: OsFields, at: Place): void {
  const detail = `cannot be set for a ${fields.os} pod`;
  for (const name of fields.spec) {
    // `false` is what these are without being set.
    if (spec[name] === undefined || spec[name] === false) continue;
    at.child(name).forbidden(detail);
  }
  for (const name of fields.pod) {
    if (spec.securityContext?.[name] === undefined) continue;
    at.child("securityContext").child(name).forbidden(detail);
  }
  const lists = {
    containers: spec.containers,
    initContainers: spec.initContainers,
  };
  for (const [list, containers] of Object.entries(lists)) {
    for (const [i, container] of (containers ?? []).entries()) {
      const place = at.child(list).index(i).child("securityContext");
      for (const name of fields.container) {
        if (container.securityContext?.[name] === undefined) continue;
        place.child(name).forbidden(detail);
      }
    }
  }
}
