/**
 * What is asked of the runtime from the removal of a manifest until nothing of its pod is
 * left. A runtime answers a list of one pod by walking through all: one such look is made.
 *
 * @module
 */

import { deepStrictEqual, fail, ok, strictEqual } from "node:assert/strict";
import type { CriConnection } from "../../../mod/cri/mod.ts";
import type { RuntimeService } from "../../../mod/cri/model/mod.ts";
import type * as wire from "../../../proto/gen/runtime/v1/api.ts";
import { CoreRig, type CoreRigOptions } from "../../support/agent/core_rig.ts";
import { CODE } from "../../support/fake_cri/status_error.ts";
import {
  busybox,
  leftovers,
  untilGone,
  WEB,
  web,
} from "../../support/agent/manifests.ts";

const PRE_STOP = { preStop: { exec: { command: ["drain"] } } };

/** All that is asked of a pod when it ends, in order. */
const SHAPES: readonly {
  readonly what: string;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly calls: readonly string[];
}[] = [
  {
    what: "one container",
    spec: {},
    calls: [
      "StopContainer",
      "StopPodSandbox",
      "ContainerStatus",
      "ListPodSandbox",
      "ListContainers",
      "RemovePodSandbox",
    ],
  },
  {
    what: "two containers",
    spec: { containers: [busybox(WEB), busybox("b")] },
    calls: [
      "StopContainer",
      "StopContainer",
      "StopPodSandbox",
      "ContainerStatus",
      "ContainerStatus",
      "ListPodSandbox",
      "ListContainers",
      "RemovePodSandbox",
    ],
  },
  {
    what: "a preStop hook and a sidecar",
    spec: {
      initContainers: [{ ...busybox("side"), restartPolicy: "Always" }],
      containers: [busybox(WEB, { lifecycle: PRE_STOP })],
    },
    calls: [
      "ExecSync",
      "StopContainer",
      "StopContainer",
      "StopPodSandbox",
      "ContainerStatus",
      "ContainerStatus",
      "ListPodSandbox",
      "ListContainers",
      "RemovePodSandbox",
    ],
  },
];

type Stream = "none" | "cri" | "containerd";

const STREAMS: readonly Stream[] = ["none", "cri", "containerd"];

function optionsOf(stream: Stream): CoreRigOptions {
  return {
    prepare: ({ fake }) => {
      fake.settings.runtimeVersion = stream === "cri" ? "1.7.20" : "1.6.20";
      fake.eventsEnabled = stream === "cri";
      fake.containerdEventsEnabled = fake.tasks = stream === "containerd";
    },
  };
}

/** An agent that trusts its stream, if it has one, and a pod that runs. */
async function withRunning(
  stream: Stream,
  spec: Readonly<Record<string, unknown>> = {},
  wrap: CoreRigOptions["wrap"] = (connection) => connection,
): Promise<CoreRig> {
  const rig = await CoreRig.start({ ...optionsOf(stream), wrap });
  const periodMs = () => rig.metric("skerry_pleg_relist_period_seconds");
  await rig.apply("web", web({ spec }));
  await rig.until(() => rig.fake.running(WEB).length === 1, "the start");
  await rig.until(
    () => periodMs() === (stream === "none" ? 1 : 10),
    "the period of lists",
  );
  // Beyond the looks that events of the start may ask for.
  await rig.pass(3_500);
  return rig;
}

/** The calls about the pod since the `from`th; the lists of all are the watch's. */
function callsOf(rig: CoreRig, from: number): readonly string[] {
  return rig.fake.calls.slice(from)
    .filter(({ method, request }) =>
      !method.startsWith("List") || isFiltered(request)
    )
    .map(({ method }) => method);
}

function isFiltered(request: unknown): boolean {
  const { filter } = request as wire.ListContainersRequest;
  return Object.keys(filter?.labelSelector ?? {}).length > 0;
}

for (const stream of STREAMS) {
  for (const { what, spec, calls } of SHAPES) {
    Deno.test(`Agent ends a pod of ${what} by ${calls.length} calls, where the stream of events is ${stream}`, async () => {
      await using rig = await withRunning(stream, spec);
      const from = rig.fake.calls.length;
      await rig.remove("web");
      await untilGone(rig);
      await rig.pass(5_000);
      deepStrictEqual(callsOf(rig, from), calls);
      strictEqual(leftovers(rig).length, 0);
    });
  }
}

