/**
 * Checks `spec.os` against the fields that only one operating system has.
 *
 * @module
 */

import { fields, oneOf, required } from "./checks.ts";
import type { Place } from "../fault/mod.ts";
import type {
  PodSecurityContext,
  PodSpec,
  SecurityContext,
} from "../types/mod.ts";
import { containerPlaces } from "./pod_index.ts";

/** Reports fields that the pod's operating system has not. */
export function validateOs(spec: PodSpec, at: Place): void {
  const { os } = spec;
  OS(os, at.child("os"));
  if (os?.name === "linux") refuseFields(spec, WINDOWS_FIELDS, at);
  if (os?.name === "windows") refuseFields(spec, LINUX_FIELDS, at);
}

const OS = fields<NonNullable<PodSpec["os"]>>({
  name: required(oneOf("linux", "windows")),
});

/** The fields that the pods of an operating system cannot have. */
interface OsFields {
  readonly os: string;
  readonly spec: readonly (keyof PodSpec)[];
  readonly pod: readonly (keyof PodSecurityContext)[];
  readonly container: readonly (keyof SecurityContext)[];
}

const WINDOWS_FIELDS: OsFields = {
  os: "linux",
  spec: [],
  pod: ["windowsOptions"],
  container: ["windowsOptions"],
};

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

function refuseFields(spec: PodSpec, refused: OsFields, at: Place): void {
  const detail = `cannot be set for a ${refused.os} pod`;
  for (const name of refused.spec) {
    // `false` is what these are without being set.
    if (!spec[name]) continue;
    at.child(name).forbidden(detail);
  }
  const { securityContext } = spec;
  for (const name of refused.pod) {
    if (securityContext?.[name] === undefined) continue;
    at.child("securityContext").child(name).forbidden(detail);
  }
  for (const [{ securityContext }, place] of containerPlaces(spec, at)) {
    for (const name of refused.container) {
      if (securityContext?.[name] === undefined) continue;
      place.child("securityContext").child(name).forbidden(detail);
    }
  }
}
