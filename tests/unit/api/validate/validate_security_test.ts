/**
 * @module
 */

import {
  type Parts,
  type RefusedRow,
  testRefused,
  testTaken,
} from "../../../support/api/rows.ts";

const C = "spec.containers[0]";

function secure(securityContext: unknown): Parts {
  return { container: { securityContext } };
}

function securePod(securityContext: unknown, spec = {}): Parts {
  return { spec: { ...spec, securityContext } };
}

testRefused([
  [
    "user -1",
    secure({ runAsUser: -1 }),
    `${C}.securityContext.runAsUser`,
    /between 0 and 2147483647/,
  ],
  [
    "user 2^31",
    secure({ runAsUser: 2 ** 31 }),
    `${C}.securityContext.runAsUser`,
    /between 0/,
  ],
  [
    "group -1 of files",
    securePod({ fsGroup: -1 }),
    "spec.securityContext.fsGroup",
    /between 0/,
  ],
  [
    "privileges without escalation",
    secure({ privileged: true, allowPrivilegeEscalation: false }),
    `${C}.securityContext.allowPrivilegeEscalation`,
    /^Invalid value: false: .*privileged/,
  ],
  [
    "CAP_SYS_ADMIN without escalation",
    secure({
      capabilities: { add: ["CAP_SYS_ADMIN"] },
      allowPrivilegeEscalation: false,
    }),
    `${C}.securityContext.allowPrivilegeEscalation`,
    /^Invalid value: false: .*CAP_SYS_ADMIN/,
  ],
  [
    "a capability that there is not",
    secure({ capabilities: { add: ["FLY"] } }),
    `${C}.securityContext.capabilities.add[0]`,
    /no capability/,
  ],
  [
    "a way to mask /proc that there is not",
    secure({ procMount: "Masked" }),
    `${C}.securityContext.procMount`,
    /supported values: "Default", "Unmasked"/,
  ],
  [
    "an unmasked /proc",
    secure({ procMount: "Unmasked" }),
    `${C}.securityContext.procMount`,
    /hostUsers/,
  ],
  [
    "a local seccomp profile without name",
    secure({ seccompProfile: { type: "Localhost" } }),
    `${C}.securityContext.seccompProfile.localhostProfile`,
    /Required/,
  ],
  ...["/abs", "../x", "a/../../b"].map((
    localhostProfile,
  ): RefusedRow => [
    `the seccomp profile ${localhostProfile}`,
    secure({ seccompProfile: { type: "Localhost", localhostProfile } }),
    `${C}.securityContext.seccompProfile.localhostProfile`,
    /Invalid value/,
  ]),
  [
    "a name for the runtime's own profile",
    securePod({
      seccompProfile: { type: "RuntimeDefault", localhostProfile: "a" },
    }),
    "spec.securityContext.seccompProfile.localhostProfile",
    /Localhost/,
  ],
  [
    "an unknown AppArmor type",
    secure({ appArmorProfile: { type: "x" } }),
    `${C}.securityContext.appArmorProfile.type`,
    /Unsupported/,
  ],
  [
    "a sysctl without name",
    securePod({ sysctls: [{ name: "", value: "1" }] }),
    "spec.securityContext.sysctls[0].name",
    /Required/,
  ],
  [
    "one sysctl in two spellings",
    securePod({
      sysctls: [{ name: "net.a", value: "1" }, { name: "net/a", value: "1" }],
    }),
    "spec.securityContext.sysctls[1].name",
    /Duplicate/,
  ],
  [
    "a network sysctl on the node's network",
    securePod({ sysctls: [{ name: "net.a", value: "1" }] }, {
      hostNetwork: true,
    }),
    "spec.securityContext.sysctls[0].name",
    /hostNetwork/,
  ],
]);

testTaken([
  ["users of its own", {
    spec: { hostUsers: false },
    ...secure({ procMount: "Unmasked" }),
  }],
  [
    "all capabilities dropped",
    secure({ capabilities: { drop: ["ALL"], add: ["CAP_NET_RAW"] } }),
  ],
  // Upstream refuses the long spelling only; nothing is wrong with either at run time.
  [
    "SYS_ADMIN without escalation",
    secure({
      capabilities: { add: ["SYS_ADMIN"] },
      allowPrivilegeEscalation: false,
    }),
  ],
  [
    "10 000 supplemental groups",
    securePod({
      supplementalGroups: Array.from({ length: 10_000 }, (_, i) => i),
    }),
  ],
]);
