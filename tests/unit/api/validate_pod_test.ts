/**
 * @module
 */

import { type Parts, testRefused, testTaken } from "../../support/api/rows.ts";

const C = "spec.containers[0]";
const HTTP = { httpGet: { port: 80 } };

function liveness(probe: unknown): Parts {
  return { container: { livenessProbe: probe } };
}

function preStop(handler: unknown): Parts {
  return { container: { lifecycle: { preStop: handler } } };
}

function secure(securityContext: unknown): Parts {
  return { container: { securityContext } };
}

function affinity(affinity: unknown): Parts {
  return { spec: { affinity } };
}

function tolerate(toleration: unknown): Parts {
  return { spec: { tolerations: [toleration] } };
}

testRefused([
  [
    "a probe without handler",
    liveness({}),
    `${C}.livenessProbe`,
    /must specify handler type/,
  ],
  [
    "a probe with two handlers",
    liveness({ ...HTTP, exec: { command: ["a"] } }),
    `${C}.livenessProbe.exec`,
    /more than 1 handler/,
  ],
  [
    "a liveness probe with two successes",
    liveness({ ...HTTP, successThreshold: 2 }),
    `${C}.livenessProbe.successThreshold`,
    /must be 1/,
  ],
  [
    "a probe with a negative period",
    liveness({ ...HTTP, periodSeconds: -1 }),
    `${C}.livenessProbe.periodSeconds`,
    /greater than or equal to 0/,
  ],
  [
    "a probe with a period of 2^31",
    liveness({ ...HTTP, periodSeconds: 2 ** 31 }),
    `${C}.livenessProbe.periodSeconds`,
    /range/,
  ],
  [
    "a probe of port 70000",
    liveness({ tcpSocket: { port: 70000 } }),
    `${C}.livenessProbe.tcpSocket.port`,
    /65535/,
  ],
  [
    "a probe without port",
    liveness({ tcpSocket: {} }),
    `${C}.livenessProbe.tcpSocket.port`,
    /Required/,
  ],
  [
    "a probe without command",
    liveness({ exec: {} }),
    `${C}.livenessProbe.exec.command`,
    /Required/,
  ],
  [
    "a probe over FTP",
    liveness({ httpGet: { port: 80, scheme: "FTP" } }),
    `${C}.livenessProbe.httpGet.scheme`,
    /Unsupported/,
  ],
  [
    "a probe with a wrong header",
    liveness({
      httpGet: { port: 80, httpHeaders: [{ name: "a b", value: "" }] },
    }),
    `${C}.livenessProbe.httpGet.httpHeaders[0].name`,
    /header/,
  ],
  [
    "a readiness probe with a grace period",
    {
      container: {
        readinessProbe: { ...HTTP, terminationGracePeriodSeconds: 1 },
      },
    },
    `${C}.readinessProbe.terminationGracePeriodSeconds`,
    /must not be set/,
  ],
  [
    "a liveness probe with no grace",
    liveness({ ...HTTP, terminationGracePeriodSeconds: 0 }),
    `${C}.livenessProbe.terminationGracePeriodSeconds`,
    /greater than or equal to 1/,
  ],
  [
    "a hook that sleeps longer than the grace period",
    preStop({ sleep: { seconds: 31 } }),
    `${C}.lifecycle.preStop.sleep.seconds`,
    /between 0 and 30/,
  ],
  [
    "a hook with two handlers",
    preStop({ sleep: { seconds: 1 }, exec: { command: ["a"] } }),
    `${C}.lifecycle.preStop.exec`,
    /more than 1 handler/,
  ],
  [
    "a stop signal without os",
    { container: { lifecycle: { stopSignal: "SIGUSR1" } } },
    `${C}.lifecycle.stopSignal`,
    /spec.os.name/,
  ],
  [
    "a stop signal that Windows does not have",
    {
      spec: { os: { name: "windows" } },
      container: { lifecycle: { stopSignal: "SIGUSR1" } },
    },
    `${C}.lifecycle.stopSignal`,
    /supported values: "SIGKILL", "SIGTERM"/,
  ],

  [
    "an unknown restart policy of the pod",
    { spec: { restartPolicy: "Sometimes" } },
    "spec.restartPolicy",
    /Unsupported/,
  ],
  [
    "a deadline of 0",
    { spec: { activeDeadlineSeconds: 0 } },
    "spec.activeDeadlineSeconds",
    /between 1 and 2147483647/,
  ],
  [
    "a grace period of -1",
    { spec: { terminationGracePeriodSeconds: -1 } },
    "spec.terminationGracePeriodSeconds",
    /greater than or equal to 0/,
  ],
  [
    "an unknown DNS policy",
    { spec: { dnsPolicy: "x" } },
    "spec.dnsPolicy",
    /Unsupported/,
  ],
  [
    "no nameserver with None",
    { spec: { dnsPolicy: "None" } },
    "spec.dnsConfig.nameservers",
    /Required/,
  ],
  [
    "four nameservers",
    {
      spec: {
        dnsConfig: {
          nameservers: ["1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4"],
        },
      },
    },
    "spec.dnsConfig.nameservers",
    /more than 3/,
  ],
  [
    "a nameserver that is a name",
    { spec: { dnsConfig: { nameservers: ["dns.local"] } } },
    "spec.dnsConfig.nameservers[0]",
    /valid IP/,
  ],
  [
    "33 searches",
    { spec: { dnsConfig: { searches: Array(33).fill("a") } } },
    "spec.dnsConfig.searches",
    /more than 32/,
  ],
  [
    "a host alias without address",
    { spec: { hostAliases: [{ ip: "x", hostnames: ["a"] }] } },
    "spec.hostAliases[0].ip",
    /valid IP/,
  ],
  [
    "a host name with dots",
    { spec: { hostname: "a.b" } },
    "spec.hostname",
    /label/,
  ],
  [
    "a shared process namespace beside the node's",
    { spec: { shareProcessNamespace: true, hostPID: true } },
    "spec.shareProcessNamespace",
    /cannot both/,
  ],
  [
    "users of its own with the node's network",
    { spec: { hostUsers: false, hostNetwork: true } },
    "spec.hostUsers",
    /hostNetwork/,
  ],
  [
    "a Windows option on linux",
    {
      spec: { os: { name: "linux" }, securityContext: { windowsOptions: {} } },
    },
    "spec.securityContext.windowsOptions",
    /linux pod/,
  ],
  [
    "a Linux option on windows",
    { spec: { os: { name: "windows" } }, ...secure({ privileged: true }) },
    `${C}.securityContext.privileged`,
    /windows pod/,
  ],
  [
    "an unknown os",
    { spec: { os: { name: "plan9" } } },
    "spec.os.name",
    /Unsupported/,
  ],

  [
    "a toleration of nothing",
    tolerate({ effect: "NoSchedule" }),
    "spec.tolerations[0].operator",
    /must be Exists/,
  ],
  [
    "a toleration of anything with a value",
    tolerate({ key: "a", operator: "Exists", value: "b" }),
    "spec.tolerations[0].value",
    /must be empty/,
  ],
  [
    "a timed toleration of NoSchedule",
    tolerate({
      key: "a",
      operator: "Exists",
      effect: "NoSchedule",
      tolerationSeconds: 1,
    }),
    "spec.tolerations[0].effect",
    /NoExecute/,
  ],
  [
    "a node selector with a wrong value",
    { spec: { nodeSelector: { a: "b c" } } },
    "spec.nodeSelector[a]",
    /Invalid value/,
  ],
  [
    "node affinity without terms",
    affinity({
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [],
        },
      },
    }),
    "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms",
    /Required/,
  ],
  [
    "pod affinity without topology",
    affinity({
      podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{}] },
    }),
    "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey",
    /Required/,
  ],
  [
    "spread without skew",
    {
      spec: {
        topologySpreadConstraints: [{
          topologyKey: "a",
          whenUnsatisfiable: "ScheduleAnyway",
        }],
      },
    },
    "spec.topologySpreadConstraints[0].maxSkew",
    /greater than or equal to 1/,
  ],

  [
    "a service account",
    { spec: { serviceAccountName: "default" } },
    "spec.serviceAccountName",
    /static pods may not reference/,
  ],
  [
    "resource claims",
    { spec: { resourceClaims: [{ name: "a" }] } },
    "spec.resourceClaims",
    /static pods may not reference/,
  ],
]);

testTaken([
  ["probes of ports by name", {
    container: {
      ports: [{ name: "web", containerPort: 80 }],
      livenessProbe: { httpGet: { port: "web" } },
    },
  }],
  [
    "a hook that sleeps as long as the grace period",
    preStop({ sleep: { seconds: 30 } }),
  ],
  ["a grace period of ten years", {
    spec: { terminationGracePeriodSeconds: 315360000 },
  }],
  ["the root as a search path", {
    spec: { dnsConfig: { searches: [".", "a.b.", "_x.c"] } },
  }],
  ["pull secrets", { spec: { imagePullSecrets: [{ name: "s" }] } }],
  ["a pull secret without a name", { spec: { imagePullSecrets: [{}] } }],
  ["a node name of another node", { spec: { nodeName: "other" } }],
  ["a toleration of everything", tolerate({ operator: "Exists" })],
  ["a stop signal", {
    spec: { os: { name: "linux" } },
    container: { lifecycle: { stopSignal: "SIGUSR1" } },
  }],
]);
