/**
 * What the explanation of one pod is made of: what the parts of the core know of it.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { ANNOTATION_CONFIG_SOURCE } from "../../../mod/api/vocabulary/mod.ts";
import type { PodState } from "../../../mod/pod/lifecycle/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { NOW_MS } from "../../support/observed_pods.ts";
import {
  container,
  containerStatus,
  endedStatus,
  pod,
} from "../../support/pods.ts";
import { workerView } from "../../support/agent/worker_view.ts";
import { explain } from "../../support/views/explain.ts";
import { recorderOn, viewedSource } from "../../support/views/viewed_core.ts";

const PENDING = pod({ status: { phase: "Pending" } });
const READY = pod({
  status: {
    phase: "Running",
    conditions: [{ type: "Ready", status: "True" }],
    containerStatuses: [containerStatus("c", { state: { running: {} } })],
  },
});
const RUNS = 'It runs: container "c" is ready';
const ENDING: PodState = {
  kind: "terminating",
  cause: "removed",
  graceSeconds: 5,
};

const OTHER = pod({ uid: "u-2" });
const UNSTARTED = 'Container "c" has not been started yet';
const WAITS = "It waits for the pod of the same name (UID u-2) to end";
const KEPT =
  "It waits for its images, and the pod of the same name (UID u-2) is kept running until they are there";
for (
  const [what, other, expected] of [
    ["none", undefined, UNSTARTED],
    [
      "one of another name",
      workerView(pod({ uid: "u-2", name: "db" })),
      UNSTARTED,
    ],
    ["one that runs", workerView(OTHER), WAITS],
    [
      "one that ends",
      workerView(OTHER, { state: ENDING }),
      `${WAITS}; it has been told to`,
    ],
    [
      "one that is kept",
      workerView(OTHER, { state: ENDING, stop: { kind: "deferred" } }),
      KEPT,
    ],
    [
      "one that has ended",
      workerView(OTHER, { state: { kind: "finished", cause: "removed" } }),
      UNSTARTED,
    ],
  ] as const
) {
  Deno.test(`reportPod() says what it waits for beside a pod of its name: ${what}`, async () => {
    const workers = [workerView(PENDING), ...other ? [other] : []];
    deepStrictEqual(await explain(PENDING, {}, workers), [expected]);
    deepStrictEqual(await explain(PENDING, {}, workers.toReversed()), [
      expected,
    ]);
  });
}

const of = (source: string) => ({
  annotations: { [ANNOTATION_CONFIG_SOURCE]: source },
});

for (
  const [what, own, other, expected] of [
    [
      "the node's own",
      of("file"),
      workerView(pod({ uid: "u-2", ...of("api") })),
      [
        "The cluster has another pod of this name on this node (UID u-2): the one that runs keeps the name, and the cluster does not show this one meanwhile",
      ],
    ],
    [
      "the cluster's",
      of("api"),
      workerView(pod({ uid: "u-2", ...of("local") })),
      [
        "The node itself has another pod of this name (UID u-2): the one that runs keeps the name",
      ],
    ],
    ["of two manifests", of("file"), workerView(OTHER), []],
    [
      "of two of the cluster",
      of("api"),
      workerView(pod({ uid: "u-2", ...of("api") })),
      [],
    ],
    [
      "beside one that ends",
      of("file"),
      workerView(pod({ uid: "u-2", ...of("api") }), { state: ENDING }),
      [],
    ],
    [
      "of another name",
      of("file"),
      workerView(pod({ uid: "u-2", name: "db", ...of("api") })),
      [],
    ],
  ] as const
) {
  Deno.test(`reportPod() tells a clash of names to a pod: ${what}`, async () => {
    const mine = {
      ...READY,
      metadata: { ...READY.metadata, annotations: own.annotations },
    };
    const [, ...rest] = await explain(mine, {}, [
      other,
      workerView(mine),
    ]);
    deepStrictEqual(rest, expected);
  });
}

Deno.test("reportPod() says since when the API server of a pod is silent, and nothing to others", async () => {
  const server = {
    silence: { sinceMs: NOW_MS - 10_000, message: "connection refused" },
    kept: { lasting: [], untilReboot: [] },
  };
  const sources = new Map([
    ["api" as const, viewedSource({ location: "https://a:6443", server })],
  ]);
  const said = async (source: string) => {
    const { annotations } = of(source);
    const shown = {
      ...READY,
      metadata: { ...READY.metadata, annotations },
    };
    return (await explain(shown, { sources })).slice(1);
  };
  deepStrictEqual(await said("api"), [
    "The API server https://a:6443 has not answered since 03:03:55 (10 s): the pod runs on as it was last wanted: connection refused",
  ]);
  deepStrictEqual(await said("file"), []);
});

Deno.test("reportPod() says nothing of a pod of the same name to one that has no worker", async () => {
  deepStrictEqual(await explain(PENDING, {}, [workerView(OTHER)]), [
    "It was just accepted: nothing has been done for it yet",
  ]);
});

const WANTS = container("c", {
  ports: [{ containerPort: 80, hostPort: 80 }],
});
const HOLDER = pod({ name: "db", uid: "u-2", containers: [WANTS] });
const VERDICT = {
  kind: "refused" as const,
  reason: "NodePorts" as const,
  message: "its port",
};
const TAKEN = "Refused: hostPort 80 is taken by pod shop/db";
const UNKNOWN = "Refused: a port of the node that it wants is taken (its port)";
for (
  const [what, other, expected] of [
    ["that runs", workerView(HOLDER), TAKEN],
    [
      "that ends",
      workerView(HOLDER, { state: ENDING }),
      TAKEN,
    ],
    [
      "that has ended",
      workerView(HOLDER, {
        state: { kind: "terminated", cause: "evicted", atMs: 1 },
      }),
      UNKNOWN,
    ],
    [
      "of which only the runtime knows",
      workerView(HOLDER, { state: ENDING, isOrphan: true }),
      UNKNOWN,
    ],
    [
      "that is refused itself",
      workerView({
        ...HOLDER,
        metadata: { ...HOLDER.metadata, uid: "refused" },
      }),
      UNKNOWN,
    ],
  ] as const
) {
  Deno.test(`reportPod() ${expected === TAKEN ? "names" : "does not name"} a pod ${what} as the holder of a port`, async () => {
    const subject = pod({ containers: [WANTS], status: { phase: "Pending" } });
    const pendingVerdict = (uid: string) => uid === "u-2" ? undefined : VERDICT;
    const workers = [workerView(subject), other];
    const draft = { agent: { pendingVerdict } };
    deepStrictEqual(await explain(subject, draft, workers), [expected]);
  });
}

const NOTE = { times: 2, atMs: NOW_MS - 60_000, message: "memory was short" };
const EVICTED = pod({
  status: { phase: "Failed", reason: "Evicted", message: "memory was short" },
});
const FINAL = "It does not run again unless its manifest is removed and added";
for (
  const [state, expected] of [
    [undefined, FINAL],
    [
      { kind: "short" },
      "It runs again by itself when the node is short of nothing any more",
    ],
    // So many seconds after the core has begun.
    [
      { kind: "pauses", untilMs: 40_000 },
      "It runs again at 03:04:35 (in 30 s), unless the node runs short before",
    ],
    [
      { kind: "refused", message: "no port", untilMs: 40_000 },
      "It runs again when the node takes it: no port",
    ],
  ] as const
) {
  Deno.test(`reportPod() says when an evicted pod runs again: ${state?.kind ?? "never"}`, async () => {
    const draft = {
      statuses: { eviction: (uid: string) => uid === "u-1" ? NOTE : undefined },
      agent: { evicted: { review: () => {}, stateOf: () => state } },
    };
    const workers = [workerView(EVICTED, {
      state: { kind: "finished", cause: "evicted" },
    })];
    deepStrictEqual(await explain(EVICTED, draft, workers), [
      "Evicted: memory was short",
      expected,
    ]);
  });
}

Deno.test("reportPod() says how often a pod was evicted that is back", async () => {
  deepStrictEqual(
    await explain(READY, { statuses: { eviction: () => NOTE } }),
    [
      RUNS,
      "The node evicted it 2 times in a row, last at 03:03:05, and it came back: memory was short",
    ],
  );
});

Deno.test("reportPod() says why the agent stopped a container of the pod, and of no other", async () => {
  const events = recorderOn(new FakeClock(NOW_MS - 40_000));
  for (const [uid, reason] of [["u-1", "spec_changed"], ["u-2", "resized"]]) {
    events.record({ name: "web", namespace: "shop", uid: uid ?? "" }, {
      type: "Normal",
      reason: "Killing",
      message: "m",
      facts: { kind: "stop", container: "c", reason: reason ?? "" },
    });
  }
  const finishedAt = "2026-01-02T03:03:25Z";
  const { state: lastState } = endedStatus("c", 137, { finishedAt });
  const shown = pod({
    status: {
      ...READY.status,
      containerStatuses: [containerStatus("c", {
        state: { running: {} },
        restartCount: 1,
        ...lastState && { lastState },
      })],
    },
  });
  deepStrictEqual(await explain(shown, { events }), [
    RUNS,
    'Container "c" has restarted once, last after exit code 137 (ended by signal 9) at 03:03:25, stopped because its definition changed',
  ]);
});

Deno.test("reportPod() says what the node lacks for changed resources", async () => {
  const reason = "Deferred" as const;
  const conditions = [
    ...READY.status?.conditions ?? [],
    { type: "PodResizePending", status: "True", reason, message: "later" },
  ];
  const shown = pod({ status: { ...READY.status, conditions } });
  const shortage = {
    resource: "cpu",
    requested: 2000n,
    used: 3500n,
    capacity: 4000n,
  };
  const refusalOf = () => ({ reason, message: "later", shortage });
  const resizes = { judge: () => undefined, refusalOf };
  deepStrictEqual(await explain(shown, { agent: { resizes } }), [
    RUNS,
    "Its changed resources have to wait (PodResizePending, Deferred): it asks for 2 of cpu, and only 0.5 of 4 is free; it keeps those that it has",
  ]);
});

Deno.test("reportPod() says why a pod could not be ended", async () => {
  const workers = [workerView(PENDING, { state: ENDING })];
  const endFailure = { words: "it is busy", atMs: NOW_MS - 5_000 };
  const outcome = () => ({ decision: undefined, endFailure });
  deepStrictEqual(await explain(PENDING, { agent: { outcome } }, workers), [
    "It is ending, as no manifest wants it any more",
    "It could not be ended at 03:04:00 and is tried again: it is busy",
  ]);
});

Deno.test("reportPod() says that the runtime is down, and that the machine goes down", async () => {
  const downSince = { message: "connection refused", sinceMs: NOW_MS - 65_000 };
  const all = await explain(READY, {
    watch: { downSince },
    agent: { isGoingDown: true },
  });
  deepStrictEqual(all, [
    "The runtime has been down since 03:03:00 (1 min 5 s): connection refused; what runs in it goes on running, and nothing is started or stopped until it answers",
    "The node is shutting down: what runs of the pod is stopped, and it starts again with the node",
    `When last seen: ${RUNS}`,
  ]);
});

Deno.test("reportPod() says of a pod whose API server is silent that its token is empty", async () => {
  const { metadata, ...rest } = READY;
  const annotations = { "kubernetes.io/config.source": "api" };
  const shown = { ...rest, metadata: { ...metadata, annotations } };
  const events = recorderOn(new FakeClock(NOW_MS));
  const silent = { isReady: () => false };
  const explained = async (isReady?: true) =>
    (await explain(shown, {
      events,
      ...!isReady && { sourcesReady: silent },
    })).join();
  match(await explained(), /source api has not answered .* last wanted it$/);
  const { name, namespace, uid } = metadata;
  const other = { type: "Warning", reason: "Unhealthy", message: "" } as const;
  events.record({ name, namespace, uid }, other);
  match(await explained(), /last wanted it$/);
  events.record({ name, namespace, uid }, { ...other, reason: "TokenNotKept" });
  match(await explained(), /token of its service account is empty until then/);
  strictEqual(await explained(true), RUNS);
});
