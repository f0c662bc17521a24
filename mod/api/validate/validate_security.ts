/**
 * Checks security contexts of pods and containers.
 *
 * @module
 */

import {
  checkEnum,
  checkRange,
  checkShape,
  requireShape,
  Uniques,
} from "./checks.ts";
import { localPathProblem, type Problem } from "./names.ts";
import type { Place } from "../fault/mod.ts";
import type {
  ContainerSpec,
  PodSecurityContext,
  PodSpec,
  SecurityContext,
} from "../types/mod.ts";

/** Ids are signed 32-bit numbers on the way to the kernel. */
const ID_RANGE = { min: 0, max: 2 ** 31 - 1 };

/** Reports what is wrong with the security context of a pod. */
export function validatePodSecurity(spec: PodSpec, at: Place): void {
  const context = spec.securityContext ?? {};
  for (const name of ["runAsUser", "runAsGroup", "fsGroup"] as const) {
    checkRange(context[name], ID_RANGE, at.child(name));
  }
  for (const [i, group] of (context.supplementalGroups ?? []).entries()) {
    checkRange(group, ID_RANGE, at.child("supplementalGroups").index(i));
  }
  checkEnum(
    context.fsGroupChangePolicy,
    ["OnRootMismatch", "Always"],
    at.child("fsGroupChangePolicy"),
  );
  checkEnum(
    context.supplementalGroupsPolicy,
    ["Merge", "Strict"],
    at.child("supplementalGroupsPolicy"),
  );
  checkEnum(
    context.seLinuxChangePolicy,
    ["MountOption", "Recursive"],
    at.child("seLinuxChangePolicy"),
  );
  validateSysctls(context.sysctls ?? [], at.child("sysctls"), spec);
  validateProfiles(context, at);
}

/** Reports what is wrong with the security context of a container. */
export function validateContainerSecurity(
  container: ContainerSpec,
  at: Place,
  spec: PodSpec,
): void {
  const context = container.securityContext;
  if (context === undefined) return;
  checkRange(context.runAsUser, ID_RANGE, at.child("runAsUser"));
  checkRange(context.runAsGroup, ID_RANGE, at.child("runAsGroup"));
  validateProfiles(context, at);
  validateCapabilities(context, at);
  validateEscalation(context, at);
  const place = at.child("procMount");
  checkEnum(context.procMount, ["Default", "Unmasked"], place);
  if (context.procMount === "Unmasked" && spec.hostUsers !== false) {
    place.invalid(
      context.procMount,
      "`hostUsers` must be false to use `Unmasked`",
    );
  }
}

