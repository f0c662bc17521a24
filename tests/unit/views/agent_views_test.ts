/**
 * What the servers show: before the first core, of the one that runs, and of the next.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import type { EventRecorder } from "../../../mod/events/mod.ts";
import { AgentViews } from "../../../mod/views/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { NOW_MS } from "../../support/observed_pods.ts";
import { containerStatus, pod } from "../../support/pods.ts";
import { LocalRig } from "../../support/local/local_rig.ts";
import {
  type CoreDraft,
  recorderOn,
  viewedCore,
  viewedSource,
  workersOf,
} from "../../support/views/viewed_core.ts";

interface Rig {
  readonly views: AgentViews;
  readonly metrics: MetricsRegistry;
  readonly events: EventRecorder;
  readonly disk: { problem: string | undefined };
}

function rig(): Rig {
  const clock = new FakeClock(NOW_MS);
  const metrics = new MetricsRegistry();
  const events = recorderOn(clock);
  const disk: Rig["disk"] = { problem: undefined };
  const views = new AgentViews({
    node: { name: "edge1" },
    runtime: { podLogsDir: "/logs" },
  }, { clock, metrics, events, disk });
  return { views, metrics, events, disk };
}

/** The views of a core that is made of a draft. */
function showing(draft: CoreDraft): AgentViews {
  const { views } = rig();
  views.show(viewedCore(draft));
  return views;
}

const LOG = {
  namespace: "shop",
  pod: "web",
  container: "c",
  previous: false,
};
const WEB = pod();
const RUNNING = {
  phase: "Running",
  containerStatuses: [containerStatus("c", { restartCount: 2 })],
};

Deno.test("AgentViews has nothing to show before the first core, and says that the agent starts", async () => {
  const { views } = rig();
  deepStrictEqual(views.pods(), []);
  strictEqual(views.report("shop", "web"), undefined);
  strictEqual(views.locateLog(LOG).kind, "not_found");
  deepStrictEqual(views.sources(), []);
  deepStrictEqual(await views.images(), []);
  strictEqual(views.objects, undefined);
  deepStrictEqual(views.notes(), []);
  deepStrictEqual(views.problems(), [
    { check: "syncloop", reason: "the agent is starting" },
  ]);
  await rejects(
    views.stats("all"),
    /^Error: Cannot measure pods: the agent is starting$/,
  );
});

Deno.test("AgentViews shows the pods of the core, and of the next one when that is there", async () => {
  const { views } = rig();
  const bad = { revision: "r", uid: "u-0", atMs: 0, afterMs: 60_000 };
  views.show(viewedCore({
    agent: {
      pods: workersOf(WEB),
      rolledBack: () => new Map([["u-1", bad]]),
    },
    statuses: { get: (uid) => uid === "u-1" ? RUNNING : undefined },
    sources: new Map([
      ["file", viewedSource()],
      [
        "http",
        viewedSource({
          report: () => [
            {
              kind: "refused",
              file: "/m/bad.yaml",
              faults: [],
              named: [{ name: "bad", namespace: "shop" }],
            },
          ],
        }),
      ],
    ]),
    images: {
      listImages: () =>
        Promise.resolve([{ id: "i", names: [], size: 1n, pinned: false }]),
    },
  }));
  const [refused, web] = views.pods();
  strictEqual(refused?.metadata.name, "bad-edge1");
  strictEqual(web?.status?.phase, "Running");
  strictEqual(web.status.conditions?.[0]?.type, "skerry.dev/RolledBack");
  const report = views.report("shop", "bad");
  strictEqual(report?.pod.metadata.name, "bad-edge1");
  strictEqual(report.time, "2026-01-02T03:04:05Z");
  strictEqual(views.report("shop", "other"), undefined);
  deepStrictEqual(views.sources().map(({ name }) => name), ["file", "http"]);
  strictEqual((await views.images())[0]?.size, 1);
  const stats = await views.stats("all");
  deepStrictEqual([stats.nodeName, stats.atMs], ["edge1", NOW_MS]);
  views.show(viewedCore());
  deepStrictEqual(views.pods(), []);
});

Deno.test("AgentViews finds logs where the settings say, and knows whether they are written on", () => {
  const { views } = rig();
  const core = (restartCount: number) =>
    viewedCore({
      agent: { pods: workersOf(WEB) },
      statuses: {
        get: () => ({
          phase: "Running",
          containerStatuses: [containerStatus("c", { restartCount })],
        }),
      },
    });
  views.show(core(2));
  const found = views.locateLog(LOG);
  strictEqual(
    found.kind === "found" && found.path,
    "/logs/shop_web_u-1/c/2.log",
  );
  strictEqual(found.kind === "found" && found.isRunning(), true);
  views.show(core(3));
  strictEqual(found.kind === "found" && found.isRunning(), false);
});

