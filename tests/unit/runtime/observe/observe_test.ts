/**
 * Listing and inspecting pods.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { CriError } from "../../../../mod/cri/model/mod.ts";
import {
  groupByPod,
  nothingListed,
} from "../../../../mod/runtime/observe/list_pods.ts";
import {
  inspectPod,
  podIps,
  withContainers,
  withSandbox,
} from "../../../../mod/runtime/observe/observe.ts";
import {
  ended,
  observed,
  sandbox,
  seen,
} from "../../../support/observed_pods.ts";
import { containerRow, sandboxRow } from "../../../support/runtime_rows.ts";
import {
  depsOf,
  SmallRuntime,
} from "../../../support/runtime/small_runtime.ts";

Deno.test("groupByPod() groups by label and leaves the rest out", () => {
  const { pods } = groupByPod(
    [sandboxRow("u-1"), sandboxRow("u-2"), sandboxRow("x", { labels: {} })],
    [
      containerRow("u-1"),
      // Its sandbox is gone; it still is the pod's.
      containerRow("u-3", { sandboxId: "gone" }),
      containerRow("u-1", { id: "odd", labels: { app: "x" } }),
    ],
  );
  deepStrictEqual([...pods.keys()], ["u-1", "u-2", "u-3"]);
  const ids = pods.get("u-1")?.containers.map(({ id }) => id);
  deepStrictEqual(ids, ["c-u-1"]);
});

Deno.test("groupByPod() names a pod as its newest sandbox, in whatever order they are listed", () => {
  const row = (name: string, attempt: number, createdAt: bigint) => {
    const metadata = { name, namespace: "shop", uid: "u", attempt };
    const labels = {
      ...sandboxRow("u").labels,
      "io.kubernetes.pod.name": name,
      "io.kubernetes.pod.namespace": `${name}-space`,
    };
    return sandboxRow("u", { id: name, metadata, createdAt, labels });
  };
  for (
    const rows of [
      [row("old", 0, 5n), row("new", 1, 4n)],
      [row("old", 1, 4n), row("new", 1, 5n)],
    ]
  ) {
    for (const listed of [rows, rows.toReversed()]) {
      const pod = groupByPod(listed, []).pods.get("u");
      deepStrictEqual([pod?.name, pod?.namespace], ["new", "new-space"]);
    }
  }
});

Deno.test("groupByPod() takes no pod whose UID could lead out of a directory", () => {
  strictEqual(groupByPod([sandboxRow("../../etc")], []).pods.size, 0);
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
    const cached = observed([seen("c", { state: was })]);
    const { containers } = await inspectPod(depsOf(runtime), "u-1", { cached });
    strictEqual(runtime.calls.includes("status c-0"), asks);
    strictEqual(containers.length, 1);
  });
}

Deno.test("inspectPod() gives every call the signal that it was given", async () => {
  const runtime = new SmallRuntime();
  runtime.sandboxes = [sandboxRow("u-1")];
  runtime.containers = [containerRow("u-1")];
  const { signal } = new AbortController();
  await inspectPod(depsOf(runtime), "u-1", { signal });
  deepStrictEqual(runtime.signals, [signal, signal, signal, signal]);
});

Deno.test("inspectPod() names a container by its label, and by what the runtime calls it where there is none", async () => {
  const runtime = new SmallRuntime();
  runtime.containers = [containerRow("u-1")];
  const name = async () =>
    (await inspectPod(depsOf(runtime), "u-1")).containers[0]?.name;
  runtime.details = { metadata: { name: "other", attempt: 0 } };
  strictEqual(await name(), "c");
  runtime.details = { ...runtime.details, labels: {} };
  strictEqual(await name(), "other");
});

Deno.test("inspectPod() tells all that the runtime says of a container", async () => {
  const runtime = new SmallRuntime();
  runtime.sandboxes = [sandboxRow("u-1")];
  runtime.containers = [containerRow("u-1", { createdAt: 7n })];
  runtime.sandbox = { networkMode: "node", additionalIps: ["fd00::7"] };
  runtime.details = {
    reason: "Why",
    message: "so",
    exitCode: 3,
    stopSignal: "SIGUSR1",
    annotations: {
      "io.kubernetes.container.hash": "abc",
      "io.kubernetes.container.restartCount": "5",
    },
    user: { uid: 1n, gid: 2n, supplementalGroups: [3n, 4n] },
    resources: { cpuShares: 512n, memoryLimitInBytes: 64n },
    logPath: "/var/log/pods/shop_web_u/c/5.log",
  };
  const pod = await inspectPod(depsOf(runtime), "u-1");
  strictEqual(pod.sandboxes[0]?.hostNetwork, true);
  deepStrictEqual(pod.ips, ["10.88.0.7", "fd00::7"]);
  deepStrictEqual(pod.containers, [{
    id: "c-u-1",
    sandboxId: "s-u-1",
    name: "c",
    state: "running",
    createdAt: 7n,
    startedAt: 3n,
    finishedAt: 0n,
    exitCode: 3,
    reason: "Why",
    message: "so",
    image: "example/app:1",
    imageRef: "sha256:abc",
    hash: "abc",
    restartCount: 5,
    logPath: "c/5.log",
    resources: {
      requests: { cpu: "500m" },
      limits: { memory: "64" },
      fromRuntime: true,
    },
    stopSignal: "SIGUSR1",
    user: { uid: 1, gid: 2, supplementalGroups: [3, 4] },
  }]);
});

Deno.test("inspectPod() keeps the name of a pod that a list lacks, and what was known of its older sandboxes", async () => {
  const runtime = new SmallRuntime();
  runtime.sandboxes = [
    sandboxRow("u-1", { id: "new", createdAt: 9n, state: "not_ready" }),
    sandboxRow("u-1", { id: "old", createdAt: 5n, state: "not_ready" }),
  ];
  const old = sandbox({
    id: "old",
    hostNetwork: true,
    ip: "10.0.0.9",
    additionalIps: ["fd00::9"],
  });
  const cached = { ...observed([], [old]), ips: ["10.0.0.9"] };
  const pod = await inspectPod(depsOf(runtime), "u-1", { cached });
  deepStrictEqual(pod.sandboxes, [
    {
      ...sandbox({ id: "new", ready: false, createdAt: 9n }),
      ip: undefined,
    },
    { ...old, ready: false, createdAt: 5n },
  ]);
  deepStrictEqual(pod.ips, ["10.0.0.9"]);
  const listing = nothingListed("u-1");
  const { name, namespace } = await inspectPod(depsOf(runtime), "u-1", {
    cached,
    listing,
  });
  deepStrictEqual([name, namespace], ["web", "shop"]);
});

Deno.test("inspectPod() takes a sandbox for ended that ended since the list", async () => {
  const runtime = new SmallRuntime();
  runtime.sandboxes = [sandboxRow("u-1")];
  runtime.sandbox = { state: "not_ready" };
  const { sandboxes, ips } = await inspectPod(depsOf(runtime), "u-1");
  deepStrictEqual([sandboxes[0]?.ready, ips], [false, []]);
});

Deno.test("inspectPod() orders what has the same count and time by its id", async () => {
  const runtime = new SmallRuntime();
  const ids = ["b", "c", "a"];
  const state = "not_ready";
  runtime.sandboxes = ids.map((id) => sandboxRow("u-1", { id, state }));
  runtime.containers = ids.map((id) => containerRow("u-1", { id: `c-${id}` }));
  const pod = await inspectPod(depsOf(runtime), "u-1");
  deepStrictEqual(pod.sandboxes.map(({ id }) => id), ["a", "b", "c"]);
  deepStrictEqual(
    pod.containers.map(({ id }) => id),
    ["c-a", "c-b", "c-c"],
  );
});

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
  runtime.containers = [containerRow("u-1")];
  const [running] = (await inspectPod(depsOf(runtime), "u-1")).containers;
  strictEqual(running?.message.length, 4096);
});

const IP_ROWS = [
  ["of the newest ready sandbox", [sandbox({ ip: "10.88.0.7" })], [
    "10.88.0.7",
  ]],
  [
    "of both families",
    [sandbox({ ip: "10.88.0.7", additionalIps: ["fd00::7"] })],
    ["10.88.0.7", "fd00::7"],
  ],
  ["of none when one is garbage", [sandbox({ ip: "10.88.0.700" })], []],
  [
    "of none when one is too great by one",
    [sandbox({ ip: "10.88.0.256" })],
    [],
  ],
  ["of the greatest number", [sandbox({ ip: "10.88.0.255" })], [
    "10.88.0.255",
  ]],
  [
    "of none when one is no IPv6",
    [sandbox({ additionalIps: ["fd00::g"] })],
    [],
  ],
  ["of none when one is too long", [sandbox({ ip: "10.88.0.1.2" })], []],
  ["of what is left when the first is empty", [
    sandbox({ ip: "", additionalIps: ["fd00::7"] }),
  ], ["fd00::7"]],
  ["of none with the node's network", [sandbox({ ip: "" })], []],
  ["seen last when no sandbox is ready", [sandbox({ ready: false })], [
    "10.9.9.9",
  ]],
  ["seen last without sandboxes", [], ["10.9.9.9"]],
  [
    "of none when only an older sandbox is ready",
    [sandbox({ id: "s1", ready: false }), sandbox()],
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

Deno.test("withContainers() puts containers in the place of those of their id, the newest first", () => {
  const pod = observed([seen("a", { id: "a" }), seen("b")]);
  const after = withContainers(pod, [
    seen("b", { restartCount: 1 }),
    ended("a", 0, { id: "a" }),
  ]);
  deepStrictEqual(
    after.containers.map(({ id, state }) => [id, state]),
    [["b-1", "running"], ["a", "exited"], ["b-0", "running"]],
  );
});

Deno.test("withSandbox() adds a sandbox of which no more than the id is known, before the others", () => {
  const only = sandbox({ id: "s1" });
  const pod = observed([], [only]);
  strictEqual(withSandbox(pod, "s1"), pod);
  deepStrictEqual(withSandbox(pod, "s2").sandboxes, [
    {
      id: "s2",
      ready: true,
      attempt: 0,
      createdAt: 0n,
      hostNetwork: false,
      ip: undefined,
      additionalIps: [],
    },
    only,
  ]);
});
