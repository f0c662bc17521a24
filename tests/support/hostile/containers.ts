/**
 * Pods that are wrong in their one container.
 *
 * @module
 */

import {
  type HostileManifest,
  hostilePod,
  type ManifestPart,
  withContainer,
  wrong,
} from "./row.ts";

/** Ports, amounts, environment, probes, hooks and what a container may do. */
export function hostileContainers(): HostileManifest[] {
  return [
    ...ports(),
    ...amounts(),
    ...images(),
    ...environment(),
    ...probes(),
    ...privileges(),
  ];
}

function field(
  title: string,
  more: ManifestPart,
  names: RegExp,
): HostileManifest {
  return wrong(title, withContainer(more), names);
}

function ports(): HostileManifest[] {
  const port = (title: string, more: ManifestPart, names = /ports\[0\]/) =>
    field(`port-${title}`, { ports: [{ containerPort: 80, ...more }] }, names);
  const twice = [{ containerPort: 80, name: "a" }, {
    containerPort: 81,
    name: "a",
  }];
  return [
    port("zero", { containerPort: 0 }, /containerPort/),
    port("minus", { containerPort: -1 }, /containerPort/),
    port("big", { containerPort: 65_536 }, /containerPort/),
    port("bigger", { containerPort: 1e9 }, /containerPort/),
    port("half", { containerPort: 80.5 }, /containerPort/),
    port("quoted", { containerPort: "80" }, /containerPort/),
    port("host", { hostPort: 70_000 }, /hostPort/),
    port("protocol", { protocol: "ICMP" }, /protocol/),
    port("name", { name: "a".repeat(16) }, /name/),
    port("name-digits", { name: "8080" }, /name/),
    port("host-ip", { hostPort: 80, hostIP: "localhost" }, /hostIP/),
    field("port-same-name", { ports: twice }, /ports\[1\]\.name/),
    field("ports-text", { ports: "80" }, /ports/),
  ];
}

function amounts(): HostileManifest[] {
  const memory = (title: string, value: unknown) =>
    field(
      `memory-${title}`,
      { resources: { limits: { memory: value } } },
      /resources\.limits/,
    );
  const resources = (title: string, more: ManifestPart, names: RegExp) =>
    field(title, { resources: more }, names);
  return [
    memory("dots", "1.5.3"),
    memory("minus", "-1Mi"),
    memory("suffix", "1KiB"),
    memory("inf", "Inf"),
    memory("empty", ""),
    memory("list", [1]),
    memory("words", "a lot"),
    resources(
      "requests",
      { limits: { cpu: "1" }, requests: { cpu: "2" } },
      /resources\.requests/,
    ),
    resources("resource-name", { limits: { "a b": "1" } }, /resources\.limits/),
    resources(
      "resource-claims-container",
      { claims: [{ name: "gpu" }] },
      /claims/,
    ),
    resources(
      "huge-pages",
      { limits: { "hugepages-3Mi": "1" } },
      /hugepages|resources/,
    ),
    resources("device", { limits: { "nvidia.com/gpu": "1" } }, /nvidia/),
    resources(
      "device-half",
      { limits: { "example.com/x": "0.5" } },
      /example\.com/,
    ),
  ];
}

function images(): HostileManifest[] {
  return [
    field("image-empty", { image: "" }, /image/),
    field("image-null", { image: null }, /image/),
    field("image-space", { image: " x" }, /image/),
    field("image-number", { image: 1.35 }, /image/),
    field("policy", { imagePullPolicy: "Sometimes" }, /imagePullPolicy/),
    field("wrong-case", { Image: "x" }, /Image/),
    field("command-text", { command: "sleep 1" }, /command/),
    field("command-number", { command: ["sleep", 1] }, /command\[1\]/),
    field("args-map", { args: { a: "b" } }, /args/),
    field(
      "message-policy",
      { terminationMessagePolicy: "Shout" },
      /terminationMessagePolicy/,
    ),
    field("restart", { restartPolicy: "Perhaps" }, /restartPolicy/),
    field(
      "restart-rules",
      { restartPolicyRules: [{ action: "Explode" }] },
      /restartPolicy/,
    ),
  ];
}

