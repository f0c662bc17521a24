/**
 * Pods on the runtime that are somebody else's.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { UnmanagedPods } from "../../../../mod/agent/desired/unmanaged_pods.ts";
import { MetricsRegistry } from "../../../../mod/base/telemetry/mod.ts";
import type { PodListing } from "../../../../mod/runtime/observe/mod.ts";
import { gaugeOf, LogRecorder } from "../../../support/agent/recorders.ts";

class Rig {
  readonly log = new LogRecorder();
  readonly metrics = new MetricsRegistry();
  workers: readonly string[] = [];
  readonly #unmanaged: UnmanagedPods;

  constructor() {
    this.#unmanaged = new UnmanagedPods({
      log: this.log.logger,
      metrics: this.metrics,
      workers: { list: () => this.workers.map((uid) => ({ uid })) },
    });
  }

  /** Looks at a list of pods; `owned` have a directory. */
  look(uids: readonly string[], owned: readonly string[] = []): void {
    this.#unmanaged.look(uids.map(listing), new Set(owned));
  }

  /** How many unmanaged pods there are. */
  get count(): number {
    return gaugeOf(this.metrics, "skerry_foreign_pods");
  }

  /** The pods that the log has named. */
  get named(): readonly unknown[] {
    return this.log.of("foreign_pod").map(({ pod }) => pod);
  }
}

function listing(uid: string): PodListing {
  return {
    uid,
    name: uid,
    namespace: "shop",
    alive: true,
    sandboxes: [],
    containers: [],
  };
}

Deno.test("UnmanagedPods.look() counts pods that have neither a worker nor a directory", () => {
  const rig = new Rig();
  rig.workers = ["wanted"];
  rig.look(["wanted", "owned", "unmanaged"], ["owned"]);
  strictEqual(rig.count, 1);
  deepStrictEqual(rig.named, ["shop/unmanaged"]);
});

Deno.test("UnmanagedPods.look() names an unmanaged pod once as long as it is there, and again when it comes back", () => {
  const rig = new Rig();
  rig.look(["unmanaged"]);
  rig.look(["unmanaged"]);
  deepStrictEqual(rig.named, ["shop/unmanaged"]);
  rig.look([]);
  strictEqual(rig.count, 0);
  rig.look(["unmanaged"]);
  deepStrictEqual(rig.named, ["shop/unmanaged", "shop/unmanaged"]);
});

Deno.test("UnmanagedPods.look() does not take a managed pod that has just ended for an unmanaged one while a list still shows it", () => {
  const rig = new Rig();
  rig.look(["a"], ["a"]);
  rig.look(["a"]);
  rig.look(["a"]);
  strictEqual(rig.count, 0);
  // It was gone from the list: one that has its UID now is another.
  rig.look([]);
  rig.look([]);
  rig.look(["a"]);
  strictEqual(rig.count, 1);
});
