/**
 * What the agent says, field by field, as the wire carries it.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  containerConfigToWire,
  containerFilterToWire,
  imageSpecToWire,
  resourcesToWire,
  sandboxConfigToWire,
  sandboxFilterToWire,
} from "../../../../mod/cri/wire/to_wire.ts";
import type {
  ContainerConfig,
  SandboxConfig,
} from "../../../../mod/cri/config/pod_config.ts";
import * as wire from "../../../../proto/gen/runtime/v1/api.ts";

const SANDBOX: SandboxConfig = {
  metadata: { name: "web-edge1", uid: "u1", namespace: "default", attempt: 3 },
  hostname: "web-edge1",
  logDirectory: "/logs/default_web-edge1_u1",
  dnsConfig: { servers: ["10.0.0.1"], searches: ["lan"], options: ["ndots:2"] },
  portMappings: [
    {
      protocol: "SCTP",
      containerPort: 80,
      hostPort: 8080,
      hostIp: "127.0.0.1",
    },
  ],
  labels: { "io.kubernetes.pod.name": "web-edge1" },
  annotations: { "kubernetes.io/config.source": "file" },
  linux: {
    cgroupParent: "/kubepods/podu1",
    sysctls: { "net.ipv4.tcp_syncookies": "1" },
    overhead: {},
    resources: { cpuShares: 2n },
    securityContext: {
      namespaceOptions: {
        network: "node",
        pid: "container",
        ipc: "pod",
        userns: {
          mode: "pod",
          uids: [{ hostId: 65536, containerId: 0, length: 65536 }],
        },
      },
      seLinuxOptions: { level: "s0:c1" },
      runAsUser: 0n,
      runAsGroup: 1000n,
      supplementalGroups: [9007199254740993n],
      supplementalGroupsPolicy: "strict",
      seccomp: { kind: "localhost", localhostRef: "/profiles/x.json" },
      appArmor: { kind: "unconfined" },
    },
  },
};

const CONTAINER: ContainerConfig = {
  metadata: { name: "app", attempt: 7 },
  image: { image: "sha256:1", userSpecifiedImage: "busybox:1.35" },
  command: ["sh"],
  args: ["-c", "true"],
  workingDir: "/srv",
  envs: [{ key: "GREETING", value: "hé\u0000" }],
  mounts: [
    { containerPath: "/a", hostPath: "/b", readonly: true },
    {
      containerPath: "/c",
      hostPath: "/d",
      propagation: "bidirectional",
      recursiveReadOnly: true,
    },
    {
      containerPath: "/e",
      hostPath: "",
      image: { image: "data:1" },
      imageSubPath: "x",
    },
  ],
  labels: { l: "1" },
  annotations: { a: "2" },
  logPath: "app/7.log",
  stdin: true,
  stdinOnce: true,
  tty: true,
  linux: {
    resources: {
      memoryLimitInBytes: 9007199254740993n,
      hugepageLimits: [{ pageSize: "2MB", limit: 5n }],
      unified: { "memory.high": "1" },
    },
    securityContext: {
      capabilities: { add: ["NET_ADMIN"], drop: ["ALL"] },
      privileged: true,
      runAsUsername: "web",
      readonlyRootfs: true,
      noNewPrivs: true,
      maskedPaths: ["/proc/kcore"],
      readonlyPaths: ["/proc/sys"],
      seccomp: { kind: "runtime_default" },
    },
  },
};

Deno.test("sandboxConfigToWire() gives every field its place on the wire", () => {
  const bytes = wire.PodSandboxConfig.encode(sandboxConfigToWire(SANDBOX));
  deepStrictEqual(wire.PodSandboxConfig.decode(bytes.finish()), {
    metadata: SANDBOX.metadata,
    hostname: "web-edge1",
    logDirectory: "/logs/default_web-edge1_u1",
    dnsConfig: SANDBOX.dnsConfig,
    portMappings: [
      { protocol: 2, containerPort: 80, hostPort: 8080, hostIp: "127.0.0.1" },
    ],
    labels: SANDBOX.labels,
    annotations: SANDBOX.annotations,
    linux: {
      cgroupParent: "/kubepods/podu1",
      securityContext: {
        namespaceOptions: {
          network: 2,
          pid: 1,
          ipc: 0,
          targetId: "",
          usernsOptions: {
            mode: 0,
            uids: [{ hostId: 65536, containerId: 0, length: 65536 }],
            gids: [],
          },
        },
        selinuxOptions: { user: "", role: "", type: "", level: "s0:c1" },
        runAsUser: { value: 0n },
        runAsGroup: { value: 1000n },
        readonlyRootfs: false,
        supplementalGroups: [9007199254740993n],
        supplementalGroupsPolicy: 1,
        privileged: false,
        seccomp: { profileType: 2, localhostRef: "/profiles/x.json" },
        apparmor: { profileType: 1, localhostRef: "" },
      },
      sysctls: { "net.ipv4.tcp_syncookies": "1" },
      overhead: resourcesToWire({}),
      resources: { ...resourcesToWire({}), cpuShares: 2n },
    },
  });
});

Deno.test("sandboxConfigToWire() leaves out what is absent", () => {
  const bytes = wire.PodSandboxConfig.encode(sandboxConfigToWire({
    metadata: { name: "", uid: "", namespace: "", attempt: 0 },
    labels: {},
    annotations: {},
  })).finish();
  // Nothing but the empty metadata message: its tag and a length of zero.
  deepStrictEqual([...bytes], [0x0a, 0]);
});

Deno.test("containerConfigToWire() gives every field its place on the wire", () => {
  const bytes = wire.ContainerConfig.encode(containerConfigToWire(CONTAINER));
  deepStrictEqual(wire.ContainerConfig.decode(bytes.finish()), {
    metadata: { name: "app", attempt: 7 },
    image: {
      image: "sha256:1",
      annotations: {},
      userSpecifiedImage: "busybox:1.35",
      runtimeHandler: "",
    },
    command: ["sh"],
    args: ["-c", "true"],
    workingDir: "/srv",
    envs: [{
      key: "GREETING",
      value: new Uint8Array([0x68, 0xc3, 0xa9, 0]),
    }],
    mounts: [
      bareMount({ containerPath: "/a", hostPath: "/b", readonly: true }),
      bareMount({
        containerPath: "/c",
        hostPath: "/d",
        propagation: 2,
        recursiveReadOnly: true,
      }),
      bareMount({
        containerPath: "/e",
        image: imageSpecToWire({ image: "data:1" }),
        imageSubPath: "x",
      }),
    ],
    devices: [],
    labels: { l: "1" },
    annotations: { a: "2" },
    logPath: "app/7.log",
    stdin: true,
    stdinOnce: true,
    tty: true,
    linux: {
      resources: {
        ...resourcesToWire({}),
        memoryLimitInBytes: 9007199254740993n,
        hugepageLimits: [{ pageSize: "2MB", limit: 5n }],
        unified: { "memory.high": "1" },
      },
      securityContext: {
        capabilities: {
          addCapabilities: ["NET_ADMIN"],
          dropCapabilities: ["ALL"],
        },
        privileged: true,
        namespaceOptions: undefined,
        selinuxOptions: undefined,
        runAsUser: undefined,
        runAsUsername: "web",
        readonlyRootfs: true,
        supplementalGroups: [],
        apparmorProfile: "",
        noNewPrivs: true,
        runAsGroup: undefined,
        maskedPaths: ["/proc/kcore"],
        readonlyPaths: ["/proc/sys"],
        seccomp: { profileType: 0, localhostRef: "" },
        apparmor: undefined,
        supplementalGroupsPolicy: 0,
      },
    },
    stopSignal: 0,
  });
});

Deno.test("resourcesToWire() keeps numbers beyond what a double holds", () => {
  const resources = {
    cpuPeriod: 100_000n,
    cpuQuota: -1n,
    cpuShares: 2n,
    memoryLimitInBytes: 9007199254740993n,
    memorySwapLimitInBytes: 9223372036854775807n,
    oomScoreAdj: -997n,
    cpusetCpus: "0-1",
    cpusetMems: "0",
  };
  const bytes = wire.LinuxContainerResources.encode(resourcesToWire(resources));
  deepStrictEqual(wire.LinuxContainerResources.decode(bytes.finish()), {
    ...resources,
    hugepageLimits: [],
    unified: {},
  });
});

for (
  const [appArmor, text] of [
    [{ kind: "runtime_default" }, "runtime/default"],
    [{ kind: "unconfined" }, "unconfined"],
    [{ kind: "localhost", localhostRef: "strict" }, "localhost/strict"],
  ] as const
) {
  Deno.test(`containerConfigToWire() names AppArmor profile "${text}" for old runtimes too`, () => {
    const { linux } = containerConfigToWire({
      ...CONTAINER,
      linux: { securityContext: { appArmor } },
    });
    strictEqual(linux?.securityContext?.apparmorProfile, text);
    strictEqual(
      linux?.securityContext?.apparmor?.localhostRef,
      appArmor.kind === "localhost" ? "strict" : "",
    );
  });
}

Deno.test("sandboxFilterToWire() tells no state from the state zero", () => {
  deepStrictEqual(sandboxFilterToWire({}), {
    id: "",
    state: undefined,
    labelSelector: {},
  });
  deepStrictEqual(sandboxFilterToWire({ state: "ready" }).state, { state: 0 });
});

Deno.test("containerFilterToWire() passes every condition on", () => {
  const filter = {
    sandboxId: "s1",
    state: "exited",
    labels: { a: "1" },
  } as const;
  deepStrictEqual(containerFilterToWire(filter), {
    id: "",
    podSandboxId: "s1",
    state: { state: 2 },
    labelSelector: { a: "1" },
  });
});

function bareMount(mount: Partial<wire.Mount>): wire.Mount {
  return {
    containerPath: "",
    hostPath: "",
    readonly: false,
    selinuxRelabel: false,
    propagation: 0,
    uidMappings: [],
    gidMappings: [],
    recursiveReadOnly: false,
    image: undefined,
    imageSubPath: "",
    ...mount,
  };
}
