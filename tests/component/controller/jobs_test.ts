/** Jobs and CronJobs in the store of the node, seen by informers. */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { NewObject } from "../../../mod/api/access/mod.ts";
import type { ApiObject, Job } from "../../../mod/api/workload/mod.ts";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import { cronJobController } from "../../../mod/controller/cron/mod.ts";
import { jobController } from "../../../mod/controller/job/mod.ts";
import {
  CONTROLLER_KINDS,
  ControllerManager,
  InformerCache,
} from "../../../mod/controller/run/mod.ts";
import { SharedInformerFactory } from "../../../mod/informer/shared/mod.ts";
import { LocalStore } from "../../../mod/local/mod.ts";
import { cronJob } from "../../support/controller/cron_objects.ts";
import { endedPodStatus, job } from "../../support/controller/job_objects.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { seededRandom } from "../../support/seeded_random.ts";

const START = Date.parse("2026-05-01T11:59:30Z");

/** The store with both controllers. */
class Rig implements AsyncDisposable {
  readonly clock = new FakeClock(START);
  readonly store: LocalStore;
  readonly told: string[] = [];
  readonly cache: InformerCache;
  readonly #ended = new AbortController();
  readonly #running: Promise<unknown>;

  constructor() {
    const deps = {
      clock: this.clock,
      random: seededRandom(1),
      log: silentLogger,
      metrics: new MetricsRegistry(),
      freezes: true,
    };
    const store = new LocalStore(deps, { nodeName: "edge" });
    this.store = store;
    const factory = new SharedInformerFactory(deps);
    this.cache = new InformerCache(
      (kind, isOfKind) =>
        store.reader({ apiVersion: CONTROLLER_KINDS[kind], kind }, isOfKind),
      factory,
    );
    const manager = new ControllerManager({
      ...deps,
      cache: this.cache,
      factory,
      client: store,
      events: { record: (_about, { reason }) => void this.told.push(reason) },
    }).add(jobController).add(cronJobController);
    const { signal } = this.#ended;
    this.#running = Promise.all([store.run(signal), manager.run(signal)]);
  }

  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  async create(object: NewObject): Promise<void> {
    await this.store.create(object, this.signal);
    await this.settle();
  }

  async settle(ms = 2_000): Promise<void> {
    await this.clock.advance(ms);
  }

  get pods() {
    return this.cache.list("Pod", "shop");
  }

  async end(pod: ApiObject, phase: "Succeeded" | "Failed"): Promise<void> {
    const status = endedPodStatus(phase, this.clock.now());
    const ended: ApiObject & { readonly status: unknown } = { ...pod, status };
    await this.store.updateStatus(ended, this.signal);
    await this.settle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    await this.#running;
  }
}

function newJob(spec: Partial<Job["spec"]>): NewObject {
  const { status: _none, metadata: _own, ...rest } = job(spec);
  const { selector: _made, ...without } = rest.spec;
  const template = {
    spec: {
      restartPolicy: "Never",
      containers: [{ name: "main", image: "busybox" }],
    },
  };
  const wish: NewObject & { readonly spec: unknown } = {
    ...rest,
    metadata: { name: "pi", namespace: "shop" },
    spec: { ...without, template },
  };
  return wish;
}

const TRACKED = ["batch.kubernetes.io/job-tracking"];

Deno.test("a Job in the local store runs to its end", async () => {
  await using rig = new Rig();
  await rig.create(newJob({ completions: 2, parallelism: 1 }));
  const [first] = rig.pods;
  ok(first !== undefined);
  deepStrictEqual(first.metadata.finalizers, TRACKED);
  strictEqual(first.metadata.labels?.["job-name"], "pi");
  await rig.end(first, "Failed");
  strictEqual(rig.pods.length, 1, "it waits 10 s");
  await rig.settle(11_000);
  const runs = () =>
    rig.pods.filter(({ status }) => status?.phase === "Pending");
  for (let turn = 0; turn < 2; turn++) {
    const [pod] = runs();
    ok(pod !== undefined);
    await rig.end(pod, "Succeeded");
  }
  const { status } = rig.cache.get("Job", "shop", "pi") ?? {};
  deepStrictEqual(
    [status?.succeeded, status?.failed, status?.uncountedTerminatedPods],
    [2, 1, {}],
  );
  deepStrictEqual(status?.conditions?.map(({ type }) => type), [
    "SuccessCriteriaMet",
    "Complete",
  ]);
  strictEqual(rig.told.at(-1), "Completed");
  strictEqual(rig.pods.length, 3);
  ok(
    rig.pods.every(({ metadata }) => (metadata.finalizers ?? []).length === 0),
  );
});

Deno.test("a Job that is deleted leaves no pod behind", async () => {
  for (const propagation of ["Background", "Foreground", "Orphan"] as const) {
    await using rig = new Rig();
    await rig.create(newJob({ completions: 3, parallelism: 3 }));
    strictEqual(rig.pods.length, 3);
    const ref = {
      apiVersion: "batch/v1",
      kind: "Job",
      namespace: "shop",
      name: "pi",
    };
    await rig.store.delete(ref, { propagation }, rig.signal);
    await rig.settle(5_000);
    for (const { metadata } of rig.pods) {
      await rig.store.finishDelete(metadata.uid);
    }
    await rig.settle(5_000);
    strictEqual(rig.cache.get("Job", "shop", "pi"), undefined);
    if (propagation === "Orphan") {
      strictEqual(rig.pods.length, 3);
      ok(rig.pods.every(({ metadata }) => !metadata.finalizers?.length));
    } else strictEqual(rig.pods.length, 0, propagation);
  }
});

Deno.test("a CronJob in the local store makes its Job in time", async () => {
  await using rig = new Rig();
  const { metadata: _own, ...rest } = cronJob();
  const { spec } = newJobSpec();
  const wish: NewObject & { readonly spec: unknown } = {
    ...rest,
    metadata: { name: "tidy", namespace: "shop" },
    spec: { ...rest.spec, jobTemplate: { spec } },
  };
  await rig.create(wish);
  strictEqual(rig.cache.list("Job", "shop").length, 0);
  await rig.settle(31_000);
  await rig.settle();
  const [run] = rig.cache.list("Job", "shop");
  strictEqual(run?.metadata.name, `tidy-${(START + 30_000) / 60_000}`);
  strictEqual(rig.pods.length, 1);
  const { status } = rig.cache.get("CronJob", "shop", "tidy") ?? {};
  strictEqual(status?.lastScheduleTime, "2026-05-01T12:00:00Z");
  deepStrictEqual(status?.active?.map(({ uid }) => uid), [run.metadata.uid]);
});

function newJobSpec(): { readonly spec: unknown } {
  const wish = newJob({});
  return { spec: "spec" in wish ? wish.spec : undefined };
}
