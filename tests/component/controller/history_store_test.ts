/** StatefulSets and DaemonSets upon the node's own store. */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { NewObject } from "../../../mod/api/access/mod.ts";
import type { ApiObject } from "../../../mod/api/workload/mod.ts";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import { daemonSetController } from "../../../mod/controller/daemon/mod.ts";
import {
  CONTROLLER_KINDS,
  ControllerManager,
  InformerCache,
} from "../../../mod/controller/run/mod.ts";
import { statefulSetController } from "../../../mod/controller/stateful/mod.ts";
import { SharedInformerFactory } from "../../../mod/informer/shared/mod.ts";
import { LocalStore } from "../../../mod/local/mod.ts";
import { formatTime } from "../../../mod/pod/status/mod.ts";
import {
  claimTemplates,
  statefulSet,
} from "../../support/controller/stateful_sets.ts";
import { daemonSet } from "../../support/controller/daemon_sets.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { seededRandom } from "../../support/seeded_random.ts";

/** A store with the controllers on it. */
class Node implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly store: LocalStore;
  readonly told: string[] = [];
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor() {
    const { clock } = this;
    const random = seededRandom(5);
    this.store = new LocalStore({ clock, random }, { nodeName: "edge" });
    const metrics = new MetricsRegistry();
    const log = silentLogger;
    const deps = { clock, random, log, metrics, freezes: true };
    const factory = new SharedInformerFactory(deps);
    const cache = new InformerCache(
      (kind, isOfKind) =>
        this.store.reader(
          { apiVersion: CONTROLLER_KINDS[kind], kind },
          isOfKind,
        ),
      factory,
    );
    const events = {
      record: (_about: unknown, { reason }: { readonly reason: string }) =>
        void this.told.push(reason),
    };
    const manager = new ControllerManager({
      ...deps,
      cache,
      factory,
      client: this.store,
      events,
    }).add(statefulSetController)
      .add(daemonSetController({ nodeName: "edge" }));
    this.#running = manager.run(this.#stop.signal);
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  async list(kind: keyof typeof CONTROLLER_KINDS): Promise<
    readonly (ApiObject & {
      readonly spec?: unknown;
      readonly status?: unknown;
      readonly revision?: unknown;
    })[]
  > {
    const ref = { apiVersion: CONTROLLER_KINDS[kind], kind };
    return (await this.store.reader(ref).list({}, this.signal)).items;
  }

  async names(kind: keyof typeof CONTROLLER_KINDS): Promise<string[]> {
    return (await this.list(kind)).map(({ metadata }) => metadata.name);
  }

  async apply({ metadata, ...rest }: NewObject): Promise<void> {
    const { uid: _uid, ...named } = metadata;
    const ref = { ...rest, namespace: "shop", name: named.name ?? "" };
    const { spec } = rest;
    if ((await this.list("StatefulSet")).length > 0) {
      await this.store.patch(ref, { spec }, this.signal);
    } else await this.store.create({ ...rest, metadata: named }, this.signal);
    await this.rest();
  }

  /** Makes all pods ready, and ends those that are to end, for a while. */
  async rest(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) {
      await this.clock.advance(100);
      for (const pod of await this.list("Pod")) {
        const { deletionTimestamp, uid } = pod.metadata;
        if (deletionTimestamp !== undefined) this.store.finishDelete(uid);
        else await this.#makeReady(pod);
      }
    }
  }

  async #makeReady(pod: ApiObject): Promise<void> {
    const lastTransitionTime = formatTime(this.clock.now());
    const ready = { type: "Ready", status: "True", lastTransitionTime };
    const status = { phase: "Running", conditions: [ready] };
    const wish = { ...pod, status };
    await this.store.updateStatus(wish, this.signal).catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running.catch(() => {});
  }
}

Deno.test("a StatefulSet comes, is updated and goes back, and keeps its claims", async () => {
  await using node = new Node();
  const volumeClaimTemplates = claimTemplates("data");
  await node.apply(statefulSet({ volumeClaimTemplates }));
  deepStrictEqual(await node.names("Pod"), ["db-0", "db-1", "db-2"]);
  const claims = await node.list("PersistentVolumeClaim");
  strictEqual(claims.length, 3);
  const [first] = await node.names("ControllerRevision");
  await node.apply(statefulSet({ volumeClaimTemplates }, "v2"));
  await node.apply(statefulSet({ volumeClaimTemplates }, "v1"));
  deepStrictEqual(await node.names("Pod"), ["db-0", "db-1", "db-2"]);
  deepStrictEqual(await node.list("PersistentVolumeClaim"), claims);
  const revisions = await node.list("ControllerRevision");
  deepStrictEqual(
    revisions.map(({ revision }) => Number(revision)).toSorted(),
    [2, 3],
  );
  const last = revisions.find(({ revision }) => revision === 3);
  strictEqual(last?.metadata.name, first);
  const pods = await node.list("Pod");
  deepStrictEqual(
    pods.map(({ metadata }) => metadata.labels?.["controller-revision-hash"]),
    [first, first, first],
  );
  strictEqual(node.told.some((each) => each.startsWith("Failed")), false);
});

Deno.test("a DaemonSet has one pod, and another one when that failed", async () => {
  await using node = new Node();
  await node.apply(daemonSet());
  const [pod] = await node.list("Pod");
  if (pod === undefined) throw new Error("no pod");
  const failed = { ...pod, status: { phase: "Failed" } };
  await node.store.updateStatus(failed, node.signal);
  await node.rest();
  const pods = await node.list("Pod");
  strictEqual(pods.length, 1);
  strictEqual(pods[0]?.metadata.uid === pod.metadata.uid, false);
  strictEqual(
    pods[0]?.metadata.annotations?.["skerry.dev/failures-before"],
    "1",
  );
});
