/**
 * Listing and inspecting pods.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import {
  type Container,
  type ContainerStatus,
  CriError,
  type Sandbox,
  type SandboxStatus,
} from "../../../mod/cri/mod.ts";
import {
  groupByPod,
  inspectPod,
  nothingListed,
  type ObserveDeps,
  type RuntimeFiles,
} from "../../../mod/runtime/mod.ts";
import { podIps } from "../../../mod/runtime/observe.ts";
import {
  containerDetails,
  containerRow,
  sandboxDetails,
  sandboxRow,
  seenContainer,
  seenPod,
  seenSandbox,
} from "./builders.ts";

const NO_FILES: RuntimeFiles = {
  makeDirectory: () => Promise.resolve(),
  write: () => Promise.resolve(),
  writeNew: () => Promise.resolve(true),
  readTail: () => Promise.resolve(undefined),
  readTailBelow: () => Promise.resolve(undefined),
  list: () => Promise.resolve([]),
  remove: () => Promise.resolve(),
};

class SmallRuntime {
  readonly calls: string[] = [];
  sandboxes: readonly Sandbox[] = [];
  containers: readonly Container[] = [];
  details: Partial<ContainerStatus> = {};
  sandbox: Partial<SandboxStatus> = {};
  gone: readonly string[] = [];
  failing = false;

  listPodSandbox(): Promise<readonly Sandbox[]> {
    this.calls.push("list sandboxes");
    return Promise.resolve(this.sandboxes);
  }

  listContainers(): Promise<readonly Container[]> {
    this.calls.push("list containers");
    return Promise.resolve(this.containers);
  }

  podSandboxStatus(id: string): Promise<SandboxStatus> {
    this.calls.push(`status ${id}`);
    const row = this.sandboxes.find((each) => each.id === id);
    if (row === undefined || this.gone.includes(id)) return this.#refuse();
    return Promise.resolve(sandboxDetails(row, this.sandbox));
  }

  containerStatus(id: string): Promise<ContainerStatus> {
    this.calls.push(`status ${id}`);
    const row = this.containers.find((each) => each.id === id);
    if (row === undefined || this.gone.includes(id) || this.failing) {
      return this.#refuse();
    }
    return Promise.resolve(containerDetails(row, this.details));
  }

  #refuse(): Promise<never> {
    const kind = this.failing ? "failed" : "not_found";
    return Promise.reject(
      new CriError({ kind, method: "ContainerStatus", detail: "no" }),
    );
  }
}

function depsOf(runtime: SmallRuntime): ObserveDeps {
  return { runtime, files: NO_FILES };
}

Deno.test("groupByPod() groups by label and tells the rest apart", () => {
  const { pods, foreign } = groupByPod(
    [sandboxRow("u-1"), sandboxRow("u-2"), sandboxRow("x", { labels: {} })],
    [
      containerRow("u-1"),
      // Its sandbox is gone; it still is the pod's.
      containerRow("u-3", { sandboxId: "gone" }),
      containerRow("u-1", { id: "odd", labels: { app: "x" } }),
    ],
  );
  deepStrictEqual([...pods.keys()], ["u-1", "u-2", "u-3"]);
  deepStrictEqual(foreign.map(({ kind, id }) => [kind, id]), [
    ["sandbox", "s-x"],
    ["container", "odd"],
  ]);
});

Deno.test("groupByPod() takes no pod whose UID could lead out of a directory", () => {
  const { pods, foreign } = groupByPod([sandboxRow("../../etc")], []);
  strictEqual(pods.size, 0);
  strictEqual(foreign.length, 1);
});

for (
  const [what, sandboxState, containerState, alive] of [
    ["a ready sandbox", "ready", "exited", true],
    ["a running container", "not_ready", "running", true],
    ["a container in doubt", "not_ready", "unknown", true],
    ["nothing that runs", "not_ready", "exited", false],
  ] as const
) {
  Deno.test(`groupByPod() says whether a pod with ${what} is alive`, () => {
    const { pods } = groupByPod(
      [sandboxRow("u", { state: sandboxState })],
      [containerRow("u", { state: containerState })],
    );
    strictEqual(pods.get("u")?.alive, alive);
  });
}

Deno.test("inspectPod() asks for everything when nothing is known", async () => {
  const runtime = new SmallRuntime();
  runtime.sandboxes = [sandboxRow("u-1")];
  runtime.containers = [containerRow("u-1")];
  const pod = await inspectPod(depsOf(runtime), "u-1");
  deepStrictEqual(runtime.calls, [
    "list sandboxes",
    "list containers",
    "status s-u-1",
    "status c-u-1",
  ]);
  deepStrictEqual([pod.name, pod.namespace, pod.ips], [
    "web",
    "shop",
    ["10.88.0.7"],
  ]);
  deepStrictEqual(pod.containers.map(({ id, logPath }) => [id, logPath]), [
    ["c-u-1", "c/0.log"],
  ]);
});

for (
  const [was, is, asks] of [
    ["running", "running", false],
    ["exited", "exited", false],
    ["running", "exited", true],
    ["created", "created", true],
    ["unknown", "unknown", true],
  ] as const
) {
  Deno.test(`inspectPod() ${asks ? "asks" : "does not ask"} again for a container ${was} → ${is}`, async () => {
    const runtime = new SmallRuntime();
    runtime.containers = [containerRow("u-1", { id: "c-0", state: is })];
    const cached = seenPod({
      containers: [seenContainer("c", { state: was })],
    });
    const { containers } = await inspectPod(depsOf(runtime), "u-1", { cached });
    strictEqual(runtime.calls.includes("status c-0"), asks);
    strictEqual(containers.length, 1);
  });
}

Deno.test("inspectPod() leaves out what vanished since the list", async () => {
  const runtime = new SmallRuntime();
  runtime.sandboxes = [sandboxRow("u-1")];
  runtime.containers = [containerRow("u-1"), containerRow("u-1", { id: "b" })];
  runtime.gone = ["s-u-1", "c-u-1"];
  const pod = await inspectPod(depsOf(runtime), "u-1");
  deepStrictEqual(pod.sandboxes, []);
  deepStrictEqual(pod.containers.map(({ id }) => id), ["b"]);
});

Deno.test("inspectPod() fails when the runtime cannot answer", async () => {
  const runtime = new SmallRuntime();
  runtime.containers = [containerRow("u-1")];
  runtime.failing = true;
  await rejects(inspectPod(depsOf(runtime), "u-1"), CriError);
});

Deno.test("inspectPod() asks only for the newest sandbox, by attempt and not by time", async () => {
  const runtime = new SmallRuntime();
  const row = (id: string, attempt: number, createdAt: bigint) =>
    sandboxRow("u-1", {
      id,
      createdAt,
      metadata: { name: "web", namespace: "shop", uid: "u-1", attempt },
    });
  runtime.sandboxes = [row("s0", 0, 900n), row("s2", 2, 5n), row("s1", 1, 7n)];
  const pod = await inspectPod(depsOf(runtime), "u-1");
  deepStrictEqual(pod.sandboxes.map(({ id }) => id), ["s2", "s1", "s0"]);
  deepStrictEqual(runtime.calls.slice(2), ["status s2"]);
});

Deno.test("inspectPod() takes the container restarted most often for the newest", async () => {
  const runtime = new SmallRuntime();
  const row = (id: string, count: number, createdAt: bigint) =>
    containerRow("u-1", {
      id,
      createdAt,
      annotations: { "io.kubernetes.container.restartCount": String(count) },
    });
  // The clock was set back between the two.
  runtime.containers = [row("old", 0, 900n), row("new", 1, 5n)];
  const pod = await inspectPod(depsOf(runtime), "u-1");
  deepStrictEqual(pod.containers.map(({ id }) => id), ["new", "old"]);
});

Deno.test("inspectPod() bounds what a runtime says", async () => {
  const runtime = new SmallRuntime();
  runtime.containers = [containerRow("u-1", {
    state: "exited",
    annotations: { "io.kubernetes.container.restartCount": "-1e9" },
  })];
  runtime.details = { reason: "r".repeat(1e6), message: "m".repeat(1e6) };
  const [container] = (await inspectPod(depsOf(runtime), "u-1")).containers;
  strictEqual(container?.reason.length, 256);
  strictEqual(container?.message.length, 4096);
  strictEqual(container?.restartCount, 0);
});

const IP_ROWS = [
  ["of the newest ready sandbox", [seenSandbox()], ["10.88.0.7"]],
  [
    "of both families",
    [seenSandbox({ additionalIps: ["fd00::7"] })],
    ["10.88.0.7", "fd00::7"],
  ],
  ["of none when one is garbage", [seenSandbox({ ip: "10.88.0.700" })], []],
  ["of none with the node's network", [seenSandbox({ ip: "" })], []],
  ["seen last when no sandbox is ready", [seenSandbox({ ready: false })], [
    "10.9.9.9",
  ]],
  ["seen last without sandboxes", [], ["10.9.9.9"]],
  [
    "of none when only an older sandbox is ready",
    [seenSandbox({ ready: false }), seenSandbox({ id: "s0" })],
    [],
  ],
] as const;

for (const [what, sandboxes, expected] of IP_ROWS) {
  Deno.test(`podIps() gives the addresses ${what}`, () => {
    deepStrictEqual(podIps(sandboxes, { ips: ["10.9.9.9"] }), expected);
  });
}

Deno.test("inspectPod() asks by id for what a list lacks, and leaves it out only when it is gone (R09)", async () => {
  const runtime = new SmallRuntime();
  runtime.sandboxes = [sandboxRow("u-1")];
  runtime.containers = [containerRow("u-1")];
  const cached = await inspectPod(depsOf(runtime), "u-1");
  const listing = nothingListed("u-1");
  const kept = await inspectPod(depsOf(runtime), "u-1", { cached, listing });
  deepStrictEqual(kept, cached);
  runtime.gone = ["s-u-1", "c-u-1"];
  const pod = await inspectPod(depsOf(runtime), "u-1", { cached, listing });
  deepStrictEqual([pod.sandboxes, pod.containers], [[], []]);
});
