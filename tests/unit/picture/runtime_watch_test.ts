/**
 * Relisting: what is told, what is asked, and what outranks a list.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import {
  type Container,
  CriError,
  type Sandbox,
} from "../../../mod/cri/model/mod.ts";
import type { ObservedPod } from "../../../mod/pod/observed/mod.ts";
import type { PodLifecycleEvent } from "../../../mod/picture/diff.ts";
import type {
  ListService,
  PodListing,
} from "../../../mod/runtime/observe/mod.ts";
import { RuntimeWatch } from "../../../mod/picture/mod.ts";
import {
  emptyPicture,
  neverOpen,
  PERIOD_MS,
} from "../../support/picture/picture.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { observed, sandbox, seen } from "../../support/observed_pods.ts";
import { containerRow, sandboxRow } from "../../support/runtime_rows.ts";

class ListedRuntime implements ListService {
  sandboxes: readonly Sandbox[] = [];
  containers: readonly Container[] = [];
  lists = 0;
  fails = false;
  /** Taken one a list before the fields above are looked at. */
  readonly answers: (readonly Sandbox[])[] = [];
  during: () => void = () => {};

  listPodSandbox(
    filter?: { readonly labels?: Readonly<Record<string, string>> },
  ): Promise<readonly Sandbox[]> {
    this.lists++;
    if (this.fails) {
      return Promise.reject(
        new CriError({
          kind: "unavailable",
          method: "ListPodSandbox",
          detail: "away",
        }),
      );
    }
    const rows = this.answers.shift() ?? this.sandboxes;
    this.during();
    return Promise.resolve(rows.filter((row) => matches(row, filter)));
  }

  listContainers(
    filter?: { readonly labels?: Readonly<Record<string, string>> },
  ): Promise<readonly Container[]> {
    return Promise.resolve(
      this.containers.filter((row) => matches(row, filter)),
    );
  }
}

function matches(
  row: { readonly labels: Readonly<Record<string, string>> },
  filter?: { readonly labels?: Readonly<Record<string, string>> },
): boolean {
  return Object.entries(filter?.labels ?? {})
    .every(([key, value]) => row.labels[key] === value);
}

function setUp(options: { managed?: { has(uid: string): boolean } } = {}) {
  const clock = new FakeClock();
  const runtime = new ListedRuntime();
  const metrics = new MetricsRegistry();
  const inspected: string[] = [];
  const failing = new Set<string>();
  const deps = { clock, metrics, log: silentLogger };
  const { picture, pace } = emptyPicture({ ...deps, ...options });
  const watch = new RuntimeWatch({
    ...deps,
    pace,
    picture,
    ends: Object.assign(runtime, { announce: () => {} }),
    observer: {
      inspect: (listing) => {
        inspected.push(listing.uid);
        return failing.has(listing.uid)
          ? Promise.reject(new Error("no status"))
          : Promise.resolve(lookedAt(listing));
      },
      inspectContainer: () => Promise.resolve(undefined),
    },
    events: neverOpen,
  });
  const events: PodLifecycleEvent[] = [];
  const stop = new AbortController();
  const running = (async () => {
    // So that the test can still say what the first list shows.
    await Promise.resolve();
    for await (const event of watch.run(stop.signal)) events.push(event);
  })();
  return {
    clock,
    runtime,
    picture,
    metrics,
    inspected,
    failing,
    watch,
    events,
    kinds: () => events.splice(0).map(({ kind }) => kind),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      strictEqual(clock.pendingTimers, 0);
    },
  };
}

function lookedAt(listing: PodListing): ObservedPod {
  const { uid, name, namespace, sandboxes, containers } = listing;
  const pod = observed(
    containers.map(({ id, state }) => seen("c", { id, state })),
    sandboxes.map(({ id, state }) => sandbox({ id, ready: state === "ready" })),
  );
  return { ...pod, uid, name, namespace };
}

Deno.test("RuntimeWatch.run() lists at once and tells of what it finds", async () => {
  await using rig = setUp();
  rig.runtime.sandboxes = [sandboxRow("u-1")];
  rig.runtime.containers = [containerRow("u-1")];
  await rig.clock.advance(0);
  deepStrictEqual(rig.events, [
    { kind: "container_started", podUid: "u-1", containerId: "s-u-1" },
    { kind: "container_started", podUid: "u-1", containerId: "c-u-1" },
  ]);
  strictEqual(rig.picture.get("u-1")?.containers.length, 1);
});

Deno.test("RuntimeWatch.run() lists again a period after the last list, and asks nothing when nothing moved", async () => {
  await using rig = setUp();
  rig.runtime.sandboxes = [sandboxRow("u-1")];
  await rig.clock.advance(0);
  rig.kinds();
  rig.inspected.length = 0;
  await rig.clock.advance(PERIOD_MS - 1);
  strictEqual(rig.runtime.lists, 1);
  await rig.clock.advance(1 + 4 * PERIOD_MS);
  strictEqual(rig.runtime.lists, 6);
  deepStrictEqual([rig.kinds(), rig.inspected], [[], []]);
});

