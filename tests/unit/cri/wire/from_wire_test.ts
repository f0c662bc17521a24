/**
 * What a runtime says, and what the agent makes of silence and novelty.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  containerFromWire,
  containerStatusFromWire,
  imageFromWire,
  sandboxFromWire,
  sandboxStatusFromWire,
  statusFromWire,
} from "../../../../mod/cri/wire/from_wire.ts";
import * as wire from "../../../../proto/gen/runtime/v1/api.ts";

const NANOSECONDS = 1767225600123456789n;

/** A message of which only these fields were sent. */
function received<T>(type: wire.MessageFns<T>, fields: Partial<T>): T {
  const empty = type.decode(new Uint8Array());
  return type.decode(type.encode({ ...empty, ...fields }).finish());
}

Deno.test("sandboxFromWire() keeps nanoseconds exact", () => {
  const metadata = { name: "p", uid: "u", namespace: "n", attempt: 1 };
  const row = received(wire.PodSandbox, {
    id: "s1",
    metadata,
    state: 1,
    createdAt: NANOSECONDS,
    labels: { a: "1" },
    annotations: { b: "2" },
    runtimeHandler: "kata",
  });
  deepStrictEqual(sandboxFromWire(row), {
    id: "s1",
    metadata,
    state: "not_ready",
    createdAt: NANOSECONDS,
    labels: { a: "1" },
    annotations: { b: "2" },
    runtimeHandler: "kata",
  });
});

Deno.test("sandboxFromWire() takes a state it does not know for not ready", () => {
  // As a newer runtime may send it: field 3, varint 9.
  const row = wire.PodSandbox.decode(new Uint8Array([0x18, 9]));
  strictEqual(sandboxFromWire(row).state, "not_ready");
});

Deno.test("sandboxStatusFromWire() tells no address from nothing said", () => {
  const silent = received(wire.PodSandboxStatus, { id: "s" });
  strictEqual(sandboxStatusFromWire(silent).ip, undefined);
  const onNode = received(wire.PodSandboxStatus, {
    network: { ip: "", additionalIps: [] },
  });
  strictEqual(sandboxStatusFromWire(onNode).ip, "");
});

Deno.test("sandboxStatusFromWire() lists further addresses and the network mode", () => {
  const status = sandboxStatusFromWire(received(wire.PodSandboxStatus, {
    network: { ip: "10.88.0.2", additionalIps: [{ ip: "fd00::2" }] },
    linux: {
      namespaces: {
        options: {
          network: 2,
          pid: 0,
          ipc: 0,
          targetId: "",
          usernsOptions: undefined,
        },
      },
    },
  }));
  deepStrictEqual(status.additionalIps, ["fd00::2"]);
  strictEqual(status.networkMode, "node");
});

Deno.test("containerFromWire() carries a row", () => {
  const container = containerFromWire(received(wire.Container, {
    id: "c1",
    podSandboxId: "s1",
    metadata: { name: "app", attempt: 2 },
    image: received(wire.ImageSpec, { image: "busybox" }),
    imageRef: "sha256:1",
    state: 1,
    createdAt: NANOSECONDS,
  }));
  deepStrictEqual(container, {
    id: "c1",
    sandboxId: "s1",
    metadata: { name: "app", attempt: 2 },
    imageRef: "sha256:1",
    state: "running",
    createdAt: NANOSECONDS,
    labels: {},
    annotations: {},
  });
});

Deno.test("containerFromWire() survives a row without metadata", () => {
  const container = containerFromWire(received(wire.Container, { state: 3 }));
  deepStrictEqual(container.metadata, { name: "", attempt: 0 });
  strictEqual(container.state, "unknown");
});

Deno.test("containerStatusFromWire() carries an end in full", () => {
  const limits = received(wire.LinuxContainerResources, {
    memoryLimitInBytes: 9007199254740993n,
    oomScoreAdj: -997n,
  });
  const status = containerStatusFromWire(received(wire.ContainerStatus, {
    id: "c1",
    state: 2,
    createdAt: NANOSECONDS,
    startedAt: NANOSECONDS + 1n,
    finishedAt: NANOSECONDS + 2n,
    exitCode: -1,
    reason: "OOMKilled",
    message: "out of memory",
    logPath: "/logs/0.log",
    mounts: [received(wire.Mount, {
      containerPath: "/a",
      hostPath: "/b",
      propagation: 1,
    })],
    resources: { linux: limits },
    user: {
      linux: { uid: 1000n, gid: 1000n, supplementalGroups: [5n] },
    },
  }));
  strictEqual(status.state, "exited");
  strictEqual(status.exitCode, -1);
  strictEqual(status.startedAt, NANOSECONDS + 1n);
  strictEqual(status.finishedAt, NANOSECONDS + 2n);
  strictEqual(status.reason, "OOMKilled");
  strictEqual(status.resources?.memoryLimitInBytes, 9007199254740993n);
  strictEqual(status.resources.oomScoreAdj, -997n);
  deepStrictEqual(
    status.mounts.map(({ containerPath, hostPath }) => [
      containerPath,
      hostPath,
    ]),
    [["/a", "/b"]],
  );
  deepStrictEqual(status.user, {
    uid: 1000n,
    gid: 1000n,
    supplementalGroups: [5n],
  });
});

Deno.test("containerStatusFromWire() has neither resources nor user when unsaid", () => {
  const status = containerStatusFromWire(received(wire.ContainerStatus, {}));
  strictEqual(status.resources, undefined);
  strictEqual(status.user, undefined);
  strictEqual(status.startedAt, 0n);
});

Deno.test("statusFromWire() names handlers and info", () => {
  const features = { recursiveReadOnlyMounts: true, userNamespaces: false };
  const condition = {
    type: "NetworkReady",
    status: false,
    reason: "NoPlugin",
    message: "cni config uninitialized",
  };
  const status = statusFromWire(received(wire.StatusResponse, {
    info: { config: "{}" },
    runtimeHandlers: [{ name: "runc", features }],
    status: { conditions: [condition] },
  }));
  deepStrictEqual(status, {
    conditions: [condition],
    handlers: [{ name: "runc", ...features }],
    supplementalGroupsPolicy: false,
    info: new Map([["config", "{}"]]),
  });
});

Deno.test("imageFromWire() tells root from no numeric user", () => {
  const named = imageFromWire(received(wire.Image, { username: "web" }));
  strictEqual(named.uid, undefined);
  const root = imageFromWire(received(wire.Image, { uid: { value: 0n } }));
  strictEqual(root.uid, 0n);
});

Deno.test("wire.ContainerStatusResponse.decode() passes over what the contract here leaves out", () => {
  // Field 2 of containerd's answers, a map, and a field that no version has yet.
  const info = [0x12, 0x06, 0x0a, 0x01, 0x61, 0x12, 0x01, 0x62];
  const novelty = [0xfa, 0x3f, 0x02, 0x01, 0x02];
  const status = [0x0a, 0x04, 0x0a, 0x02, 0x63, 0x31];
  const bytes = Uint8Array.from([...info, ...novelty, ...status, ...info]);
  strictEqual(wire.ContainerStatusResponse.decode(bytes).status?.id, "c1");
});
