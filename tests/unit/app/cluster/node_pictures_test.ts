/**
 * What a cluster is told of the node.
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  rejects,
  strictEqual,
} from "node:assert/strict";
import { parseQuantity } from "../../../../mod/api/objects/mod.ts";
import {
  nodePicture,
  type NodePicturesDeps,
} from "../../../../mod/app/cluster/node_pictures.ts";
import type { RuntimeStatus } from "../../../../mod/cri/model/mod.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

const SIGNAL = new AbortController().signal;

interface Told {
  readonly conditions?: RuntimeStatus["conditions"];
  readonly failing?: boolean;
  readonly rest?: Partial<NodePicturesDeps>;
}

const FEATURES = {
  version: { runtimeName: "containerd", runtimeVersion: "1.7.24" },
  handlers: [
    { name: "", userNamespaces: true, recursiveReadOnlyMounts: true },
  ],
  supplementalGroupsPolicy: false,
  cgroupDriver: undefined,
};

const ADDRESSES = [{ type: "Hostname", address: "kiosk-1" }];
const IMAGES = [{ digests: [], tags: ["busybox:1"], sizeBytes: 7 }];

function depsOf(
  { conditions = [], failing = false, rest = {} }: Told,
): NodePicturesDeps {
  const status = {
    conditions,
    handlers: [],
    supplementalGroupsPolicy: false,
    info: new Map(),
  };
  return {
    clock: new FakeClock(),
    addresses: { current: ADDRESSES },
    images: { known: IMAGES, refresh: () => Promise.resolve() },
    capacity: new Map([["memory", parseQuantity("4Gi")]]),
    schedulable: new Map([["memory", parseQuantity("3Gi")]]),
    swapBytes: () => 0,
    pressures: () => ["DiskPressure"],
    standstill: () => undefined,
    isGoingDown: () => false,
    machine: {
      machineID: "m1",
      bootID: "b1",
      kernelVersion: "6.1.0",
      osImage: "Debian",
      architecture: "arm64",
    },
    connection: {
      features: () => FEATURES,
      runtime: {
        status: () =>
          failing
            ? Promise.reject(new Error("no socket"))
            : Promise.resolve(status),
      },
    },
    ...rest,
  };
}

Deno.test("nodePicture() says what the node is, has and runs on", async () => {
  const { info, ...rest } = await nodePicture(depsOf({}), SIGNAL);
  deepStrictEqual(rest, {
    addresses: ADDRESSES,
    capacity: { memory: "4Gi" },
    allocatable: { memory: "3Gi" },
    images: IMAGES,
    runtimeHandlers: [{
      name: "",
      features: { userNamespaces: true, recursiveReadOnlyMounts: true },
    }],
    features: { supplementalGroupsPolicy: false },
    pressures: ["DiskPressure"],
    notReady: [],
  });
  strictEqual(info.containerRuntimeVersion, "containerd://1.7.24");
  match(info.kubeletVersion, /^v1\.\d+\.\d+\+skerry\./);
  deepStrictEqual([info.machineID, info.systemUUID, info.bootID], [
    "m1",
    "m1",
    "b1",
  ]);
});

Deno.test("nodePicture() gives the runtime's own reasons, in upstream's words", async () => {
  const condition = { reason: "NoPlugin", message: "no network" };
  const { notReady } = await nodePicture(
    depsOf({
      conditions: [
        { type: "RuntimeReady", status: true, ...condition },
        { type: "NetworkReady", status: false, ...condition },
        { type: "Other", status: false, ...condition },
      ],
    }),
    SIGNAL,
  );
  deepStrictEqual(notReady, [
    "container runtime network not ready: NetworkReady=false reason:NoPlugin message:no network",
  ]);
});

Deno.test("a runtime that is away is why the node is not ready; what was known of it stays", async () => {
  const { notReady, images, runtimeHandlers } = await nodePicture(
    depsOf({ failing: true }),
    SIGNAL,
  );
  deepStrictEqual(notReady, ["container runtime is down: no socket"]);
  deepStrictEqual(images, IMAGES);
  strictEqual(runtimeHandlers.length, 1);
});

Deno.test("a runtime that hangs is away after two seconds", async () => {
  const clock = new FakeClock();
  const status = ({ signal }: { signal?: AbortSignal } = {}) =>
    new Promise<never>((_resolve, reject) =>
      signal?.addEventListener("abort", () => reject(signal.reason))
    );
  const connection = { features: () => FEATURES, runtime: { status } };
  const asking = nodePicture(depsOf({ rest: { clock, connection } }), SIGNAL);
  await clock.advance(1_999);
  strictEqual(clock.pendingTimers, 1);
  await clock.advance(1);
  const { notReady } = await asking;
  match(notReady.join(), /^container runtime is down: /);
});

Deno.test("nodePicture() of a runtime that never answered has no version of it, and no more than is known", async () => {
  const none = depsOf({
    failing: true,
    rest: {
      addresses: { current: undefined },
      images: { known: undefined, refresh: () => Promise.resolve() },
    },
  });
  const connection = { ...none.connection, features: () => undefined };
  const { info, runtimeHandlers, ...rest } = await nodePicture(
    { ...none, connection },
    SIGNAL,
  );
  strictEqual(info.containerRuntimeVersion, "");
  deepStrictEqual(runtimeHandlers, []);
  for (const key of ["addresses", "images", "features"]) {
    strictEqual(key in rest, false);
  }
});

Deno.test("images that cannot be listed are a runtime that is away", async () => {
  const refresh = () => Promise.reject(new Error("no images"));
  const deps = depsOf({ rest: { images: { known: undefined, refresh } } });
  const { notReady } = await nodePicture(deps, SIGNAL);
  deepStrictEqual(notReady, ["container runtime is down: no images"]);
});

Deno.test("a node that goes down, or whose pods were not seen for long, is not ready", async () => {
  const deps = depsOf({
    rest: { isGoingDown: () => true, standstill: () => "last seen long ago" },
  });
  deepStrictEqual((await nodePicture(deps, SIGNAL)).notReady, [
    "PLEG is not healthy: last seen long ago",
    "node is shutting down",
  ]);
});

Deno.test("nodePicture() tells of swap where there is some", async () => {
  const some = await nodePicture(
    depsOf({ rest: { swapBytes: () => 4_096 } }),
    SIGNAL,
  );
  deepStrictEqual(some.info.swap, { capacity: 4_096 });
  const none = await nodePicture(depsOf({}), SIGNAL);
  strictEqual("swap" in none.info, false);
});

Deno.test("nodePicture() ends with its signal", async () => {
  const stop = new AbortController();
  stop.abort(new Error("the end"));
  await rejects(nodePicture(depsOf({ failing: true }), stop.signal), /the end/);
});
