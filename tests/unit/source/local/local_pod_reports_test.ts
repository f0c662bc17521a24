/** What became of the pods of the store is written into it, and that they are gone. */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  ApiFailure,
  type ObjectClient,
} from "../../../../mod/api/access/mod.ts";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import {
  LocalPodReports,
  type LocalPodReportsDeps,
} from "../../../../mod/source/local/mod.ts";
import { POD_KIND } from "../../../support/local/local_rig.ts";
import { linesTo } from "../../../support/log_lines.ts";
import { pod } from "../../../support/pods.ts";
import { StorePodsRig } from "../../../support/source/store_pods_rig.ts";

/** Reports of a store's pods. */
class ReportsRig extends StorePodsRig {
  readonly gone = new Set<string>();
  readonly lines: string[] = [];
  /** How often it was asked whether a pod is gone. */
  looks = 0;
  readonly reports: LocalPodReports;
  #reporting: Promise<void> | undefined;

  constructor(client: Partial<ObjectClient> = {}) {
    super();
    const { clock, store, pods } = this;
    const calls: LocalPodReportsDeps["client"] = {
      get: (ref, signal) => (client.get ?? store.get.bind(store))(ref, signal),
      updateStatus: (object, signal) =>
        (client.updateStatus ?? store.updateStatus.bind(store))(object, signal),
    };
    this.reports = new LocalPodReports({
      clock,
      log: linesTo(this.lines, { clock }),
      client: calls,
      finishDelete: (uid, signal) => store.finishDelete(uid, signal),
      pods,
      isGone: (uid) => {
        this.looks++;
        return this.gone.has(uid);
      },
    });
  }

  async start(): Promise<this> {
    this.#reporting = this.reports.run(this.signal);
    await this.clock.advance(0);
    return this;
  }

  /** Says how a pod is. */
  report(of: Pod, phase: string): void {
    this.reports.changed({ pod: of, status: { phase } });
  }

  async phase(name: string): Promise<unknown> {
    await this.clock.advance(0);
    return (await this.get(POD_KIND, name)).status?.["phase"];
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    await this.#reporting;
  }
}

Deno.test("LocalPodReports writes the newest status of each pod of the store", async () => {
  await using rig = new ReportsRig();
  const [a, b] = [await rig.make("a"), await rig.make("b")];
  rig.report(a, "Running");
  rig.report(a, "Failed");
  strictEqual(rig.reports.isIdle, false);
  await rig.start();
  rig.report(b, "Running");
  rig.report({ ...a, metadata: { ...a.metadata, annotations: {} } }, "Unknown");
  deepStrictEqual([await rig.phase("a"), await rig.phase("b")], [
    "Failed",
    "Running",
  ]);
  strictEqual(rig.reports.isIdle, true);
  deepStrictEqual(rig.lines, []);
});

Deno.test("LocalPodReports writes what comes of a pod while that of another is written, and not what was before", async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const written: string[] = [];
  await using rig = new ReportsRig({
    updateStatus: async (object) => {
      const { metadata: { name }, status } = object as Pod;
      written.push(`${name} ${status?.phase}`);
      if (name === "a") await answered;
      return object;
    },
  });
  const pods = [await rig.make("a"), await rig.make("b"), await rig.make("c")];
  await rig.start();
  const [, b, c] = pods;
  for (const each of pods) rig.report(each, "Running");
  await rig.clock.advance(0);
  if (b !== undefined) rig.report(b, "Failed");
  rig.reports.removed(c?.metadata.uid ?? "");
  answer();
  await rig.clock.advance(0);
  deepStrictEqual(written, ["a Running", "b Failed"]);
  strictEqual(rig.reports.isIdle, true);
});

Deno.test("LocalPodReports forgets a status that is not there any more", async () => {
  await using rig = new ReportsRig();
  const a = await rig.make("a");
  rig.report(a, "Running");
  rig.reports.removed(a.metadata.uid);
  strictEqual(rig.reports.isIdle, true);
  await rig.start();
  strictEqual(await rig.phase("a"), "Pending");
});

Deno.test("LocalPodReports is not idle while it writes", async () => {
  const written = Promise.withResolvers<never>();
  await using rig = new ReportsRig({ updateStatus: () => written.promise });
  rig.report(await rig.make("a"), "Running");
  await rig.start();
  strictEqual(rig.reports.isIdle, false);
  written.reject(new ApiFailure("NotFound", "It is gone"));
  await rig.clock.advance(0);
  strictEqual(rig.reports.isIdle, true);
});

