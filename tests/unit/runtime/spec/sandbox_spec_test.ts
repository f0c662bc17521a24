/**
 * Tests of the configuration of a sandbox.
 *
 * @module
 */

import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import type {
  ContainerPort,
  Pod,
  PodSpec,
} from "../../../../mod/api/types/mod.ts";
import type { PortMapping } from "../../../../mod/cri/config/mod.ts";
import {
  buildSandboxConfig,
  podHostname,
} from "../../../../mod/runtime/spec/sandbox_spec.ts";
import { SpecRefusal } from "../../../../mod/runtime/spec/spec_refusal.ts";
import { container, pod } from "../../../support/pods.ts";
import { sandboxInput } from "../../../support/runtime/spec_inputs.ts";

Deno.test("buildSandboxConfig() names the sandbox after its pod and attempt", () => {
  const config = buildSandboxConfig(sandboxInput(pod(), { attempt: 3 }));
  deepStrictEqual(config.metadata, {
    name: "web",
    namespace: "shop",
    uid: "u-1",
    attempt: 3,
  });
  strictEqual(config.logDirectory, "/logs/shop_web_u-1");
  strictEqual(config.hostname, "web");
  deepStrictEqual(config.dnsConfig, {
    servers: ["127.0.0.1"],
    searches: ["."],
    options: [],
  });
  strictEqual(config.linux?.cgroupParent, "/kubepods/besteffort/podu-1");
});

Deno.test("buildSandboxConfig() keeps its own labels above the pod's", () => {
  const of = pod({
    metadata: {
      labels: { app: "x", "io.kubernetes.pod.uid": "another", __proto__x: "y" },
      annotations: { "io.kubernetes.container.hash": "kept as it is" },
    },
  });
  const { labels, annotations } = buildSandboxConfig(sandboxInput(of));
  deepStrictEqual(labels, {
    app: "x",
    __proto__x: "y",
    "io.kubernetes.pod.name": "web",
    "io.kubernetes.pod.namespace": "shop",
    "io.kubernetes.pod.uid": "u-1",
  });
  deepStrictEqual(annotations, {
    "io.kubernetes.container.hash": "kept as it is",
  });
});

Deno.test("buildSandboxConfig() sets no host name on the node's network", () => {
  const config = buildSandboxConfig(sandboxInput(pod({ hostNetwork: true })));
  strictEqual("hostname" in config, false);
});

const LONG = "n".repeat(70);
const NAMES: readonly {
  readonly title: string;
  readonly of: Pod;
  readonly hostname: string;
  readonly domain?: string;
}[] = [
  { title: "its own name", of: pod(), hostname: "web" },
  { title: "spec.hostname", of: pod({ hostname: "my" }), hostname: "my" },
  {
    title: "the first 63 characters of a long name",
    of: pod({ name: LONG }),
    hostname: "n".repeat(63),
  },
  {
    title: "a cut without dots and dashes at its end",
    of: pod({ name: `${"n".repeat(60)}.-.-rest` }),
    hostname: "n".repeat(60),
  },
  {
    title: "a domain with spec.subdomain",
    of: pod({ hostname: "my", subdomain: "sub" }),
    hostname: "my",
    domain: "sub.shop.svc.cluster.local",
  },
];

for (const { title, of, hostname, domain = "" } of NAMES) {
  Deno.test(`podHostname() gives a pod ${title}`, () => {
    deepStrictEqual(podHostname(of, "cluster.local"), { hostname, domain });
  });
}

Deno.test("podHostname() leaves no dot behind without a cluster domain", () => {
  strictEqual(podHostname(pod({ subdomain: "s" }), "").domain, "s.shop.svc");
});

Deno.test("podHostname() takes hostnameOverride as it is and without a domain", () => {
  const spec = { hostnameOverride: "other", subdomain: "sub" };
  deepStrictEqual(podHostname(pod(spec), "x"), {
    hostname: "other",
    domain: "",
  });
});

Deno.test("podHostname() refuses a name of which nothing is left", () => {
  throws(() => podHostname(pod({ name: "-".repeat(70) }), ""), SpecRefusal);
});

function fullNameOf(length: number): Pod {
  // "web" + "." + subdomain + ".shop.svc" is as long as asked for.
  const subdomain = "s".repeat(length - "web..shop.svc".length);
  return pod({ subdomain, setHostnameAsFQDN: true });
}

