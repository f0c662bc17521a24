/**
 * What pods leave behind.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { Sessions } from "../../../../mod/base/mod.ts";
import { PodRemains } from "../../../../mod/agent/sync/pod_remains.ts";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../../mod/base/telemetry/mod.ts";
import { GarbageCollector } from "../../../../mod/collect/mod.ts";
import type { ObservedPod } from "../../../../mod/pod/observed/mod.ts";
import { NEWEST_ONLY } from "../../../../mod/runtime/end/mod.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import {
  ended,
  observed,
  sandbox,
  seen,
} from "../../../support/observed_pods.ts";
import { podOf } from "../../../support/pods.ts";

const UID = "u-1";
const OLD_SANDBOX = sandbox({ id: "old", ready: false });
const DEAD = ended("a", 0, { id: "dead", sandboxId: "old" });
/** A pod that has ended: a container in a sandbox. */
const ENDED = observed([DEAD], [OLD_SANDBOX]);

/** Longer than any wait between two tries. */
const LONG_MS = 200_000;

/** Remains in the hands of a collector that works, over a world that writes down. */
class Rig implements AsyncDisposable {
  readonly clock: FakeClock = new FakeClock();
  /** What was done to the world, in order. */
  readonly done: string[] = [];
  /** What the runtime shows. */
  shown: ObservedPod = ENDED;
  /** What was last seen; a look puts it there again. */
  readonly cache = new Map<string, ObservedPod>();
  /** The steps that fail, by their first word. */
  readonly broken = new Set<string>();
  /** Called before a step is done. */
  before: (step: string) => void = () => {};
  readonly collector: GarbageCollector;
  readonly sessions = new Sessions();
  readonly remains: PodRemains;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(options: { readonly notesCgroups?: boolean } = {}) {
    const { notesCgroups = true } = options;
    this.collector = new GarbageCollector({
      clock: this.clock,
      log: silentLogger,
      metrics: new MetricsRegistry(),
    });
    this.remains = new PodRemains({
      sessions: this.sessions,
      kept: () => NEWEST_ONLY,
      collector: this.collector,
      remover: {
        removeContainer: (_pod, { id }) => this.#do(`container+log ${id}`),
        removeRecord: (_pod, { id }) => this.#do(`container ${id}`),
        removeLogs: ({ name }) => this.#do(`logs ${name}`),
        stopSandbox: (id) => this.#do(`stop ${id}`),
        removeSandbox: (id) => this.#do(`sandbox ${id}`),
        removePod: ({ uid }) => this.#do(`pod ${uid}`),
      },
      observer: {
        look: async (uid) => {
          await this.#do(`look ${uid}`);
          this.cache.set(uid, this.shown);
          return this.shown;
        },
      },
      picture: {
        get: (uid) => this.cache.get(uid),
        forget: (uid) => void this.cache.delete(uid),
      },
      directories: {
        endVolumes: (uid) => this.#step(`volumes ${uid}`),
        discard: (uid, { keep = "nothing" } = {}) =>
          this.#step(`directory ${uid} but ${keep}`),
        renew: (uid) => this.#step(`renew ${uid}`),
      },
      resources: {
        remove: (uid) =>
          notesCgroups ? this.#do(`cgroup ${uid}`) : Promise.resolve(),
      },
    });
    this.#running = this.collector.run(this.#stop.signal);
  }

  /** Lets the collector work for a while, and says what was done. */
  async pass(ms = 0): Promise<readonly string[]> {
    await this.clock.advance(ms);
    return this.done.splice(0);
  }

  /** The UIDs out of these that nobody removes. */
  living(...uids: readonly string[]): readonly string[] {
    return [...this.remains.livingOf(new Set(uids))];
  }