function environment(): HostileManifest[] {
  const env = (title: string, more: ManifestPart) =>
    field(`env-${title}`, { env: [{ name: "A", ...more }] }, /env\[0\]/);
  return [
    field("env-map", { env: { A: 1 } }, /env/),
    env("equals", { name: "A=B", value: "" }),
    env("empty", { name: "" }),
    env("number", { value: 1 }),
    env("both", {
      value: "x",
      valueFrom: { fieldRef: { fieldPath: "metadata.name" } },
    }),
    env("no-source", { valueFrom: {} }),
    env("two-sources", {
      valueFrom: {
        fieldRef: { fieldPath: "metadata.name" },
        configMapKeyRef: { name: "a", key: "b" },
      },
    }),
    env("field", { valueFrom: { fieldRef: { fieldPath: "status.secrets" } } }),
    env("resource", {
      valueFrom: { resourceFieldRef: { resource: "limits.gold" } },
    }),
    env("secret-key", {
      valueFrom: { secretKeyRef: { name: "s", key: "../k" } },
    }),
    env("config-none", { valueFrom: { configMapKeyRef: { key: "k" } } }),
    field("env-from-none", { envFrom: [{}] }, /envFrom\[0\]/),
    field("env-from-two", {
      envFrom: [{ configMapRef: { name: "a" }, secretRef: { name: "b" } }],
    }, /envFrom\[0\]/),
    field("env-from-prefix", {
      envFrom: [{ prefix: "a=", configMapRef: { name: "a" } }],
    }, /envFrom\[0\]/),
  ];
}

function probes(): HostileManifest[] {
  const live = (title: string, more: ManifestPart) =>
    field(`probe-${title}`, { livenessProbe: more }, /livenessProbe/);
  const exec = { exec: { command: ["true"] } };
  return [
    live("period", { ...exec, periodSeconds: -1 }),
    live("period-big", { ...exec, periodSeconds: 2 ** 31 }),
    live("none", {}),
    live("two", { ...exec, tcpSocket: { port: 80 } }),
    live("success", { ...exec, successThreshold: 2 }),
    live("port", { httpGet: { port: 0 } }),
    live("port-name", { httpGet: { port: "no such port" } }),
    live("scheme", { httpGet: { port: 80, scheme: "GOPHER" } }),
    live("header", {
      httpGet: { port: 80, httpHeaders: [{ name: "a b", value: "" }] },
    }),
    live("grpc", { grpc: { port: 70_000 } }),
    live("timeout", { ...exec, timeoutSeconds: -3 }),
    field("hook-none", { lifecycle: { preStop: {} } }, /lifecycle/),
    field("hook-two", {
      lifecycle: { postStart: { ...exec, sleep: { seconds: 1 } } },
    }, /lifecycle/),
    field(
      "hook-sleep",
      { lifecycle: { preStop: { sleep: { seconds: -1 } } } },
      /sleep/,
    ),
    wrong(
      "hook-sleep-long",
      hostilePod({
        terminationGracePeriodSeconds: 5,
        containers: [{
          name: "main",
          image: "x",
          lifecycle: { preStop: { sleep: { seconds: 60 } } },
        }],
      }),
      /sleep/,
    ),
  ];
}

function privileges(): HostileManifest[] {
  const context = (
    title: string,
    more: ManifestPart,
    names = /securityContext/,
  ) => field(title, { securityContext: more }, names);
  return [
    context("user", { runAsUser: -1 }, /runAsUser/),
    context("user-big", { runAsUser: 2 ** 31 }, /runAsUser/),
    context("user-text", { runAsUser: "root" }, /runAsUser/),
    context("group", { runAsGroup: -1 }, /runAsGroup/),
    context("privileged", {
      privileged: true,
      allowPrivilegeEscalation: false,
    }),
    context("sys-admin", {
      capabilities: { add: ["CAP_SYS_ADMIN"] },
      allowPrivilegeEscalation: false,
    }),
    context("proc-mount", { procMount: "Everything" }, /procMount/),
    context("seccomp", {
      seccompProfile: { type: "Localhost", localhostProfile: "/etc/x" },
    }, /localhostProfile/),
    context("selinux", { seLinuxOptions: { level: 5 } }, /seLinuxOptions/),
    context("privileged-text", { privileged: "no" }, /privileged/),
    field("stdin", { stdin: "yes" }, /stdin/),
    field("working-dir", { workingDir: 5 }, /workingDir/),
  ];
}