Deno.test("LocalPodReports costs nothing while nothing changes", async () => {
  await using rig = new ReportsRig();
  const a = await rig.make("a");
  // The watches of the informers end now and then.
  const { pendingTimers } = rig.clock;
  await rig.start();
  rig.report(a, "Running");
  await rig.clock.advance(0);
  strictEqual(rig.clock.pendingTimers, pendingTimers);
  await rig.clock.advance(3_600_000);
  strictEqual(rig.clock.pendingTimers, pendingTimers);
  strictEqual(rig.looks, 0);
});

Deno.test("LocalPodReports seldom asks whether a pod is gone that has an hour to end, and hears of it", async () => {
  await using rig = await new ReportsRig().start();
  const { metadata: { uid } } = await rig.make("a");
  await rig.delete("a", 3600);
  await rig.clock.advance(3_000_000);
  strictEqual(rig.looks < 120, true, `${rig.looks} looks`);
  // It is asked all the same.
  strictEqual(rig.looks > 90, true, `${rig.looks} looks`);
  deepStrictEqual(await rig.names(POD_KIND), ["a"]);
  rig.gone.add(uid);
  rig.reports.look();
  await rig.clock.advance(0);
  deepStrictEqual(await rig.names(POD_KIND), []);
  const { looks } = rig;
  await rig.clock.advance(3_600_000);
  strictEqual(rig.looks, looks);
});

Deno.test("LocalPodReports asks soon after anything has moved, and then more and more seldom", async () => {
  await using rig = await new ReportsRig().start();
  const { metadata: { uid } } = await rig.make("a");
  await rig.delete("a", 3600);
  await rig.clock.advance(3_000_000);
  rig.reports.removed("another");
  await rig.clock.advance(0);
  const delays: number[] = [];
  let { looks } = rig;
  for (let ms = 0; delays.length < 10;) {
    await rig.clock.advance(100);
    ms += 100;
    if (rig.looks === looks) continue;
    delays.push(ms);
    ({ looks } = rig);
    ms = 0;
  }
  deepStrictEqual(delays, [
    ...[200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000],
  ]);
  rig.gone.add(uid);
  await rig.clock.advance(30_000);
  deepStrictEqual(await rig.names(POD_KIND), []);
});

Deno.test("LocalPodReports asks of no pod that is to stay", async () => {
  await using rig = await new ReportsRig().start();
  const { metadata: { uid } } = await rig.make("a");
  rig.gone.add(uid);
  rig.reports.look();
  await rig.clock.advance(60_000);
  strictEqual(rig.looks, 0);
  deepStrictEqual(await rig.names(POD_KIND), ["a"]);
});

Deno.test("catchUp() leaves a pod alone that is gone, and another one of its name", async () => {
  await using rig = new ReportsRig();
  const a = await rig.make("a");
  const status = { phase: "Failed" };
  const others = ["a", "b"].map((name) => ({ pod: pod({ name }), status }));
  await rig.reports.catchUp(others, rig.signal);
  strictEqual(rig.reports.isIdle, true);
  strictEqual(await rig.phase("a"), "Pending");
  await rig.reports.catchUp([{ pod: a, status }], rig.signal);
  strictEqual(await rig.phase("a"), "Failed");
});

for (const [conflicts, phase] of [[4, "Running"], [5, "Pending"]] as const) {
  Deno.test(`catchUp() tries five times at once while somebody else writes, here ${conflicts} times`, async () => {
    let calls = 0;
    await using rig: ReportsRig = new ReportsRig({
      updateStatus: (object, signal) => {
        if (++calls <= conflicts) {
          return Promise.reject(new ApiFailure("Conflict", "Too late"));
        }
        return rig.store.updateStatus(object, signal);
      },
    });
    const of = await rig.make("a");
    const report = { pod: of, status: { phase: "Running" } };
    await rig.reports.catchUp([report], rig.signal);
    strictEqual(calls, 5);
    strictEqual(await rig.phase("a"), phase);
  });
}

/** A store that takes no status of `a` while it is told so. */
class RefusingRig extends ReportsRig {
  /** In which words it refuses; it takes what comes when there are none. */
  words: string | undefined = "Broken";
  /** When it was asked, in seconds. */
  readonly asked: number[] = [];

  constructor() {
    super({
      updateStatus: (object, signal) => {
        if (object.metadata.name === "a") {
          this.asked.push(this.clock.monotonic() / 1000);
          if (this.words !== undefined) {
            return Promise.reject(new ApiFailure("InternalError", this.words));
          }
        }
        return this.store.updateStatus(object, signal);
      },
    });
  }

  /** Lets time pass, and says how long after each other it was asked, in seconds. */
  async pauses(seconds: number): Promise<number[]> {
    const first = this.asked.splice(0).at(-1) ?? 0;
    for (let left = seconds; left > 0; left--) await this.clock.advance(1_000);
    return this.asked.map((at, each) => at - (this.asked[each - 1] ?? first));
  }
}

