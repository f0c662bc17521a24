/** Controllers are told what moves, and tell what they do. */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import type { ObjectClient } from "../../../../mod/api/access/mod.ts";
import type {
  ApiObject,
  ReplicaSet,
} from "../../../../mod/api/workload/mod.ts";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../../mod/base/telemetry/mod.ts";
import {
  type Controller,
  CONTROLLER_KINDS,
  ControllerManager,
  controllerReference,
  InformerCache,
  type Wishes,
} from "../../../../mod/controller/run/mod.ts";
import { SharedInformerFactory } from "../../../../mod/informer/shared/mod.ts";
import { LocalStore } from "../../../../mod/local/mod.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { seededRandom } from "../../../support/seeded_random.ts";

type Status = NonNullable<ReplicaSet["status"]>;

/** A store with two sets, and a controller of sets that only looks. */
class Rig implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly store: LocalStore;
  readonly cache: InformerCache;
  /** The names of the sets that were looked at. */
  readonly looks: string[] = [];
  readonly events: unknown[] = [];
  wishes: Wishes<Status> = { changes: [] };
  /** What the writing of a status waits for. */
  gate: Promise<void> = Promise.resolve();
  readonly ready = Promise.withResolvers<void>();
  readonly #stop = new AbortController();
  /** Until everything has ended. */
  readonly running: Promise<void>;

  /** @param podsKnown until when no Pod can be read */
  constructor(podsKnown: Promise<void> = Promise.resolve()) {
    const random = seededRandom(3);
    const { clock } = this;
    this.store = new LocalStore({ clock, random }, { nodeName: "edge" });
    const metrics = new MetricsRegistry();
    const log = silentLogger;
    const deps = { clock, random, log, metrics, freezes: true };
    const factory = new SharedInformerFactory(deps);
    this.cache = new InformerCache(
      (kind, isOfKind) => {
        const ref = { apiVersion: CONTROLLER_KINDS[kind], kind };
        const reader = this.store.reader(ref, isOfKind);
        const known = kind === "Pod" ? podsKnown : undefined;
        return {
          list: async (...of) => {
            await known;
            return await reader.list(...of);
          },
          watch: async (...of) => {
            await known;
            return await reader.watch(...of);
          },
        };
      },
      factory,
    );
    const manager = new ControllerManager({
      ...deps,
      cache: this.cache,
      factory,
      client: this.#client(),
      events: {
        record: (about, words) => void this.events.push({ about, words }),
      },
      ready: () => this.ready.promise,
    }).add(this.#controller());
    this.running = manager.run(this.#stop.signal);
  }

  #client(): ObjectClient {
    const { store } = this;
    return {
      get: (...of) => store.get(...of),
      create: (...of) => store.create(...of),
      update: (...of) => store.update(...of),
      patch: (...of) => store.patch(...of),
      delete: (...of) => store.delete(...of),
      updateStatus: async (...of) => {
        await this.gate;
        return await store.updateStatus(...of);
      },
    };
  }

  #controller(): Controller<"ReplicaSet", string> {
    return {
      kind: "ReplicaSet",
      name: "test-controller",
      owns: ["Pod", "ControllerRevision"],
      selector: ({ spec }) => spec.selector,
      alsoWakes: ({ kind, metadata }) =>
        kind === "PersistentVolumeClaim" ? [metadata.name] : [],
      gather: ({ metadata: { name } }) => name,
      step: (name) => {
        this.looks.push(name);
        return this.wishes;
      },
    };
  }

  async create(
    kind: "ReplicaSet" | "Pod" | "PersistentVolumeClaim",
    name: string,
    metadata: Partial<ApiObject["metadata"]> = {},
  ): Promise<ApiObject> {
    const container = { name: "main", image: "busybox" };
    const labels = { app: name };
    const template = {
      metadata: { labels },
      spec: { containers: [container] },
    };
    const specs = {
      ReplicaSet: { selector: { matchLabels: labels }, template },
      Pod: template.spec,
      PersistentVolumeClaim: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Mi" } },
      },
    };
    const spec = specs[kind];
    const wish = {
      apiVersion: CONTROLLER_KINDS[kind],
      kind,
      metadata: { ...metadata, name, namespace: "shop" },
      spec,
    };
    const made = await this.store.create(wish, this.#stop.signal);
    await this.clock.advance(10);
    return made;
  }

  async patch(object: ApiObject, metadata: unknown): Promise<void> {
    const { namespace, name } = object.metadata;
    const ref = { ...object, namespace, name };
    await this.store.patch(ref, { metadata }, this.#stop.signal);
    await this.clock.advance(10);
  }

  async delete(object: ApiObject): Promise<void> {
    const { namespace, name } = object.metadata;
    const ref = { ...object, namespace, name };
    await this.store.delete(ref, {}, this.#stop.signal);
    await this.clock.advance(10);
  }

  /** Which sets were looked at since the last time. */
  looked(): string {
    return [...new Set(this.looks.splice(0))].toSorted().join();
  }

  /** Ends it. @returns when it has ended */
  async end(): Promise<void> {
    this.#stop.abort();
    await this.running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end().catch(() => {});
    strictEqual(this.clock.pendingTimers, 0);
  }
}

async function begun(): Promise<{
  readonly rig: Rig;
  readonly sets: readonly [ApiObject, ApiObject];
}> {
  const rig = new Rig();
  rig.ready.resolve();
  const sets = [
    await rig.create("ReplicaSet", "a"),
    await rig.create("ReplicaSet", "b"),
  ] as const;
  strictEqual(rig.looked(), "a,b");
  return { rig, sets };
}

Deno.test("nothing is looked at before what is seen may be acted upon, and then everything", async () => {
  await using rig = new Rig();
  await rig.create("ReplicaSet", "a");
  await rig.create("ReplicaSet", "b");
  await rig.clock.advance(10_000);
  strictEqual(rig.looked(), "");
  rig.ready.resolve();
  await rig.clock.advance(10);
  strictEqual(rig.looked(), "a,b");
});

Deno.test("nothing is looked at before every kind has been read", async () => {
  const pods = Promise.withResolvers<void>();
  await using rig = new Rig(pods.promise);
  rig.ready.resolve();
  await rig.create("ReplicaSet", "a");
  await rig.clock.advance(1_000);
  strictEqual(rig.looked(), "");
  pods.resolve();
  await rig.clock.advance(10);
  strictEqual(rig.looked(), "a");
});

Deno.test("a set is looked at for each move of its pods, and for its own", async () => {
  const { rig, sets: [a, b] } = await begun();
  await using _rig = rig;
  const ownerReferences = [controllerReference(a)];
  const pod = await rig.create("Pod", "pod", { ownerReferences });
  strictEqual(rig.looked(), "a");
  await rig.patch(pod, { annotations: { note: "x" } });
  strictEqual(rig.looked(), "a");
  await rig.patch(pod, { ownerReferences: [controllerReference(b)] });
  strictEqual(rig.looked(), "a,b");
  await rig.delete(pod);
  strictEqual(rig.looked(), "b");
  rig.store.finishDelete(pod.metadata.uid);
  await rig.clock.advance(10);
  strictEqual(rig.looked(), "b");
  await rig.patch(a, { annotations: { note: "x" } });
  strictEqual(rig.looked(), "a");
});

Deno.test("what nobody controls concerns who might adopt it, by the labels that it has now", async () => {
  const { rig, sets: [a] } = await begun();
  await using _rig = rig;
  const pod = await rig.create("Pod", "pod", { labels: { app: "a" } });
  strictEqual(rig.looked(), "a");
  await rig.patch(pod, { labels: { app: "b" } });
  strictEqual(rig.looked(), "b");
  await rig.patch(pod, { labels: { app: "c" } });
  strictEqual(rig.looked(), "");
  await rig.patch(pod, {
    labels: { app: "b" },
    ownerReferences: [controllerReference(a)],
  });
  strictEqual(rig.looked(), "a");
  await rig.create("PersistentVolumeClaim", "b");
  strictEqual(rig.looked(), "b");
  await rig.create("PersistentVolumeClaim", "nobody", { labels: { app: "a" } });
  strictEqual(rig.looked(), "");
});

Deno.test("candidates() are what an owner controls, and what nobody does in its namespace", async () => {
  const { rig, sets: [a, b] } = await begun();
  await using _rig = rig;
  const controlled = (owner: ApiObject) => ({
    ownerReferences: [controllerReference(owner)],
  });
  await rig.create("Pod", "mine", controlled(a));
  await rig.create("Pod", "theirs", controlled(b));
  await rig.create("Pod", "free");
  const of = (namespace: string, { metadata: { uid } }: ApiObject) =>
    rig.cache.candidates("Pod", { namespace, uid })
      .map(({ metadata }) => metadata.name).join();
  strictEqual(of("shop", a), "mine,free");
  strictEqual(of("shop", b), "theirs,free");
  strictEqual(of("other", a), "mine");
});

Deno.test("what a controller tells is an event of its object, in its name", async () => {
  const { rig, sets: [a] } = await begun();
  await using _rig = rig;
  const words = { type: "Warning", reason: "Odd", message: "it is" } as const;
  rig.wishes = { changes: [], events: [words] };
  await rig.patch(a, { annotations: { note: "x" } });
  const { apiVersion, kind, metadata: { namespace, name, uid } } = a;
  deepStrictEqual(rig.events, [{
    about: { apiVersion, kind, namespace, name, uid },
    words: { ...words, component: "test-controller" },
  }]);
});

Deno.test("it ends when what its controllers are at has ended", async () => {
  const { rig, sets: [a] } = await begun();
  await using _rig = rig;
  const gate = Promise.withResolvers<void>();
  rig.gate = gate.promise;
  rig.wishes = { changes: [], status: () => ({ replicas: 7 }) };
  await rig.patch(a, { annotations: { note: "x" } });
  let isOver = false;
  const ending = rig.end().then(() => {
    isOver = true;
  });
  await rig.clock.advance(1_000);
  strictEqual(isOver, false);
  gate.resolve();
  await ending;
});

Deno.test("what keeps it from beginning ends it, and is told", async () => {
  await using rig = new Rig();
  rig.ready.reject(new TypeError("nothing is known of the pods"));
  const told = rejects(rig.running, /nothing is known of the pods/);
  await rig.clock.advance(1_000);
  await told;
});