Deno.test("RuntimeWatch.run() tells of a death and looks at that pod only", async () => {
  await using rig = setUp();
  rig.runtime.sandboxes = [sandboxRow("u-1"), sandboxRow("u-2")];
  rig.runtime.containers = [containerRow("u-1"), containerRow("u-2")];
  await rig.clock.advance(0);
  rig.kinds();
  rig.inspected.length = 0;
  rig.runtime.containers = [
    containerRow("u-2", { state: "exited" }),
    containerRow("u-1"),
  ];
  await rig.clock.advance(PERIOD_MS);
  deepStrictEqual(rig.kinds(), ["container_died"]);
  deepStrictEqual(rig.inspected, ["u-2"]);
});

Deno.test("RuntimeWatch.run() forgets a pod that is gone", async () => {
  await using rig = setUp();
  rig.runtime.sandboxes = [sandboxRow("u-1"), sandboxRow("u-2")];
  await rig.clock.advance(0);
  rig.kinds();
  rig.runtime.sandboxes = [sandboxRow("u-2")];
  await rig.clock.advance(PERIOD_MS);
  deepStrictEqual(rig.kinds(), ["container_died", "container_removed"]);
  strictEqual(rig.picture.get("u-1"), undefined);
});

Deno.test("RuntimeWatch.run() looks again at a pod until its status can be read", async () => {
  await using rig = setUp();
  rig.runtime.sandboxes = [sandboxRow("u-1"), sandboxRow("u-2")];
  rig.failing.add("u-1");
  await rig.clock.advance(0);
  deepStrictEqual(
    rig.events.map((event) => "podUid" in event && event.podUid),
    [
      "u-2",
    ],
  );
  const never = new AbortController().signal;
  await rejects(
    rig.picture.latest("u-1", { newerThanMs: -1, signal: never }),
    /no status/,
  );
  rig.kinds();
  rig.failing.clear();
  await rig.clock.advance(PERIOD_MS);
  deepStrictEqual(rig.kinds(), ["container_started"]);
  deepStrictEqual(rig.inspected, ["u-1", "u-2", "u-1"]);
});

Deno.test("RuntimeWatch.run() tells that it looked again although nothing moved", async () => {
  await using rig = setUp();
  rig.runtime.sandboxes = [sandboxRow("u-1")];
  await rig.clock.advance(0);
  rig.kinds();
  rig.picture.step("u-1", { kind: "inspection_wanted" });
  rig.picture.followUp("u-1");
  await rig.clock.advance(PERIOD_MS);
  deepStrictEqual(rig.kinds(), ["pod_sync"]);
});

Deno.test("RuntimeWatch.run() does not look at what the agent has seen itself", async () => {
  await using rig = setUp();
  await rig.clock.advance(10);
  const rows = {
    sandboxes: [sandboxRow("u-1")],
    containers: [containerRow("u-1")],
  };
  Object.assign(rig.runtime, rows);
  const look = observed([seen("c", { id: "c-u-1" })], [
    sandbox({ id: "s-u-1" }),
  ]);
  rig.picture.record("u-1", look, rig.clock.monotonic());
  await rig.clock.advance(2 * PERIOD_MS);
  deepStrictEqual([rig.kinds(), rig.inspected], [[], []]);
  strictEqual(rig.picture.get("u-1"), look);
});

Deno.test("RuntimeWatch.run() tells of a death that the agent saw first", async () => {
  await using rig = setUp();
  await rig.clock.advance(10);
  rig.runtime.sandboxes = [sandboxRow("u-1")];
  rig.runtime.containers = [containerRow("u-1", { state: "exited" })];
  const look = observed([seen("c", { id: "c-u-1", state: "exited" })], [
    sandbox({ id: "s-u-1" }),
  ]);
  rig.picture.record("u-1", look, rig.clock.monotonic());
  await rig.clock.advance(PERIOD_MS);
  deepStrictEqual([rig.kinds(), rig.inspected], [["container_died"], []]);
});

Deno.test("RuntimeWatch.run() does not believe a list that is older than what is known", async () => {
  await using rig = setUp();
  await rig.clock.advance(10);
  const look = observed([seen("c")]);
  // The pod is started while a list without it is on its way.
  rig.runtime.during = () => {
    rig.runtime.during = () => {};
    rig.picture.record("u-1", look, rig.clock.monotonic() + 0.1);
  };
  await rig.clock.advance(PERIOD_MS);
  strictEqual(rig.picture.get("u-1"), look);
  deepStrictEqual(rig.kinds(), []);
});

