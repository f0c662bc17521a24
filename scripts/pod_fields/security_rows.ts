/**
 * Rows of the security contexts.
 *
 * @module
 */

import {
  done,
  notApplicable,
  podSecurity,
  security,
  shownBy,
  type TypeRows,
  warned,
} from "./row.ts";

const WINDOWS = "Has no effect: the node runs Linux";

const LOCALHOST = { type: "Localhost", localhostProfile: "p.json" };
const SELINUX = { level: "s0", role: "r", type: "t", user: "u" };

/** Of the pod. */
export const POD_SECURITY_CONTEXT: TypeRows = {
  appArmorProfile: done(
    "container",
    "",
    podSecurity({ appArmorProfile: { type: "Unconfined" } }),
  ),
  fsGroup: done(
    "sandbox",
    "a group of every process, and of the files in the pod's volumes",
    podSecurity({ fsGroup: 7 }),
  ),
  fsGroupChangePolicy: done(
    shownBy("tests/component/volume/claims_test.ts", "OnRootMismatch"),
    "for claims; other volumes are new for each pod",
    podSecurity({ fsGroup: 7, fsGroupChangePolicy: "OnRootMismatch" }),
  ),
  runAsGroup: done(
    "container",
    "",
    podSecurity({ runAsUser: 7, runAsGroup: 8 }),
  ),
  runAsNonRoot: done(
    "container",
    "a container whose user is or may be root is not started",
    podSecurity({ runAsNonRoot: true }),
  ),
  runAsUser: done("container", "", podSecurity({ runAsUser: 7 })),
  seLinuxChangePolicy: notApplicable(
    "the runtime labels volumes file by file; the agent mounts nothing",
    podSecurity({ seLinuxChangePolicy: "Recursive" }),
  ),
  seLinuxOptions: done("sandbox", "", podSecurity({ seLinuxOptions: SELINUX })),
  seccompProfile: done(
    "container",
    "",
    podSecurity({ seccompProfile: { type: "RuntimeDefault" } }),
  ),
  supplementalGroups: done(
    "container",
    "",
    podSecurity({ supplementalGroups: [9] }),
  ),
  supplementalGroupsPolicy: done(
    "container",
    "`Strict` is refused when the runtime cannot do it",
    podSecurity({ supplementalGroupsPolicy: "Strict" }),
  ),
  sysctls: done(
    "sandbox",
    "",
    podSecurity({ sysctls: [{ name: "kernel.shm_rmid_forced", value: "1" }] }),
  ),
  windowsOptions: warned(
    WINDOWS,
    podSecurity({ windowsOptions: { hostProcess: false } }),
  ),
};

/** Of a container. */
export const SECURITY_CONTEXT: TypeRows = {
  allowPrivilegeEscalation: done(
    "container",
    "",
    security({ allowPrivilegeEscalation: false }),
  ),
  appArmorProfile: done(
    "container",
    "",
    security({ appArmorProfile: { type: "Unconfined" } }),
  ),
  capabilities: done(
    "container",
    "",
    security({ capabilities: { drop: ["ALL"] } }),
  ),
  privileged: done("container", "", security({ privileged: true })),
  procMount: done(
    "container",
    "`Unmasked` wants `hostUsers: false`",
    security({ procMount: "Unmasked" }, { hostUsers: false }),
  ),
  readOnlyRootFilesystem: done(
    "container",
    "",
    security({ readOnlyRootFilesystem: true }),
  ),
  runAsGroup: done("container", "", security({ runAsUser: 7, runAsGroup: 8 })),
  runAsNonRoot: done(
    "container",
    "a container whose user is or may be root is not started",
    security({ runAsNonRoot: true }),
  ),
  runAsUser: done("container", "", security({ runAsUser: 7 })),
  seLinuxOptions: done("container", "", security({ seLinuxOptions: SELINUX })),
  seccompProfile: done(
    "container",
    "",
    security({ seccompProfile: { type: "RuntimeDefault" } }),
  ),
  windowsOptions: warned(
    WINDOWS,
    security({ windowsOptions: { hostProcess: false } }),
  ),
};

const windows = (options: Readonly<Record<string, unknown>>) =>
  warned(WINDOWS, security({ windowsOptions: options }));

/** Below both. */
export const SECURITY_PARTS: Readonly<Record<string, TypeRows>> = {
  AppArmorProfile: {
    localhostProfile: done(
      "container",
      "",
      security({ appArmorProfile: { ...LOCALHOST, localhostProfile: "p" } }),
      "q",
    ),
    type: done(
      "container",
      "the annotation counts where the field is absent",
      security({ appArmorProfile: { type: "Unconfined" } }),
      "RuntimeDefault",
    ),
  },
  Capabilities: {
    add: done(
      "container",
      "",
      security({ capabilities: { add: ["NET_ADMIN"] } }),
    ),
    drop: done("container", "", security({ capabilities: { drop: ["ALL"] } })),
  },
  SELinuxOptions: {
    level: done("container", "", security({ seLinuxOptions: SELINUX })),
    role: done("container", "", security({ seLinuxOptions: SELINUX })),
    type: done("container", "", security({ seLinuxOptions: SELINUX })),
    user: done("container", "", security({ seLinuxOptions: SELINUX })),
  },
  SeccompProfile: {
    localhostProfile: done(
      "container",
      "below the seccomp directory of the agent",
      security({ seccompProfile: LOCALHOST }),
      "q.json",
    ),
    type: done(
      "container",
      "",
      security({ seccompProfile: { type: "RuntimeDefault" } }),
      "Unconfined",
    ),
  },
  WindowsSecurityContextOptions: {
    gmsaCredentialSpec: windows({ gmsaCredentialSpec: "x" }),
    gmsaCredentialSpecName: windows({ gmsaCredentialSpecName: "x" }),
    hostProcess: windows({ hostProcess: false }),
    runAsUserName: windows({ runAsUserName: "x" }),
  },
};
