/** A long list holds up nobody, and comes into the store as one step. */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type {
  ListerWatcher,
  WatchEvent,
} from "../../../../mod/api/access/mod.ts";
import { ApiFailure } from "../../../../mod/api/access/mod.ts";
import type { ApiObject } from "../../../../mod/api/workload/mod.ts";
import {
  type Clock,
  systemClock,
  systemRandom,
} from "../../../../mod/base/mod.ts";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../../mod/base/telemetry/mod.ts";
import {
  type Notice,
  SharedInformer,
} from "../../../../mod/informer/shared/mod.ts";

/** Much more than is done before the clock is asked. */
const COUNT = 5_000;

function item(at: number, version: number): ApiObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `pod-${at}`,
      namespace: "shop",
      uid: `uid-${at}`,
      resourceVersion: `${version}`,
    },
  };
}

/** An informer on a clock that says that everything takes long; sees each turn that it gives. */
class Rig implements AsyncDisposable {
  turns = 0;
  whenGiven: () => void = () => {};
  readonly told: Notice<ApiObject>[] = [];
  readonly stop = new AbortController();
  readonly informer: SharedInformer<ApiObject>;
  /** What the server has; a new list is read when it says that the version is too old. */
  items: readonly ApiObject[] = Array.from(
    { length: COUNT },
    (_, at) => item(at, 1),
  );
  #expire: () => void = () => {};
  readonly #running: Promise<void>;

  constructor(streams: boolean) {
    this.informer = new SharedInformer({
      clock: this.#clock(),
      random: systemRandom,
      log: silentLogger,
      metrics: new MetricsRegistry(),
      source: this.#source(),
    }, { apiVersion: "v1", kind: "Pod", streams });
    this.informer.addHandler((notice) => void this.told.push(notice), {
      name: "test",
    });
    this.#running = this.informer.run(this.stop.signal);
  }

  #clock(): Clock {
    let elapsedMs = 0;
    return {
      ...systemClock,
      monotonic: () => elapsedMs += 10,
      sleep: (delayMs, signal) => {
        if (delayMs > 0) return Promise.resolve();
        this.turns++;
        this.whenGiven();
        return systemClock.sleep(0, signal);
      },
    };
  }

  #source(): ListerWatcher<ApiObject> {
    const watch = async function* (
      rig: Rig,
      first: readonly ApiObject[],
    ): AsyncGenerator<WatchEvent<ApiObject>> {
      for (const object of first) yield { type: "ADDED", object };
      const resourceVersion = "9";
      const isInitialEnd = true;
      if (first.length > 0) {
        yield { type: "BOOKMARK", resourceVersion, isInitialEnd };
      }
      await new Promise<void>((resolve) => {
        rig.#expire = resolve;
        if (rig.stop.signal.aborted) resolve();
        rig.stop.signal.addEventListener("abort", () => resolve());
      });
      const failure = new ApiFailure("Expired", "too old");
      yield { type: "ERROR", failure };
    };
    return {
      list: () => Promise.resolve({ items: this.items, resourceVersion: "9" }),
      watch: ({ sendInitialEvents }) =>
        Promise.resolve(
          watch(this, sendInitialEvents === true ? this.items : []),
        ),
    };
  }

  /** Waits until the handler has been told so much. */
  async untilTold(count: number): Promise<void> {
    while (this.told.length < count) {
      await systemClock.sleep(0, this.stop.signal);
    }
  }

  /** The first list is there, and the next one has other objects. */
  async relist(items: readonly ApiObject[]): Promise<void> {
    await this.untilTold(COUNT);
    this.told.length = 0;
    this.turns = 0;
    this.items = items;
    this.#expire();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop.abort();
    await this.#running;
  }
}

for (const streams of [false, true]) {
  Deno.test(`a long ${streams ? "stream" : "list"} gives way, and is there all at once`, async () => {
    await using rig = new Rig(streams);
    const sizes = new Set<string>();
    const { store } = rig.informer;
    rig.whenGiven = () => void sizes.add(`${store.size} ${store.version}`);
    await rig.untilTold(COUNT);
    deepStrictEqual([...sizes], ["0 ", `${COUNT} 9`]);
    // Who reads it, the store and the handler, each of them.
    ok(rig.turns > 90, `${rig.turns} turns`);
    ok(rig.told.every((each) => each.kind === "added" && each.isInitial));
    ok(rig.informer.hasSynced);
  });
}

/** Half of the objects have changed, the last are gone. */
const LESS = Array.from(
  { length: COUNT - 100 },
  (_, at) => item(at, at % 2 === 0 ? 1 : 2),
);

Deno.test("another list takes the place of what was there in one step; what is gone is told first", async () => {
  await using rig = new Rig(false);
  await rig.relist(LESS);
  const { store } = rig.informer;
  const seen = new Set<string>();
  rig.whenGiven = () => {
    const version = store.get("shop/pod-1")?.metadata.resourceVersion;
    seen.add(`${store.size} at ${version}`);
  };
  await rig.untilTold(100 + LESS.length / 2);
  deepStrictEqual([...seen], [`${COUNT} at 1`, `${LESS.length} at 2`]);
  deepStrictEqual(
    [...new Set(rig.told.map(({ kind }) => kind))],
    ["removed", "updated"],
  );
  strictEqual(rig.told.findIndex(({ kind }) => kind === "updated"), 100);
});

/** So many turns are given while a list is read and the next store is made. */
const MADE_TURNS = 115;

// The first while the list is read, two while the store is made, the others while handlers
// are told.
for (const turn of [1, 50, 90, 120, 130]) {
  Deno.test(`who comes at turn ${turn} of a list that is taken in is told what explains the store`, async () => {
    await using rig = new Rig(false);
    await rig.relist(LESS);
    const versions = new Map<string, string | undefined>();
    rig.whenGiven = () => {
      if (rig.turns !== turn) return;
      strictEqual(
        rig.informer.store.size,
        turn <= MADE_TURNS ? COUNT : LESS.length,
      );
      rig.informer.addHandler((notice) => {
        const { name, resourceVersion } = notice.object.metadata;
        strictEqual(versions.has(name), notice.kind !== "added");
        if (notice.kind === "removed") versions.delete(name);
        else versions.set(name, resourceVersion);
      }, { name: "late" });
      rig.informer.addIndexers({
        version: ({ metadata }) => [metadata.resourceVersion ?? ""],
      });
    };
    await rig.untilTold(100 + LESS.length / 2);
    while (versions.get("pod-4899") !== "2") {
      await systemClock.sleep(0, rig.stop.signal);
    }
    strictEqual(versions.size, LESS.length);
    for (const { metadata } of LESS) {
      strictEqual(versions.get(metadata.name), metadata.resourceVersion);
    }
    strictEqual(rig.informer.lister.byIndex("version", "2").length, 2_450);
  });
}

// While the list is read, and while the store is made.
for (const turn of [1, 60]) {
  Deno.test(`an informer that is stopped at turn ${turn} of a list leaves the store as it was`, async () => {
    await using rig = new Rig(false);
    await rig.relist(LESS);
    const { promise: given, resolve } = Promise.withResolvers<void>();
    rig.whenGiven = () => {
      if (rig.turns !== turn) return;
      rig.stop.abort();
      resolve();
    };
    await given;
    await rig[Symbol.asyncDispose]();
    strictEqual(rig.turns, turn);
    strictEqual(rig.informer.store.size, COUNT);
    strictEqual(rig.told.length, 0);
  });
}