for (const stream of STREAMS) {
  Deno.test(`Agent asks twice how a container ended that had to be killed, where the stream of events is ${stream}`, async () => {
    await using rig = await withRunning(stream);
    rig.fake.behave(WEB, { onTerm: "ignore" });
    const from = rig.fake.calls.length;
    await rig.remove("web");
    await untilGone(rig);
    await rig.pass(5_000);
    // That the kernel killed it for its memory may be told a moment later.
    deepStrictEqual(callsOf(rig, from), [
      "StopContainer",
      "StopPodSandbox",
      "ContainerStatus",
      "ListPodSandbox",
      "ListContainers",
      "ContainerStatus",
      "RemovePodSandbox",
    ]);
  });
}

Deno.test("Agent stops a sandbox once more that a runtime does not remove although it was stopped", async () => {
  await using rig = await withRunning("containerd");
  const details = "sandbox network namespace is not fully closed";
  const fault = { kind: "error", code: CODE.unknown, details } as const;
  rig.fake.fault("RemovePodSandbox", fault, { times: 1 });
  const from = rig.fake.calls.length;
  await rig.remove("web");
  await untilGone(rig);
  const stops = rig.mutations(from)
    .filter((method) => method.endsWith("PodSandbox"));
  deepStrictEqual(stops, [
    "StopPodSandbox",
    "RemovePodSandbox",
    "StopPodSandbox",
    "RemovePodSandbox",
  ]);
});

Deno.test("Agent stops a sandbox once more that an earlier agent has stopped, since it does not know that", async () => {
  await using rig = await withRunning("none");
  rig.fake.fault("RemovePodSandbox", { kind: "hang" });
  await rig.remove("web");
  await rig.until(
    () => rig.fake.callsOf("RemovePodSandbox").length === 1,
    "the removal",
  );
  await rig.stopAgent();
  rig.fake.clearFaults();
  const from = rig.fake.calls.length;
  await rig.startAgent();
  await untilGone(rig);
  const removed = rig.mutations(from);
  ok(
    removed.indexOf("StopPodSandbox") < removed.indexOf("RemovePodSandbox"),
    removed.join(" "),
  );
});

Deno.test("Agent ends what began in the runtime while it ended the pod, which no look had shown (I3)", async () => {
  const made: Parameters<RuntimeService["createContainer"]>[0][] = [];
  const wrap = (connection: CriConnection): CriConnection => {
    const { runtime } = connection;
    const create = runtime.createContainer.bind(runtime);
    runtime.createContainer = (request, options) => {
      made.push(request);
      return create(request, options);
    };
    return connection;
  };
  await using rig = await withRunning("none", {}, wrap);
  const { runtime } = rig.connection;
  const stop = runtime.stopPodSandbox.bind(runtime);
  const [{ config, sandboxConfig } = fail()] = made;
  let late: string | undefined;
  runtime.stopPodSandbox = async (id, options) => {
    await stop(id, options);
    if (late !== undefined) return;
    // Calls of an agent that died, which a runtime was slow to answer.
    const again = <T extends { readonly metadata: object }>(one: T): T => ({
      ...one,
      metadata: { ...one.metadata, attempt: 1 },
    });
    const more = again(sandboxConfig);
    late = await runtime.runPodSandbox(more, {});
    await runtime.startContainer(
      await runtime.createContainer({
        sandboxId: late,
        config: again(config),
        sandboxConfig: more,
      }),
    );
  };
  await rig.remove("web");
  await rig.until(() => late !== undefined, "what is late");
  await untilGone(rig);
  strictEqual(rig.fake.callsOf("StopContainer").length, 2);
  strictEqual(rig.fake.callsOf("RemovePodSandbox").length, 2);
});

Deno.test("Agent shows how the containers of a removed pod ended before its record goes", async () => {
  await using rig = await withRunning("containerd");
  rig.fake.behave(WEB, { onTerm: { code: 3, afterMs: 0 } });
  rig.fake.fault("RemovePodSandbox", { kind: "hang" });
  const ends: (number | undefined)[] = [];
  const { statuses } = rig.core;
  const end = statuses.terminatePod.bind(statuses);
  statuses.terminatePod = (pod) => {
    const status = end(pod);
    const [first] = status?.containerStatuses ?? [];
    ends.push(first?.state?.terminated?.exitCode);
    return status;
  };
  await rig.remove("web");
  await rig.until(() => ends.length > 0, "its end");
  deepStrictEqual(ends, [3]);
});
