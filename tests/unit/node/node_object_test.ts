/**
 * A node as its cluster sees it.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Node, NodeStatus } from "../../../mod/api/cluster/mod.ts";
import type { NodeImage } from "../../../mod/node/mod.ts";
import {
  adoptionPatch,
  hasChanged,
  newNode,
  nextStatus,
  statusPatch,
} from "../../../mod/node/node_object.ts";
import { picture } from "../../support/node/node_rig.ts";

const OPTIONS = { nowMs: 0, maxImages: 50, isFirst: true };
const IDENTITY = {
  name: "kiosk-1",
  labels: { site: "north", "kubernetes.io/os": "plan9" },
  ownLabels: {
    "kubernetes.io/hostname": "kiosk-1",
    "kubernetes.io/os": "linux",
  },
  taints: [],
};

function known(
  rest: Partial<Node> & { readonly labels?: Record<string, string> } = {},
): Node {
  const { labels = IDENTITY.ownLabels, ...more } = rest;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name: "kiosk-1",
      namespace: "",
      uid: "u1",
      labels,
      annotations: {
        "volumes.kubernetes.io/controller-managed-attach-detach": "true",
      },
    },
    spec: {},
    ...more,
  };
}

Deno.test("newNode() has the operator's labels, but not over those that are facts", () => {
  const { metadata, spec, status } = newNode(IDENTITY, picture(), OPTIONS);
  deepStrictEqual(metadata, {
    name: "kiosk-1",
    labels: {
      site: "north",
      "kubernetes.io/hostname": "kiosk-1",
      "kubernetes.io/os": "linux",
    },
    annotations: {
      "volumes.kubernetes.io/controller-managed-attach-detach": "true",
    },
  });
  deepStrictEqual(spec, {});
  strictEqual(status?.conditions?.length, 4);
});

Deno.test("newNode() has taints and the provider's ID where they are given", () => {
  const taint = { key: "site", effect: "NoSchedule" };
  const identity = { ...IDENTITY, taints: [taint], providerId: "edge://7" };
  deepStrictEqual(newNode(identity, picture(), OPTIONS).spec, {
    taints: [taint],
    providerID: "edge://7",
  });
});

Deno.test("adoptionPatch() has nothing to say of a node that is as it should be", () => {
  strictEqual(adoptionPatch(known(), IDENTITY), undefined);
});

Deno.test("adoptionPatch() sets wrong labels only; an operator's stay", () => {
  const node = known({
    labels: {
      site: "south",
      "kubernetes.io/os": "windows",
      "kubernetes.io/hostname": "kiosk-1",
    },
  });
  deepStrictEqual(adoptionPatch(node, IDENTITY), {
    metadata: { labels: { "kubernetes.io/os": "linux" } },
  });
});

Deno.test("adoptionPatch() says who attaches volumes", () => {
  const { metadata, ...rest } = known();
  const node = { ...rest, metadata: { ...metadata, annotations: {} } };
  deepStrictEqual(adoptionPatch(node, IDENTITY), {
    metadata: {
      annotations: {
        "volumes.kubernetes.io/controller-managed-attach-detach": "true",
      },
    },
  });
});

Deno.test("adoptionPatch() takes resources of earlier plugins away until they come again", () => {
  const node = known({
    status: { capacity: { cpu: "2", "vendor.example/camera": "1" } },
  });
  deepStrictEqual(adoptionPatch(node, IDENTITY), {
    status: {
      capacity: { "vendor.example/camera": "0" },
      allocatable: { "vendor.example/camera": "0" },
    },
  });
  const none = known({
    status: { capacity: { "vendor.example/camera": "0" } },
  });
  strictEqual(adoptionPatch(none, IDENTITY), undefined);
});

Deno.test("nextStatus() keeps what others wrote, and drops what the node has not any more", () => {
  const before = {
    capacity: {
      "vendor.example/camera": "1",
      "hugepages-2Mi": "4Mi",
      "batch.kubernetes.io/thing": "1",
    },
    volumesInUse: ["a"],
    images: [],
  };
  const { status } = nextStatus(before, picture(), OPTIONS);
  deepStrictEqual(status.capacity, {
    cpu: "2",
    memory: "4Gi",
    pods: "110",
    "vendor.example/camera": "1",
  });
  deepStrictEqual(status.allocatable, { cpu: "1", memory: "3Gi", pods: "110" });
  deepStrictEqual(status.volumesInUse, ["a"]);
  deepStrictEqual(status.daemonEndpoints, { kubeletEndpoint: { Port: 0 } });
  strictEqual(status.runtimeHandlers, undefined);
});

Deno.test("nextStatus() has the port and the handlers of a node that has them", () => {
  const runtimeHandlers = [{ name: "runc" }];
  const { status } = nextStatus(
    undefined,
    picture({ port: 10250, runtimeHandlers }),
    OPTIONS,
  );
  deepStrictEqual(status.daemonEndpoints, { kubeletEndpoint: { Port: 10250 } });
  deepStrictEqual(status.runtimeHandlers, runtimeHandlers);
});

Deno.test("nextStatus() tells of a reboot once", () => {
  const first = nextStatus(undefined, picture(), OPTIONS);
  strictEqual(first.events.includes("Rebooted"), false);
  const same = nextStatus(first.status, picture(), OPTIONS);
  deepStrictEqual(same.events, []);
  const info = { ...picture().info, bootID: "boot-2" };
  const next = nextStatus(first.status, picture({ info }), OPTIONS);
  deepStrictEqual(next.events, ["Rebooted"]);
});

const image = (name: string, sizeBytes: number) => ({
  digests: [`${name}@sha256:1`],
  tags: [`${name}:1`, `${name}:2`, `${name}:3`, `${name}:4`, `${name}:5`],
  sizeBytes,
});

for (
  const [maxImages, names] of [
    [-1, ["big", "mid", "small"]],
    [0, undefined],
    [2, ["big", "mid"]],
  ] as const
) {
  Deno.test(`nextStatus() names ${maxImages} images at most, the largest first`, () => {
    const images = [image("mid", 5), image("small", 1), image("big", 9)];
    const { status } = nextStatus(undefined, picture({ images }), {
      ...OPTIONS,
      maxImages,
    });
    deepStrictEqual(
      status.images,
      names?.map((name) => ({
        names: [
          `${name}@sha256:1`,
          `${name}:1`,
          `${name}:2`,
          `${name}:3`,
          `${name}:4`,
        ],
        sizeBytes: { big: 9, mid: 5, small: 1 }[name],
      })),
    );
  });
}

Deno.test("hasChanged() does not count a sign of life", () => {
  const { status } = nextStatus(undefined, picture(), OPTIONS);
  const later = nextStatus(status, picture(), { ...OPTIONS, nowMs: 60_000 });
  strictEqual(hasChanged(status, later.status), false);
  strictEqual(hasChanged(undefined, status), true);
  const ill = picture({ notReady: ["no runtime"] });
  const after = nextStatus(status, ill, OPTIONS).status;
  strictEqual(hasChanged(status, after), true);
});

Deno.test("statusPatch() replaces addresses as a whole, and names only conditions that moved", () => {
  const { status } = nextStatus(undefined, picture(), OPTIONS);
  const next = nextStatus(
    status,
    picture({
      addresses: [{ type: "InternalIP", address: "192.0.2.8" }],
      notReady: ["no runtime"],
    }),
    OPTIONS,
  ).status;
  deepStrictEqual(statusPatch(status, next), {
    addresses: [
      { type: "InternalIP", address: "192.0.2.8" },
      { $patch: "replace" },
    ],
    "$setElementOrder/conditions": [
      { type: "MemoryPressure" },
      { type: "DiskPressure" },
      { type: "PIDPressure" },
      { type: "Ready" },
    ],
    conditions: [{
      type: "Ready",
      status: "False",
      reason: "KubeletNotReady",
      message: "no runtime",
      lastHeartbeatTime: "1970-01-01T00:00:00Z",
      lastTransitionTime: "1970-01-01T00:00:00Z",
    }],
  });
  deepStrictEqual(statusPatch(status, status), {});
});

Deno.test("nextStatus() keeps what is not known now: addresses, images, handlers, what the runtime is", () => {
  const { status } = nextStatus(
    undefined,
    picture({
      images: [image("big", 9)],
      runtimeHandlers: [{ name: "runc" }],
      features: { supplementalGroupsPolicy: true },
    }),
    OPTIONS,
  );
  const { addresses: _none, images: _unknown, ...rest } = picture();
  const info = { ...rest.info, containerRuntimeVersion: "" };
  const blind = { ...rest, info };
  deepStrictEqual(nextStatus(status, blind, OPTIONS).status, status);
  const first = nextStatus(undefined, blind, OPTIONS).status;
  strictEqual(first.nodeInfo?.containerRuntimeVersion, "unknown://");
  deepStrictEqual([first.addresses, first.images], [undefined, undefined]);
});

Deno.test("nextStatus() says nothing that an API server would not keep: no empty list, name or size", () => {
  const nameless = { digests: [], tags: [], sizeBytes: 5 };
  const sizeless = { digests: [], tags: ["a:1"], sizeBytes: 0 };
  const next = (before: NodeStatus | undefined, images: NodeImage[]) =>
    nextStatus(before, picture({ images }), OPTIONS).status.images;
  strictEqual(next(undefined, []), undefined);
  strictEqual(next(undefined, [nameless]), undefined);
  deepStrictEqual(next(undefined, [nameless, sizeless]), [{ names: ["a:1"] }]);
  // What was there goes.
  deepStrictEqual(next({ images: [{ names: ["a:1"] }] }, []), []);
});
