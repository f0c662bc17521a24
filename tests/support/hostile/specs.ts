/**
 * Pods that are wrong in what belongs to the pod as a whole.
 *
 * @module
 */

import {
  type HostileManifest,
  hostilePod,
  main,
  type ManifestPart,
  wrong,
} from "./row.ts";

/** Fields of the pod, its container lists, its network and its security. */
export function hostileSpecs(): HostileManifest[] {
  return [
    ...fields(),
    ...lists(),
    ...network(),
    ...security(),
    ...references(),
  ];
}

function spec(
  title: string,
  more: ManifestPart,
  names: RegExp,
): HostileManifest {
  return wrong(title, hostilePod(more), names);
}

function fields(): HostileManifest[] {
  return [
    spec("misspelt", { restatPolicy: "Never" }, /restatPolicy.*restartPolicy/),
    spec("unknown", { turbo: true }, /spec\.turbo/),
    spec("replicas", { replicas: 2 }, /spec\.replicas/),
    spec("grace", { terminationGracePeriodSeconds: -1 }, /Grace/),
    spec("grace-big", { terminationGracePeriodSeconds: 2 ** 63 }, /Grace/),
    spec("deadline", { activeDeadlineSeconds: 0 }, /activeDeadline/),
    spec("deadline-minus", { activeDeadlineSeconds: -5 }, /activeDeadline/),
    spec("deadline-big", { activeDeadlineSeconds: 2 ** 31 }, /activeDeadline/),
    spec("restart-policy", { restartPolicy: "Maybe" }, /restartPolicy/),
    spec("restart-case", { restartPolicy: "always" }, /restartPolicy/),
    spec("restart-list", { restartPolicy: ["Always"] }, /restartPolicy/),
    spec("node-selector", { nodeSelector: { "a b": "c" } }, /nodeSelector/),
    spec("scheduler", { schedulingGates: [{ name: "x" }] }, /schedulingGates/),
    spec("os", { os: { name: "beos" } }, /spec\.os/),
    spec("overhead", { overhead: { cpu: "lots" } }, /overhead/),
    spec(
      "resources",
      { resources: { limits: { cpu: "-1" } } },
      /spec\.resources/,
    ),
    spec("priority-class", { priorityClassName: "A B" }, /priorityClassName/),
    spec("runtime-class", { runtimeClassName: "../kata" }, /runtimeClass/),
    spec(
      "tolerations",
      { tolerations: [{ operator: "Perhaps" }] },
      /tolerations\[0\]/,
    ),
    spec(
      "readiness-gates",
      { readinessGates: [{ conditionType: "a b" }] },
      /readinessGates/,
    ),
    spec("preemption", { preemptionPolicy: "Sometimes" }, /preemptionPolicy/),
  ];
}

function lists(): HostileManifest[] {
  const init = (more: ManifestPart): ManifestPart => ({
    ...main(more),
    name: "init",
  });
  return [
    spec("no-containers", { containers: [] }, /spec\.containers/),
    spec("containers-null", { containers: null }, /spec\.containers/),
    spec("containers-map", { containers: {} }, /spec\.containers/),
    spec("container-null", { containers: [null] }, /spec\.containers\[0\]/),
    spec("container-text", { containers: ["main"] }, /containers\[0\]/),
    spec(
      "same-containers",
      { containers: [main(), main()] },
      /containers\[1\]\.name/,
    ),
    spec("same-as-init", { initContainers: [main()] }, /ontainers\[0\]\.name/),
    spec(
      "container-name-none",
      { containers: [main({ name: undefined })] },
      /containers\[0\]\.name/,
    ),
    spec(
      "container-name-upper",
      { containers: [main({ name: "Main" })] },
      /containers\[0\]\.name/,
    ),
    spec(
      "container-name-path",
      { containers: [main({ name: "../x" })] },
      /containers\[0\]\.name/,
    ),
    spec("container-name-long", {
      containers: [main({ name: "a".repeat(64) })],
    }, /containers\[0\]\.name/),
    spec("init-probe", {
      initContainers: [init({ readinessProbe: { exec: { command: ["x"] } } })],
    }, /initContainers\[0\]/),
    spec("init-hook", {
      initContainers: [
        init({ lifecycle: { preStop: { exec: { command: ["x"] } } } }),
      ],
    }, /initContainers\[0\]/),
    spec("init-restart", {
      initContainers: [init({ restartPolicy: "Sometimes" })],
    }, /initContainers\[0\]/),
    spec(
      "ephemeral",
      { ephemeralContainers: [main({ name: "debug" })] },
      /ephemeralContainers/,
    ),
  ];
}

