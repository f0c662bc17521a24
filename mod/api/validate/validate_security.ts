/**
 * Checks security contexts of pods and containers.
 *
 * @module
 */

import {
  type Check,
  each,
  fields,
  oneOf,
  range,
  required,
  shape,
  Uniques,
} from "./checks.ts";
import { localPathProblem, MAX_PATH, type Problem, tooLong } from "./names.ts";
import type { Place } from "../fault/mod.ts";
import type {
  PodSecurityContext,
  PodSpec,
  SecurityContext,
} from "../types/mod.ts";

/** Ids are signed 32-bit numbers on the way to the kernel. */
const ID = range(0, 2 ** 31 - 1);

/** A check of the security context of a pod. */
export function podSecurityChecks(
  spec: PodSpec,
): Check<PodSecurityContext | undefined> {
  return fields({
    runAsUser: ID,
    runAsGroup: ID,
    fsGroup: ID,
    supplementalGroups: each(ID),
    fsGroupChangePolicy: oneOf("OnRootMismatch", "Always"),
    supplementalGroupsPolicy: oneOf("Merge", "Strict"),
    seLinuxChangePolicy: oneOf("MountOption", "Recursive"),
    sysctls: (sysctls, at) => validateSysctls(sysctls ?? [], at, spec),
    seccompProfile: validateProfile(localPathProblem),
    appArmorProfile: validateProfile(appArmorProblem),
  });
}

/** A check of the security context of a container, for all containers of a pod. */
export function containerSecurityChecks(
  spec: PodSpec,
): Check<SecurityContext | undefined> {
  const capabilities = each(shape(capabilityProblem));
  const mounts = oneOf("Default", "Unmasked");
  return fields({
    runAsUser: ID,
    runAsGroup: ID,
    seccompProfile: validateProfile(localPathProblem),
    appArmorProfile: validateProfile(appArmorProblem),
    capabilities: fields({
      add: capabilities,
      drop: capabilities,
    }),
    allowPrivilegeEscalation: checkEscalation,
    procMount: (mount, at) => {
      mounts(mount, at);
      if (mount !== "Unmasked" || spec.hostUsers === false) return;
      at.invalid(mount, "`hostUsers` must be false to use `Unmasked`");
    },
  });
}

const SYSCTL =
  /^[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?(?:[./][a-z0-9](?:[-_a-z0-9]*[a-z0-9])?)*$/;

function validateSysctls(
  sysctls: NonNullable<PodSecurityContext["sysctls"]>,
  at: Place,
  spec: PodSpec,
): void {
  const names = new Uniques();
  const checkName = required(
    shape((name) =>
      name.length <= 253 && SYSCTL.test(name)
        ? undefined
        : "must be the name of a sysctl, such as net.ipv4.ip_forward"
    ),
  );
  const checkValue = shape(sysctlValueProblem);
  for (const [i, sysctl] of sysctls.entries()) {
    const place = at.index(i).child("name");
    const { name } = sysctl;
    checkName(name, place);
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
    checkValue(sysctl.value, at.index(i).child("value"));
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

function validateProfile(
  problemOf: (file: string) => Problem,
): Check<SecurityContext["seccompProfile"]> {
  const profile = required(shape(problemOf));
  return fields({
    type: required(oneOf("Localhost", "RuntimeDefault", "Unconfined")),
    localhostProfile: (file, at, { type }) => {
      if (type === "Localhost") profile(file, at);
      else if (type && file !== undefined) {
        at.invalid(file, "can only be set when `type` is Localhost");
      }
    },
  });
}

function appArmorProblem(profile: string): Problem {
  if (profile.trim() !== profile) return "must not be padded with whitespace";
  return profile.length > MAX_PATH ? tooLong(MAX_PATH) : undefined;
}

function checkEscalation(
  isAllowed: boolean | undefined,
  at: Place,
  { capabilities, privileged }: SecurityContext,
): void {
  if (isAllowed !== false) return;
  if (privileged === true) {
    at.invalid(false, "cannot be false when `privileged` is true");
  }
  // As upstream, only where it is spelt so; the container has it without, too.
  if (capabilities?.add?.includes("CAP_SYS_ADMIN") === true) {
    at.invalid(
      false,
      "cannot be false when `capabilities.add` holds CAP_SYS_ADMIN",
    );
  }
}

// The API server takes any word, and the runtime then fails to make the container.
function capabilityProblem(name: string): Problem {
  return CAPABILITIES.has(name.toUpperCase().replace(/^CAP_/, ""))
    ? undefined
    : "is no capability; wanted ALL or a name such as NET_ADMIN";
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