const SYSCTL =
  /^[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?(?:[./][a-z0-9](?:[-_a-z0-9]*[a-z0-9])?)*$/;

function validateSysctls(
  sysctls: NonNullable<PodSecurityContext["sysctls"]>,
  at: Place,
  spec: PodSpec,
): void {
  const names = new Uniques();
  for (const [i, sysctl] of sysctls.entries()) {
    const place = at.index(i).child("name");
    const { name } = sysctl;
    requireShape(name, sysctlProblem, place);
    // Dots and slashes part the steps of the same name.
    const dotted = name?.replaceAll("/", ".");
    names.check(dotted, place);
    if (spec.hostNetwork === true && dotted?.startsWith("net.")) {
      place.invalid(name, "may not be specified when `hostNetwork` is true");
    }
    const isIpc = dotted !== undefined &&
      /^(?:kernel\.(?:shm|msg|sem)|fs\.mqueue\.)/.test(dotted);
    if (spec.hostIPC === true && isIpc) {
      place.invalid(name, "may not be specified when `hostIPC` is true");
    }
    checkShape(sysctl.value, sysctlValueProblem, at.index(i).child("value"));
  }
}

// Some runtimes hand all sysctls to a helper as one text, parted by "+"
// (CVE-2022-0811); the kernel ends a value at a line break. Several numbers of one
// value are parted by blanks, so those are right.
function sysctlValueProblem(value: string): Problem {
  // deno-lint-ignore no-control-regex -- control characters are what is refused
  return /[\x00-\x08\x0a-\x1f\x7f+]/.test(value) || value.trim() !== value
    ? "must not contain '+' or control characters, nor begin or end with a blank"
    : undefined;
}

function sysctlProblem(name: string): Problem {
  return name.length <= 253 && SYSCTL.test(name)
    ? undefined
    : "must be the name of a sysctl, such as net.ipv4.ip_forward";
}

function validateProfiles(
  context: Pick<SecurityContext, "seccompProfile" | "appArmorProfile">,
  at: Place,
): void {
  for (const name of ["seccompProfile", "appArmorProfile"] as const) {
    const profile = context[name];
    if (profile === undefined) continue;
    const { localhostProfile, type } = profile;
    const place = at.child(name);
    if (!type) {
      place.child("type").required();
      continue;
    }
    checkEnum(
      type,
      ["Localhost", "RuntimeDefault", "Unconfined"],
      place.child("type"),
    );
    const file = place.child("localhostProfile");
    if (type !== "Localhost") {
      if (localhostProfile === undefined) continue;
      file.invalid(
        localhostProfile,
        "can only be set when `type` is Localhost",
      );
    } else if (name === "seccompProfile") {
      requireShape(localhostProfile, localPathProblem, file);
    } else requireShape(localhostProfile, appArmorProblem, file);
  }
}

function appArmorProblem(profile: string): Problem {
  if (profile.trim() !== profile) return "must not be padded with whitespace";
  return profile.length > 4095
    ? "must be no more than 4095 characters"
    : undefined;
}

function validateEscalation(context: SecurityContext, at: Place): void {
  if (context.allowPrivilegeEscalation !== false) return;
  const place = at.child("allowPrivilegeEscalation");
  if (context.privileged === true) {
    place.invalid(
      false,
      "cannot be false when `privileged` is true",
    );
  }
  // As upstream, only where it is spelt so; the container has it without, too.
  if (context.capabilities?.add?.includes("CAP_SYS_ADMIN") === true) {
    place.invalid(
      false,
      "cannot be false when `capabilities.add` holds CAP_SYS_ADMIN",
    );
  }
}

function validateCapabilities(context: SecurityContext, at: Place): void {
  for (const list of ["add", "drop"] as const) {
    for (const [i, name] of (context.capabilities?.[list] ?? []).entries()) {
      const place = at.child("capabilities").child(list).index(i);
      checkShape(name, capabilityProblem, place);
    }
  }
}

// The API server takes any word, and the runtime then fails to make the container.
function capabilityProblem(name: string): Problem {
  return CAPABILITIES.has(bareName(name))
    ? undefined
    : "is no capability; wanted ALL or a name such as NET_ADMIN";
}

function bareName(name: string): string {
  return name.toUpperCase().replace(/^CAP_/, "");
}

/** capabilities(7), and all of them. */
const CAPABILITIES: ReadonlySet<string> = new Set(
  ("ALL AUDIT_CONTROL AUDIT_READ AUDIT_WRITE BLOCK_SUSPEND BPF " +
    "CHECKPOINT_RESTORE CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID " +
    "IPC_LOCK IPC_OWNER KILL LEASE LINUX_IMMUTABLE MAC_ADMIN MAC_OVERRIDE " +
    "MKNOD NET_ADMIN NET_BIND_SERVICE NET_BROADCAST NET_RAW PERFMON SETFCAP " +
    "SETGID SETPCAP SETUID SYSLOG SYS_ADMIN SYS_BOOT SYS_CHROOT SYS_MODULE " +
    "SYS_NICE SYS_PACCT SYS_PTRACE SYS_RAWIO SYS_RESOURCE SYS_TIME " +
    "SYS_TTY_CONFIG WAKE_ALARM").split(" "),
);
