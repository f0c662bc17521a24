/**
 * Tests of who is measured, and what becomes of those that store too much.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import type { Pod, PodEvent } from "../../../mod/api/types/mod.ts";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import { StorageEvictor } from "../../../mod/eviction/storage_evictor.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { container, pod, type PodDraft } from "../../support/pods.ts";
import { eventsTo } from "../../support/event_list.ts";
import { linesTo } from "../../support/log_lines.ts";

const NEVER = new AbortController().signal;

class EvictorRig {
  readonly clock = new FakeClock();
  readonly log: string[] = [];
  readonly events: PodEvent[] = [];
  readonly pods: Pod[] = [];
  /** UIDs of the evicted pods with the grace they got. */
  readonly evicted: [uid: string, graceSeconds: number][] = [];
  /** Bytes of every path and, by pod UID, of every volume. */
  readonly bytes = new Map<string, number>();
  /** Paths and pods that were measured. */
  readonly measured: string[] = [];
  readonly broken = new Set<string>();
  layers = 0;
  /** How long each measuring takes. */
  slowMs = 0;
  readonly evictor: StorageEvictor = new StorageEvictor({
    clock: this.clock,
    log: linesTo(this.log, { clock: this.clock }),
    metrics: new MetricsRegistry(),
    events: eventsTo(this.events),
    pods: {
      running: () => this.pods,
      evict: (uid, _eviction, { graceSeconds }) => {
        this.evicted.push([uid, graceSeconds]);
        return true;
      },
    },
    meters: {
      volumes: ({ metadata: { uid } }) => {
        const bytes = this.#measure(uid);
        return bytes.then((bytes) => new Map([["x", bytes]]));
      },
      directory: (path) => this.#measure(path),
      layers: () => {
        this.layers++;
        return this.broken.has("layers")
          ? Promise.reject(new Error("no figures"))
          : Promise.resolve([]);
      },
    },
  }, { podsDir: "/pods", podLogsDir: "/logs" });

  async #measure(what: string): Promise<number> {
    this.measured.push(what);
    if (this.slowMs > 0) await this.clock.sleep(this.slowMs, NEVER);
    if (this.broken.has(what)) throw new Error("it cannot be read");
    return this.bytes.get(what) ?? 0;
  }
}

function named(uid: string, options: PodDraft): Pod {
  return pod({ name: uid, uid, ...options });
}

function withVolume(uid: string, options: { priority?: number } = {}): Pod {
  const volumes = [{ name: "x", emptyDir: { sizeLimit: "1Ki" } }];
  return named(uid, { volumes, ...options });
}

function withLimit(uid: string): Pod {
  const resources = { limits: { "ephemeral-storage": "1Ki" } };
  return named(uid, { containers: [container("a", { resources })] });
}

Deno.test("StorageEvictor.check() measures of a pod no more than its limits need", async () => {
  const rig = new EvictorRig();
  rig.pods.push(named("free", {}), withVolume("v"));
  await rig.evictor.check(NEVER);
  deepStrictEqual(rig.measured, ["v"]);
  strictEqual(rig.layers, 0);
  rig.pods.push(withLimit("l"));
  rig.measured.length = 0;
  await rig.evictor.check(NEVER);
  deepStrictEqual(rig.measured, [
    "v",
    "l",
    "/logs/shop_l_l/a",
    "/pods/l/etc-hosts",
    "/pods/l/containers",
  ]);
  strictEqual(rig.layers, 1);
});

Deno.test("StorageEvictor.check() evicts every pod above a limit with a second of grace", async () => {
  const rig = new EvictorRig();
  rig.pods.push(withVolume("a"), withVolume("b"), withVolume("c"));
  rig.bytes.set("a", 1025).set("b", 1024).set("c", 4096);
  await rig.evictor.check(NEVER);
  deepStrictEqual(rig.evicted, [["a", 1], ["c", 1]]);
  deepStrictEqual(rig.events[0], {
    type: "Warning",
    reason: "Evicted",
    message: 'Usage of EmptyDir volume "x" exceeds the limit "1Ki". ',
  });
});

Deno.test("StorageEvictor.check() measures no critical pod (PW-19)", async () => {
  const rig = new EvictorRig();
  rig.pods.push(withVolume("a", { priority: 2_000_000_000 }));
  rig.bytes.set("a", 4096);
  await rig.evictor.check(NEVER);
  deepStrictEqual(rig.measured, []);
});

Deno.test("StorageEvictor.check() goes on behind a pod that it cannot measure", async () => {
  const rig = new EvictorRig();
  rig.pods.push(withVolume("a"), withVolume("b"));
  rig.broken.add("a");
  rig.bytes.set("b", 4096);
  await rig.evictor.check(NEVER);
  deepStrictEqual(rig.evicted, [["b", 1]]);
  // Told once, not every ten seconds.
  await rig.evictor.check(NEVER);
  strictEqual(
    rig.log.filter((line) => line.includes("pod_not_measured")).length,
    1,
  );
});

Deno.test("StorageEvictor.check() tells once that the runtime has no figures, and counts the rest", async () => {
  const rig = new EvictorRig();
  rig.pods.push(withLimit("a"));
  rig.broken.add("layers");
  await rig.evictor.check(NEVER);
  await rig.evictor.check(NEVER);
  const told = rig.log.filter((line) => line.includes("layers_not_measured"));
  strictEqual(told.length, 1);
  rig.bytes.set("/pods/a/etc-hosts", 4096);
  await rig.evictor.check(NEVER);
  deepStrictEqual(rig.evicted, [["a", 1]]);
});

Deno.test("StorageEvictor.reclaim() says whether a pod above its limits ends", async () => {
  const rig = new EvictorRig();
  rig.pods.push(withVolume("a"), withVolume("b"));
  strictEqual(await rig.evictor.reclaim("nodefs.available", NEVER), "done");
  rig.bytes.set("a", 4096);
  rig.bytes.set("b", 4096);
  strictEqual(
    await rig.evictor.reclaim("nodefs.available", NEVER),
    "under_way",
  );
  deepStrictEqual(rig.evicted, [["a", 1], ["b", 1]]);
});

const OVER = new DOMException("Over", "AbortError");

Deno.test("StorageEvictor.run() looks more seldom where a look takes long", async () => {
  const rig = new EvictorRig();
  rig.pods.push(withVolume("a"));
  rig.slowMs = 4_000;
  const stop = new AbortController();
  const running = rejects(rig.evictor.run(stop.signal), OVER);
  await rig.clock.advance(14_000);
  strictEqual(rig.measured.length, 1);
  await rig.clock.advance(35_000);
  strictEqual(rig.measured.length, 1);
  await rig.clock.advance(1_000);
  strictEqual(rig.measured.length, 2);
  stop.abort(OVER);
  await rig.clock.advance(4_000);
  await running;
});

Deno.test("StorageEvictor.run() looks every ten seconds until it is told to stop", async () => {
  const rig = new EvictorRig();
  rig.pods.push(withVolume("a"));
  const stop = new AbortController();
  const running = rejects(rig.evictor.run(stop.signal), OVER);
  await rig.clock.advance(30_000);
  strictEqual(rig.measured.length, 3);
  stop.abort(OVER);
  await running;
});