Deno.test("AgentViews measures the pods that it shows", async () => {
  const uids: string[] = [];
  const views = showing({
    agent: { pods: workersOf(WEB) },
    meters: {
      pods: {
        measure: (pods) => {
          uids.push(...pods.map(({ metadata }) => metadata.uid));
          return Promise.resolve(new Map());
        },
      },
    },
  });
  await views.stats("memory");
  deepStrictEqual(uids, ["u-1"]);
});

Deno.test("AgentViews shows the events of all cores, with the name of the node", () => {
  const { views, events } = rig();
  events.record({ name: "web", namespace: "shop", uid: "u-1" }, {
    type: "Normal",
    reason: "Pulled",
    message: "m",
  });
  views.show(viewedCore());
  const [event] = views.events.list().items;
  deepStrictEqual([event?.reason, event?.source.host], ["Pulled", "edge1"]);
});

Deno.test("AgentViews gives all metrics, and those of probes apart", () => {
  const { views, metrics } = rig();
  metrics.counter("prober_probe_total", "Probes", ["kind"])
    .inc({ kind: "Liveness" });
  metrics.counter("skerry_prober_total", "Not upstream's", []).inc({});
  strictEqual(views.metrics(), metrics.render());
  strictEqual(
    views.probeMetrics(),
    [
      "# HELP prober_probe_total Probes",
      "# TYPE prober_probe_total counter",
      'prober_probe_total{kind="Liveness"} 1',
      "",
    ].join("\n"),
  );
});

Deno.test("AgentViews notes that objects of the node cannot be read", () => {
  const { views } = rig();
  const damage = { file: "objects-000001.log.corrupt" };
  const { store } = new LocalRig();
  const reader = store.reader.bind(store);
  const get = store.get.bind(store);
  views.show({ ...viewedCore({}), store: { reader, get, damage } });
  deepStrictEqual(views.notes(), [
    'some objects of this node cannot be read: what belongs to one of them stays until "objects/objects-000001.log.corrupt" is removed and the agent started again',
  ]);
  deepStrictEqual(
    views.problems().some(({ check }) => check === "store"),
    false,
  );
});

Deno.test("AgentViews notes that the API server is away, without a word of it", () => {
  const kept = { lasting: [], untilReboot: [] };
  const notes = (silence?: { sinceMs: number; message: string }) =>
    showing({
      sources: new Map([["api", viewedSource({ server: { silence, kept } })]]),
    }).notes();
  deepStrictEqual(notes(), []);
  deepStrictEqual(notes({ sinceMs: NOW_MS, message: "secret" }), [
    "the API server has not answered since 2026-01-02T03:04:05Z: what it had last runs on",
  ]);
});

Deno.test("AgentViews notes that the node shuts down", () => {
  deepStrictEqual(showing({}).notes(), []);
  deepStrictEqual(showing({ agent: { isGoingDown: true } }).notes(), [
    "the node is shutting down: its pods are stopped, and start again with it",
  ]);
});

const STUCK = "the sync loop has not moved for 5m";
for (
  const [what, draft, expected] of [
    ["nothing", {}, []],
    [
      "the runtime",
      { watch: { runtimeDown: "it does not answer" } },
      [{ check: "runtime", reason: "it does not answer" }],
    ],
    [
      "its looks",
      { watch: { health: () => ({ healthy: false, message: "too old" }) } },
      [{ check: "pleg", reason: "too old" }],
    ],
    ["a loop that is slow", { agent: { idleMs: 299_999 } }, []],
    [
      "a loop that is stuck",
      { agent: { idleMs: 300_000 } },
      [{ check: "syncloop", reason: STUCK }],
    ],
  ] as const
) {
  Deno.test(`AgentViews.problems() names what is wrong with ${what}`, () => {
    deepStrictEqual(showing(draft).problems(), expected);
  });
}

Deno.test("AgentViews.problems() names a disk that takes no files, with or without a core", () => {
  const { views, disk } = rig();
  disk.problem = "read-only file system";
  const problem = { check: "disk", reason: disk.problem };
  deepStrictEqual(views.problems().at(-1), problem);
  views.show(viewedCore());
  deepStrictEqual(views.problems(), [problem]);
  deepStrictEqual(views.checks, ["runtime", "pleg", "syncloop", "disk"]);
});

Deno.test("AgentViews shows the objects of the core, if it keeps any", () => {
  const { store } = new LocalRig();
  const { views } = rig();
  views.show(viewedCore({}));
  strictEqual(views.objects, undefined);
  views.show({ ...viewedCore({}), store });
  strictEqual(views.objects, store);
});