function network(): HostileManifest[] {
  return [
    spec("hostname", { hostname: "Has Space" }, /spec\.hostname/),
    spec("hostname-long", { hostname: "a".repeat(64) }, /spec\.hostname/),
    spec("subdomain", { subdomain: "a.b" }, /spec\.subdomain/),
    spec("dns-policy", { dnsPolicy: "Guess" }, /dnsPolicy/),
    spec("dns-none", { dnsPolicy: "None" }, /dnsConfig/),
    spec(
      "dns-server",
      { dnsConfig: { nameservers: ["one.one"] } },
      /nameservers\[0\]/,
    ),
    spec("dns-servers", {
      dnsConfig: { nameservers: Array(4).fill("1.1.1.1") },
    }, /nameservers/),
    spec("dns-search", { dnsConfig: { searches: ["a b"] } }, /searches/),
    spec("host-alias", { hostAliases: [{ ip: "1.2.3" }] }, /hostAliases\[0\]/),
    spec("host-alias-injected", {
      hostAliases: [{ ip: "1.2.3.4", hostnames: ["a\n6.6.6.6 b"] }],
    }, /hostAliases\[0\]/),
    spec("host-ports", {
      hostNetwork: true,
      containers: [main({ ports: [{ containerPort: 80, hostPort: 81 }] })],
    }, /ports\[0\]/),
  ];
}

function security(): HostileManifest[] {
  const context = (title: string, more: ManifestPart, names: RegExp) =>
    spec(title, { securityContext: more }, names);
  return [
    context("pod-user", { runAsUser: -1 }, /runAsUser/),
    context("pod-group", { fsGroup: 2 ** 40 }, /fsGroup/),
    context("pod-groups", { supplementalGroups: [-5] }, /supplementalGroups/),
    context(
      "groups-policy",
      { supplementalGroupsPolicy: "Loose" },
      /supplementalGroupsPolicy/,
    ),
    context(
      "fs-group-policy",
      { fsGroupChangePolicy: "Never" },
      /fsGroupChangePolicy/,
    ),
    context(
      "sysctl-name",
      { sysctls: [{ name: "a b", value: "1" }] },
      /sysctls\[0\]/,
    ),
    context(
      "sysctl-path",
      { sysctls: [{ name: "../kernel/x", value: "1" }] },
      /sysctls\[0\]/,
    ),
    context("sysctl-twice", {
      sysctls: [{ name: "kernel.shm_rmid_forced", value: "1" }, {
        name: "kernel.shm_rmid_forced",
        value: "0",
      }],
    }, /sysctls\[1\]/),
    context(
      "seccomp-none",
      { seccompProfile: { type: "Localhost" } },
      /seccompProfile/,
    ),
    context("seccomp-path", {
      seccompProfile: { type: "Localhost", localhostProfile: "../../etc/x" },
    }, /localhostProfile/),
    context(
      "seccomp-type",
      { seccompProfile: { type: "Free" } },
      /seccompProfile/,
    ),
    context(
      "apparmor",
      { appArmorProfile: { type: "Localhost" } },
      /appArmorProfile/,
    ),
    spec("host-users", { hostUsers: false, hostNetwork: true }, /host/),
    spec(
      "share-and-host",
      { shareProcessNamespace: true, hostPID: true },
      /shareProcessNamespace/,
    ),
  ];
}

function references(): HostileManifest[] {
  return [
    spec("service-account", { serviceAccountName: "admin" }, /serviceAccount/),
    spec("service-account-old", { serviceAccount: "admin" }, /serviceAccount/),
    spec("resource-claims", {
      resourceClaims: [{ name: "gpu", resourceClaimName: "gpu" }],
    }, /resourceClaims/),
  ];
}