  // deno-lint-ignore require-await -- a failure is a rejection
  async #do(step: string): Promise<void> {
    this.#step(step);
  }

  #step(step: string): void {
    this.before(step);
    const [kind = ""] = step.split(" ");
    if (this.broken.has(kind)) throw new Error(`Cannot do "${step}": busy`);
    this.done.push(step);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new DOMException("Over", "AbortError"));
    await this.#running;
  }
}

Deno.test("PodRemains.remove() removes the cgroup, all that the runtime has, and the directory last", async () => {
  await using rig = new Rig();
  rig.remains.remove(UID, "nothing");
  deepStrictEqual((await rig.pass()).toSorted(), [
    "cgroup u-1",
    "directory u-1 but nothing",
    "look u-1",
    "pod u-1",
  ]);
});

Deno.test("PodRemains.remove() keeps the directory, by which the rest is ours, until the rest is gone", async () => {
  await using rig = new Rig({ notesCgroups: false });
  rig.broken.add("pod");
  rig.remains.remove(UID, "nothing");
  deepStrictEqual([...new Set(await rig.pass(LONG_MS))], ["look u-1"]);
  rig.broken.clear();
  deepStrictEqual(await rig.pass(LONG_MS), [
    "look u-1",
    "pod u-1",
    "directory u-1 but nothing",
  ]);
});

Deno.test("PodRemains.remove() keeps the record that says how an evicted pod ended", async () => {
  await using rig = new Rig({ notesCgroups: false });
  rig.remains.remove(UID, "status");
  deepStrictEqual((await rig.pass()).at(-1), "directory u-1 but record.json");
  // It is still wanted, and shown.
  deepStrictEqual(rig.living(UID), [UID]);
  strictEqual(rig.cache.has(UID), true);
});

Deno.test("PodRemains.remove() leaves nothing in the cache, where its own look has put the pod again", async () => {
  await using rig = new Rig();
  rig.remains.remove(UID, "nothing");
  await rig.pass();
  strictEqual(rig.cache.has(UID), false);
});

Deno.test("PodRemains.livingOf() leaves out a pod as long as it is being removed", async () => {
  await using rig = new Rig();
  rig.broken.add("directory");
  rig.remains.remove(UID, "nothing");
  await rig.pass();
  deepStrictEqual(rig.living(UID, "other"), ["other"]);
  rig.broken.clear();
  await rig.pass(LONG_MS);
  // What has a directory again is another pod.
  deepStrictEqual(rig.living(UID, "other"), [UID, "other"]);
});

Deno.test("PodRemains.remove() leaves a pod that runs after all to whoever finds orphans", async () => {
  await using rig = new Rig({ notesCgroups: false });
  rig.shown = observed([seen("a")]);
  rig.remains.remove(UID, "nothing");
  deepStrictEqual(await rig.pass(LONG_MS), ["look u-1"]);
  deepStrictEqual(rig.living(UID), [UID]);
});

// What the collector is doing when the pod is wanted again.
for (const step of ["look u-1", "pod u-1"]) {
  Deno.test(`PodRemains.reclaim() ends a removal in the middle of "${step}", before it takes the directory of the pod that is to run`, async () => {
    await using rig = new Rig({ notesCgroups: false });
    rig.before = (each) => {
      if (each === step) rig.remains.reclaim(podOf(UID, { name: "web" }));
    };
    rig.remains.remove(UID, "nothing");
    const done = await rig.pass(LONG_MS);
    deepStrictEqual(
      done.filter((each) => each.startsWith("directory")),
      [],
    );
    strictEqual(done.includes("pod u-1"), step === "pod u-1");
    deepStrictEqual(rig.living(UID), [UID]);
  });
}

Deno.test("PodRemains.reclaim() has the rest of an earlier pod of the UID removed, and does not show it", async () => {
  await using rig = new Rig({ notesCgroups: false });
  rig.cache.set(UID, ENDED);
  rig.broken.add("look");
  rig.remains.remove(UID, "nothing");
  await rig.pass();
  rig.remains.reclaim(podOf(UID, { name: "web" }));
  deepStrictEqual(await rig.pass(LONG_MS), [
    "container+log dead",
    "sandbox old",
  ]);
  const { containers, sandboxes } = rig.remains.ofThisLife(ENDED);
  deepStrictEqual([containers, sandboxes], [[], []]);
  deepStrictEqual(rig.living(UID), [UID]);
});