Deno.test("RuntimeWatch.run() does not believe one empty list", async () => {
  await using rig = setUp();
  rig.runtime.sandboxes = [sandboxRow("u-1")];
  await rig.clock.advance(0);
  rig.kinds();
  rig.runtime.answers.push([]);
  await rig.clock.advance(PERIOD_MS);
  deepStrictEqual(rig.kinds(), []);
  rig.runtime.sandboxes = [];
  await rig.clock.advance(PERIOD_MS);
  deepStrictEqual(rig.kinds(), ["container_died", "container_removed"]);
});

Deno.test("RuntimeWatch.run() keeps all it knows while the runtime is away, and tells of its return", async () => {
  await using rig = setUp();
  rig.runtime.sandboxes = [sandboxRow("u-1")];
  await rig.clock.advance(0);
  rig.kinds();
  const before = rig.picture.timeOf("u-1");
  let told = 0;
  rig.watch.whenOutageChanges(() => told++);
  rig.runtime.fails = true;
  await rig.clock.advance(3 * PERIOD_MS);
  deepStrictEqual(rig.kinds(), []);
  strictEqual(told, 1);
  strictEqual(rig.picture.timeOf("u-1"), before);
  rig.runtime.fails = false;
  await rig.clock.advance(PERIOD_MS);
  deepStrictEqual(rig.kinds(), ["runtime_returned"]);
  await rig.clock.advance(PERIOD_MS);
  strictEqual(told, 2);
});

Deno.test("RuntimeWatch.requestRelist() lists one pod at once and answers who waits for it", async () => {
  await using rig = setUp();
  await rig.clock.advance(10);
  rig.runtime.sandboxes = [sandboxRow("u-1"), sandboxRow("u-2")];
  rig.runtime.containers = [containerRow("u-1")];
  const never = new AbortController().signal;
  const waiting = rig.picture.latest("u-1", { newerThanMs: 5, signal: never });
  rig.picture.enqueue("u-1", 0);
  await rig.clock.advance(0);
  strictEqual((await waiting).containers.length, 1);
  deepStrictEqual(rig.kinds(), ["container_started", "container_started"]);
  deepStrictEqual(rig.inspected, ["u-1"]);
});

Deno.test("RuntimeWatch.run() neither looks at nor tells of other people's pods, but lists them", async () => {
  await using rig = setUp({ managed: new Set(["u-1"]) });
  rig.runtime.sandboxes = [sandboxRow("u-1"), sandboxRow("u-2")];
  await rig.clock.advance(0);
  deepStrictEqual(rig.inspected, ["u-1"]);
  deepStrictEqual([...rig.picture.listing?.pods.keys() ?? []], ["u-1", "u-2"]);
});

Deno.test("RuntimeWatch.health() is bad before the first list and three minutes after the last", async () => {
  await using rig = setUp();
  rig.runtime.fails = true;
  await rig.clock.advance(0);
  deepStrictEqual(rig.watch.health(), {
    healthy: false,
    message: "pleg has yet to be successful",
  });
  rig.runtime.fails = false;
  await rig.clock.advance(PERIOD_MS);
  deepStrictEqual(rig.watch.health(), { healthy: true, message: "" });
  rig.runtime.fails = true;
  await rig.clock.advance(180_000);
  strictEqual(rig.watch.health().healthy, true);
  await rig.clock.advance(2_000);
  deepStrictEqual(rig.watch.health(), {
    healthy: false,
    message: "pleg was last seen active 3m2s ago; threshold is 3m0s",
  });
});

Deno.test("RuntimeWatch counts pods and containers under the kubelet's names", async () => {
  await using rig = setUp();
  rig.runtime.sandboxes = [
    sandboxRow("u-1"),
    sandboxRow("u-1", { id: "s-old", state: "not_ready" }),
    sandboxRow("u-2", { state: "not_ready" }),
    sandboxRow("u-3", { state: "not_ready" }),
  ];
  rig.runtime.containers = [
    containerRow("u-1"),
    containerRow("u-2", { state: "exited" }),
    containerRow("u-3", { state: "exited" }),
  ];
  await rig.clock.advance(0);
  const lines = rig.metrics.render().split("\n");
  for (
    const line of [
      "kubelet_running_pods 1",
      'kubelet_running_containers{container_state="running"} 1',
      'kubelet_running_containers{container_state="exited"} 2',
      'kubelet_running_containers{container_state="created"} 0',
      "kubelet_pleg_relist_duration_seconds_count 1",
    ]
  ) {
    strictEqual(lines.includes(line), true, line);
  }
});

Deno.test("RuntimeWatch.run() ends when the signal has aborted before it begins", async () => {
  await using rig = setUp();
  const events = rig.watch.run(AbortSignal.abort())[Symbol.asyncIterator]();
  strictEqual((await events.next()).done, true);
});