Deno.test("LocalPodReports tries a status that is refused again, tells of it once, and writes the others", async () => {
  await using rig = new RefusingRig();
  rig.report(await rig.make("a"), "Running");
  rig.report(await rig.make("b"), "Running");
  await rig.start();
  strictEqual(await rig.phase("b"), "Running");
  deepStrictEqual(await rig.pauses(130), [1, 2, 4, 8, 16, 30, 30, 30]);
  strictEqual(rig.reports.isIdle, false);
  strictEqual(rig.lines.length, 1);
  const [line = ""] = rig.lines;
  for (const part of ["local_status_refused", "shop/a", "Broken"]) {
    strictEqual(line.includes(part), true, line);
  }
  rig.words = undefined;
  await rig.clock.advance(30_000);
  strictEqual(await rig.phase("a"), "Running");
  strictEqual(rig.reports.isIdle, true);
  rig.asked.splice(0);
  deepStrictEqual(await rig.pauses(600), []);
});

Deno.test("LocalPodReports tells when a status is refused for another reason, and anew after it was taken", async () => {
  await using rig = new RefusingRig();
  const a = await rig.make("a");
  rig.report(a, "Running");
  await rig.start();
  rig.words = "Full";
  await rig.clock.advance(1_000);
  strictEqual(rig.lines.length, 2);
  rig.words = undefined;
  await rig.clock.advance(2_000);
  strictEqual(await rig.phase("a"), "Running");
  rig.words = "Full";
  rig.report(a, "Failed");
  deepStrictEqual(await rig.pauses(2), [0, 1]);
  strictEqual(rig.lines.length, 3);
});

Deno.test("LocalPodReports tries the newest status of a pod again, and only when it is due", async () => {
  await using rig = new RefusingRig();
  const a = await rig.make("a");
  rig.report(a, "Running");
  await rig.start();
  await rig.clock.advance(1_000);
  rig.asked.splice(0);
  rig.report(a, "Failed");
  await rig.clock.advance(1_000);
  deepStrictEqual(rig.asked, []);
  rig.words = undefined;
  await rig.clock.advance(1_000);
  strictEqual(rig.asked.length, 1);
  strictEqual(await rig.phase("a"), "Failed");
});

Deno.test("LocalPodReports does not try the status of a pod again that is forgotten", async () => {
  await using rig = new RefusingRig();
  const a = await rig.make("a");
  const { pendingTimers } = rig.clock;
  rig.report(a, "Running");
  await rig.start();
  rig.reports.removed(a.metadata.uid);
  strictEqual(rig.reports.isIdle, true);
  deepStrictEqual(await rig.pauses(60), []);
  strictEqual(rig.clock.pendingTimers, pendingTimers);
});

Deno.test("LocalPodReports forgets a pod while its status is refused", async () => {
  const { promise, reject } = Promise.withResolvers<never>();
  await using rig = new ReportsRig({ updateStatus: () => promise });
  const a = await rig.make("a");
  const { pendingTimers } = rig.clock;
  rig.report(a, "Running");
  await rig.start();
  rig.reports.removed(a.metadata.uid);
  reject(new ApiFailure("InternalError", "Broken"));
  await rig.clock.advance(0);
  strictEqual(rig.reports.isIdle, true);
  strictEqual(rig.clock.pendingTimers, pendingTimers);
  deepStrictEqual(rig.lines, []);
});

Deno.test("catchUp() writes what outlived an agent, and leaves to run() what is refused", async () => {
  await using rig = new RefusingRig();
  const pods = [await rig.make("a"), await rig.make("b")];
  const reports = pods.map((pod) => ({ pod, status: { phase: "Failed" } }));
  await rig.reports.catchUp(reports, rig.signal);
  strictEqual(await rig.phase("b"), "Failed");
  strictEqual(await rig.phase("a"), "Pending");
  strictEqual(rig.reports.isIdle, false);
  rig.words = undefined;
  await rig.start();
  await rig.clock.advance(1_000);
  strictEqual(await rig.phase("a"), "Failed");
  strictEqual(rig.reports.isIdle, true);
});

Deno.test("LocalPodReports logs nothing of what its end interrupts", async () => {
  await using rig: ReportsRig = new ReportsRig({
    updateStatus: (_object, signal) => {
      rig.controller.abort(new DOMException("over", "AbortError"));
      return Promise.reject(signal.reason);
    },
  });
  rig.report(await rig.make("a"), "Running");
  await rig.start();
  deepStrictEqual(rig.lines, []);
});