for (
  const [what, name, namespace] of [
    ["name", "other", "shop"],
    ["namespace", "web", "other"],
  ] as const
) {
  Deno.test(`PodRemains.reclaim() has the logs removed of a pod of the UID that had another ${what}`, async () => {
    await using rig = new Rig({ notesCgroups: false });
    rig.cache.set(UID, ENDED);
    rig.broken.add("look");
    rig.remains.remove(UID, "nothing");
    await rig.pass();
    rig.remains.reclaim(podOf(UID, { name, namespace }));
    deepStrictEqual((await rig.pass()).toSorted(), [
      "container+log dead",
      "logs web",
      "sandbox old",
    ]);
  });
}

Deno.test("PodRemains.reclaim() tells the new pod from what was only found when the rest was looked at", async () => {
  await using rig = new Rig();
  rig.broken.add("pod");
  rig.remains.remove(UID, "nothing");
  await rig.pass();
  rig.remains.reclaim(podOf(UID));
  const shown = rig.remains.ofThisLife(ENDED);
  deepStrictEqual([shown.sandboxes, shown.containers], [[], []]);
});

Deno.test("PodRemains.renew() removes what the runtime has of the earlier life but for its logs", async () => {
  await using rig = new Rig();
  rig.cache.set(UID, ENDED);
  rig.remains.renew(UID);
  deepStrictEqual(await rig.pass(), [
    "renew u-1",
    "container dead",
    "sandbox old",
  ]);
});

Deno.test("PodRemains.stopSandboxes() has a sandbox stopped that could not be, again and again until it is", async () => {
  await using rig = new Rig();
  rig.broken.add("stop");
  rig.remains.stopSandboxes(ENDED);
  deepStrictEqual(await rig.pass(LONG_MS), []);
  rig.broken.clear();
  deepStrictEqual(await rig.pass(LONG_MS), ["stop old"]);
});

Deno.test("PodRemains.endVolumes() frees the volumes at once, or as soon as the disk lets it", async () => {
  await using rig = new Rig();
  rig.remains.endVolumes(UID);
  deepStrictEqual(rig.done.splice(0), ["volumes u-1"]);
  deepStrictEqual(await rig.pass(LONG_MS), []);
  rig.broken.add("volumes");
  rig.remains.endVolumes(UID);
  deepStrictEqual(await rig.pass(LONG_MS), []);
  rig.broken.clear();
  deepStrictEqual(await rig.pass(LONG_MS), ["volumes u-1"]);
});

Deno.test("PodRemains.renew() hides what an earlier renewal left as long as it may be there", async () => {
  await using rig = new Rig();
  rig.broken.add("container").add("sandbox");
  rig.cache.set(UID, ENDED);
  rig.remains.renew(UID);
  const { containers: _ended, ...second } = ENDED;
  const sandboxes = [sandbox({ id: "second", attempt: 1 })];
  rig.cache.set(UID, { ...second, sandboxes, containers: [] });
  rig.remains.renew(UID);
  await rig.pass();
  const shown = rig.remains.ofThisLife(ENDED);
  deepStrictEqual([shown.sandboxes, shown.containers], [[], []]);
});

Deno.test("PodRemains.prune() removes older dead containers with their logs, and keeps the last of each", async () => {
  await using rig = new Rig();
  const last = ended("a", 1, { id: "last" });
  const before = ended("a", 1, { id: "before", sandboxId: "old" });
  rig.remains.prune(observed([last, before], [sandbox(), OLD_SANDBOX]));
  deepStrictEqual(await rig.pass(), ["container+log before", "sandbox old"]);
});
