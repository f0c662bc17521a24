/**
 * Going back from updates that are not ready in their time.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import type { WorkerView } from "../../../../mod/agent/workers/worker_record.ts";
import {
  Rollbacks,
  type VersionSwap,
} from "../../../../mod/agent/desired/rollbacks.ts";
import { ANNOTATION_ROLLBACK_AFTER } from "../../../../mod/api/vocabulary/mod.ts";
import type {
  Pod,
  PodEvent,
  PodStatus,
} from "../../../../mod/api/types/mod.ts";
import { MetricsRegistry } from "../../../../mod/base/telemetry/mod.ts";
import {
  type PodHistory,
  podRevision,
} from "../../../../mod/pod/recovery/mod.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { gaugeOf } from "../../../support/agent/recorders.ts";
import { pod } from "../../../support/pods.ts";
import { workerView } from "../../../support/agent/worker_view.ts";
import { eventsTo } from "../../../support/event_list.ts";

/** A version of the pod `web`, which has a minute to be ready. */
function web(version: string): Pod {
  return pod({
    uid: `web-${version}`,
    labels: { version },
    annotations: { [ANNOTATION_ROLLBACK_AFTER]: "60s" },
  });
}

const KEY = "file/shop/web";

class Rig {
  readonly clock = new FakeClock();
  readonly metrics = new MetricsRegistry();
  readonly events: PodEvent[] = [];
  /** What the disk has, by key. */
  readonly saved = new Map<string, PodHistory>();
  readonly #ready = new Map<string, WorkerView>();
  readonly #rollbacks: Rollbacks;

  constructor(histories: ReadonlyMap<string, PodHistory> = new Map()) {
    for (const [key, history] of histories) this.saved.set(key, history);
    this.#rollbacks = new Rollbacks({
      clock: this.clock,
      metrics: this.metrics,
      events: eventsTo(this.events),
      workers: { get: (uid) => this.#ready.get(uid) },
      statuses: { get: (uid) => this.#ready.has(uid) ? READY : undefined },
      histories,
      store: {
        save: (key, history) => void this.saved.set(key, history),
        forget: (key) => void this.saved.delete(key),
      },
    });
  }

  /** The versions that run in place of these, which are all that the source lists. */
  deliver(...pods: readonly Pod[]): readonly (string | undefined)[] {
    const content = { pods, objects: [], workloads: [] };
    return this.#rollbacks.apply({ source: "file", ...content }).pods
      .map(versionOf);
  }

  /** A version runs and is ready. */
  ready(pod: Pod): void {
    this.#ready.set(pod.metadata.uid, workerView(pod, { settledPod: pod }));
  }

  /** Time passes, and the versions are looked at: `2 to 1` for each that is exchanged. */
  async pass(ms: number): Promise<readonly string[]> {
    await this.clock.advance(ms);
    return this.#rollbacks.review().map(swapped);
  }

  retry(): readonly string[] {
    return this.#rollbacks.retry(() => true).map(swapped);
  }

  sweep(): void {
    this.#rollbacks.sweep();
  }

  pause(): void {
    this.#rollbacks.pause();
  }