Deno.test("buildSandboxConfig() uses a full name of 64 characters and refuses one of 65", () => {
  const config = buildSandboxConfig(sandboxInput(fullNameOf(64)));
  strictEqual(config.hostname?.length, 64);
  throws(() => buildSandboxConfig(sandboxInput(fullNameOf(65))), SpecRefusal);
});

const PORTS: readonly {
  readonly title: string;
  readonly ports: readonly ContainerPort[];
  readonly expected: readonly PortMapping[];
}[] = [
  {
    title: "a port of the pod only",
    ports: [{ containerPort: 80 }],
    expected: [
      { protocol: "TCP", containerPort: 80, hostPort: 0, hostIp: "" },
    ],
  },
  {
    title: "the same port over TCP and UDP",
    ports: [
      { containerPort: 53, hostPort: 53, protocol: "TCP" },
      { containerPort: 53, hostPort: 53, protocol: "UDP" },
    ],
    expected: [
      { protocol: "TCP", containerPort: 53, hostPort: 53, hostIp: "" },
      { protocol: "UDP", containerPort: 53, hostPort: 53, hostIp: "" },
    ],
  },
  {
    title: "an address and SCTP",
    ports: [
      { containerPort: 1, hostPort: 2, hostIP: "127.0.0.1", protocol: "SCTP" },
    ],
    expected: [
      { protocol: "SCTP", containerPort: 1, hostPort: 2, hostIp: "127.0.0.1" },
    ],
  },
  {
    title: "the first of two with one name",
    ports: [
      { name: "a", containerPort: 1 },
      { name: "a", containerPort: 2 },
    ],
    expected: [{ protocol: "TCP", containerPort: 1, hostPort: 0, hostIp: "" }],
  },
  {
    title: "one of two equal ones without a name",
    ports: [{ containerPort: 1 }, { containerPort: 1, protocol: "TCP" }],
    expected: [{ protocol: "TCP", containerPort: 1, hostPort: 0, hostIp: "" }],
  },
];

for (const { title, ports, expected } of PORTS) {
  Deno.test(`buildSandboxConfig() maps ${title}`, () => {
    const of = pod({ containers: [container("c", { ports })] });
    deepStrictEqual(
      buildSandboxConfig(sandboxInput(of)).portMappings,
      expected,
    );
  });
}

Deno.test("buildSandboxConfig() maps the ports of app containers only", () => {
  const sidecar = container("s", { ports: [{ containerPort: 1 }] });
  const config = buildSandboxConfig(
    sandboxInput(pod({ initContainers: [sidecar] })),
  );
  strictEqual("portMappings" in config, false);
});

const SYSCTLS: readonly (readonly [written: string, told: string])[] = [
  ["kernel.shm_rmid_forced", "kernel.shm_rmid_forced"],
  ["kernel/shm_rmid_forced", "kernel.shm_rmid_forced"],
  ["net/ipv4/conf/eth0.1/rp_filter", "net.ipv4.conf.eth0/1.rp_filter"],
  ["net.ipv4.conf.eth0/1.rp_filter", "net.ipv4.conf.eth0/1.rp_filter"],
];

for (const [name, told] of SYSCTLS) {
  Deno.test(`buildSandboxConfig() tells sysctl "${name}" as "${told}"`, () => {
    const of = pod({ securityContext: { sysctls: [{ name, value: "1" }] } });
    deepStrictEqual(buildSandboxConfig(sandboxInput(of)).linux?.sysctls, {
      [told]: "1",
    });
  });
}

function linuxOf(spec: Partial<PodSpec>) {
  return buildSandboxConfig(sandboxInput(pod(spec))).linux;
}

Deno.test("buildSandboxConfig() sends an empty overhead unless the pod has one", () => {
  deepStrictEqual(linuxOf({})?.overhead, {});
  deepStrictEqual(
    linuxOf({ overhead: { cpu: "250m", memory: "64Mi" } })?.overhead,
    {
      cpuPeriod: 100_000n,
      cpuQuota: 25_000n,
      cpuShares: 256n,
      memoryLimitInBytes: 67_108_864n,
    },
  );
});

Deno.test("buildSandboxConfig() tells what the containers use together", () => {
  const sized = container("c", {
    resources: { limits: { cpu: "1", memory: "9007199254740993" } },
  });
  deepStrictEqual(linuxOf({ containers: [sized, container()] })?.resources, {
    cpuPeriod: 100_000n,
    cpuQuota: 100_000n,
    cpuShares: 1024n,
    memoryLimitInBytes: 9007199254740993n,
  });
});