  /** The UIDs that run in place of others. */
  get rolledBack(): readonly string[] {
    return [...this.#rollbacks.list().keys()];
  }

  metric(name: string): number {
    return gaugeOf(this.metrics, name);
  }

  /** One whose version 2 was rolled back. */
  static async rolledBack(): Promise<Rig> {
    const rig = new Rig();
    const first = web("1");
    rig.deliver(first);
    rig.ready(first);
    await rig.pass(0);
    rig.deliver(web("2"));
    deepStrictEqual(await rig.pass(60_000), ["2 to 1"]);
    return rig;
  }
}

const READY: PodStatus = {
  phase: "Running",
  conditions: [{ type: "Ready", status: "True" }],
};

function versionOf({ metadata: { labels } }: Pod): string | undefined {
  return labels?.["version"];
}

function swapped({ from, to }: VersionSwap): string {
  return `${versionOf(from)} to ${versionOf(to)}`;
}

Deno.test("Rollbacks.review() goes back from an update that is not ready in its time, once, and says so", async () => {
  const rig = new Rig();
  const first = web("1");
  deepStrictEqual(rig.deliver(first), ["1"]);
  rig.ready(first);
  deepStrictEqual(await rig.pass(0), []);
  deepStrictEqual(rig.deliver(web("2")), ["2"]);
  deepStrictEqual(await rig.pass(59_999), []);
  strictEqual(rig.metric("skerry_rolled_back_pods"), 0);
  deepStrictEqual(await rig.pass(1), ["2 to 1"]);
  deepStrictEqual(await rig.pass(60_000), []);
  deepStrictEqual(rig.rolledBack, ["web-1"]);
  strictEqual(rig.metric("skerry_rolled_back_pods"), 1);
  strictEqual(rig.metric("skerry_rollbacks_total"), 1);
  deepStrictEqual(rig.events.map(({ reason }) => reason), ["RolledBack"]);
});

Deno.test("Rollbacks.apply() runs the good version as long as the source wants the bad one, and says so no more", async () => {
  const rig = await Rig.rolledBack();
  deepStrictEqual(rig.deliver(web("2")), ["1"]);
  deepStrictEqual(rig.deliver(web("2")), ["1"]);
  strictEqual(rig.events.length, 1);
  strictEqual(rig.metric("skerry_rolled_back_pods"), 1);
});

Deno.test("Rollbacks.apply() counts no pod as rolled back whose manifest was mended, or is gone", async () => {
  for (const pods of [[web("3")], [web("1")], []]) {
    const rig = await Rig.rolledBack();
    deepStrictEqual(rig.deliver(...pods), pods.map(versionOf));
    strictEqual(rig.metric("skerry_rolled_back_pods"), 0);
    deepStrictEqual(rig.rolledBack, []);
  }
});

Deno.test("Rollbacks.apply() gives an update no more time because its source delivers it again", async () => {
  const rig = new Rig();
  const first = web("1");
  rig.deliver(first);
  rig.ready(first);
  await rig.pass(0);
  rig.deliver(web("2"));
  await rig.pass(30_000);
  // The same content, read anew.
  rig.deliver(web("2"));
  deepStrictEqual(await rig.pass(30_000), ["2 to 1"]);
});

Deno.test("Rollbacks.apply() keeps a version to go back to that became ready a moment before its successor", async () => {
  const rig = new Rig();
  const first = web("1");
  rig.deliver(first);
  rig.ready(first);
  rig.deliver(web("2"));
  deepStrictEqual(await rig.pass(60_000), ["2 to 1"]);
});

Deno.test("Rollbacks.apply() does not try again what an earlier agent rolled back, and says so", async () => {
  const before = await Rig.rolledBack();
  const rig = new Rig(before.saved);
  strictEqual(rig.metric("skerry_rolled_back_pods"), 0);
  deepStrictEqual(rig.deliver(web("2")), ["1"]);
  strictEqual(rig.metric("skerry_rolled_back_pods"), 1);
  deepStrictEqual(rig.rolledBack, ["web-1"]);
  strictEqual(rig.events.length, 1);
  match(rig.events[0]?.message ?? "", /"web-2".* was not ready within 1m/);
});

Deno.test("Rollbacks.apply() says nothing of a good version that an earlier agent knew", () => {
  const first = web("1");
  const rig = new Rig(new Map([[KEY, { good: first }]]));
  deepStrictEqual(rig.deliver(web("1")), ["1"]);
  deepStrictEqual(rig.events, []);
});

Deno.test("Rollbacks.apply() looks again before it ends a trial that ran out under an earlier agent", async () => {
  const trial = {
    revision: podRevision(web("2")),
    usedMs: 60_000,
    isPaused: true,
  };
  const rig = new Rig(new Map([[KEY, { good: web("1"), trial }]]));
  rig.deliver(web("2"));
  deepStrictEqual(await rig.pass(14_999), []);
  deepStrictEqual(await rig.pass(1), ["2 to 1"]);
});

Deno.test("Rollbacks.apply() gives an update its own time that is made while the agent runs, however short", async () => {
  const rig = new Rig();
  const first = web("1");
  rig.deliver(first);
  rig.ready(first);
  await rig.pass(0);
  const annotations = { [ANNOTATION_ROLLBACK_AFTER]: "2s" };
  const { metadata, ...rest } = web("2");
  rig.deliver({ ...rest, metadata: { ...metadata, annotations } });
  deepStrictEqual(await rig.pass(2_000), ["2 to 1"]);
});

Deno.test("Rollbacks.sweep() forgets what an earlier agent knew of pods that no source has, and nothing else", () => {
  const histories = new Map([
    [KEY, { good: web("1") }],
    ["http/shop/gone", { good: pod({ uid: "gone", name: "gone" }) }],
  ]);
  const rig = new Rig(histories);
  rig.deliver(web("1"));
  rig.sweep();
  deepStrictEqual([...rig.saved.keys()], [KEY]);
});

Deno.test("Rollbacks.apply() forgets what an earlier agent knew of pods that their source does not list any more", () => {
  const gone = { good: pod({ uid: "gone", name: "gone" }) };
  const rig = new Rig(new Map([["file/shop/gone", gone], ["http/a/b", gone]]));
  rig.deliver(web("1"));
  deepStrictEqual([...rig.saved.keys()], ["http/a/b"]);
});

Deno.test("Rollbacks.pause() notes how much of its time an update has used, for the agent that goes on", async () => {
  const rig = new Rig(new Map([[KEY, { good: web("1") }]]));
  rig.deliver(web("2"));
  await rig.pass(20_000);
  rig.pause();
  const next = new Rig(rig.saved);
  next.deliver(web("2"));
  deepStrictEqual(await next.pass(39_999), []);
  deepStrictEqual(await next.pass(1), ["2 to 1"]);
});

Deno.test("Rollbacks.review() writes down which version is good as soon as it is ready", async () => {
  const rig = new Rig();
  rig.deliver(web("1"));
  await rig.pass(0);
  strictEqual(rig.saved.has(KEY), false);
  rig.ready(web("1"));
  await rig.pass(0);
  const { good } = rig.saved.get(KEY) ?? {};
  strictEqual(good && versionOf(good), "1");
});

Deno.test("Rollbacks.review() takes an update for good when it has been ready for a while without a break", async () => {
  const rig = new Rig(new Map([[KEY, { good: web("1") }]]));
  rig.deliver(web("2"));
  await rig.pass(20_000);
  rig.ready(web("2"));
  await rig.pass(0);
  const good = (): string | undefined => {
    const { good } = rig.saved.get(KEY) ?? {};
    return good && versionOf(good);
  };
  await rig.pass(9_999);
  strictEqual(good(), "1");
  await rig.pass(1);
  strictEqual(good(), "2");
});

Deno.test("Rollbacks.review() notes a few times how much of its time an update has used, for an agent after a power cut", async () => {
  const rig = new Rig(new Map([[KEY, { good: web("1") }]]));
  rig.deliver(web("2"));
  const noted = new Set<number | undefined>();
  for (let second = 1; second < 60; second++) {
    await rig.pass(1_000);
    noted.add(rig.saved.get(KEY)?.trial?.usedMs);
  }
  deepStrictEqual([...noted], [0, 15_000, 30_000, 45_000]);
});

Deno.test("Rollbacks.retry() tries an update again that was rolled back, with all of its time", async () => {
  const rig = await Rig.rolledBack();
  deepStrictEqual(rig.retry(), ["1 to 2"]);
  strictEqual(rig.metric("skerry_rolled_back_pods"), 0);
  deepStrictEqual(rig.retry(), []);
  deepStrictEqual(await rig.pass(59_999), []);
  deepStrictEqual(await rig.pass(1), ["2 to 1"]);
});

Deno.test("Rollbacks.review() says once of a first version that there is no way back", async () => {
  const rig = new Rig();
  rig.deliver(web("1"));
  deepStrictEqual(await rig.pass(60_000), []);
  deepStrictEqual(await rig.pass(60_000), []);
  deepStrictEqual(rig.events.map(({ reason }) => reason), [
    "RollbackImpossible",
  ]);
  deepStrictEqual([...rig.saved], []);
});

Deno.test("Rollbacks.apply() forgets the versions of a pod that its source does not list any more", async () => {
  const rig = await Rig.rolledBack();
  strictEqual(rig.saved.has(KEY), true);
  rig.deliver();
  strictEqual(rig.saved.has(KEY), false);
  // It begins anew, with no way back.
  rig.deliver(web("2"));
  deepStrictEqual(await rig.pass(60_000), []);
});
