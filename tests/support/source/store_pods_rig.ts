/**
 * The node's own store with informers of its pods and claims, on a clock of its own.
 *
 * @module
 */

import type { Pod } from "../../../mod/api/types/mod.ts";
import type {
  ApiObject,
  PersistentVolumeClaim,
} from "../../../mod/api/workload/mod.ts";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import {
  type SharedInformer,
  SharedInformerFactory,
  WatchedKind,
} from "../../../mod/informer/shared/mod.ts";
import {
  CLAIM_KIND,
  LocalRig,
  POD_KIND,
  podWish,
  refOf,
} from "../local/local_rig.ts";

/** A store whose informers run; disposing of it ends them. */
export class StorePodsRig extends LocalRig implements AsyncDisposable {
  readonly pods: SharedInformer<Pod>;
  readonly claims: SharedInformer<PersistentVolumeClaim>;
  readonly #running: Promise<void>;

  constructor(options: ConstructorParameters<typeof LocalRig>[0] = {}) {
    super({ nodeName: "edge-1", ...options });
    const { clock, store } = this;
    const factory = new SharedInformerFactory({
      clock,
      random: { next: () => 0.5 },
      log: silentLogger,
      metrics: new MetricsRegistry(),
      freezes: true,
    });
    this.pods = factory.informer(
      new WatchedKind(POD_KIND, store.reader(POD_KIND, isPod)),
    );
    this.claims = factory.informer(
      new WatchedKind(CLAIM_KIND, store.reader(CLAIM_KIND, isClaim)),
    );
    this.#running = factory.run(this.signal);
  }

  /** Makes a pod, as the agent has it. */
  async make(name: string): Promise<Pod> {
    await this.create(podWish(name));
    return await this.pod(name);
  }

  /** A pod of the store, as the agent has it. */
  async pod(name: string): Promise<Pod> {
    const held = await this.store.get(refOf(POD_KIND, name), this.signal);
    if (!isPod(held)) throw new Error(`Cannot find pod "${name}"`);
    const annotations = { "kubernetes.io/config.source": "local" };
    return { ...held, metadata: { ...held.metadata, annotations } };
  }

  async delete(name: string, gracePeriodSeconds: number): Promise<void> {
    const options = { gracePeriodSeconds };
    await this.store.delete(refOf(POD_KIND, name), options, this.signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.controller.abort(new DOMException("over", "AbortError"));
    await this.#running;
  }
}

function isPod(object: ApiObject): object is Pod {
  return object.kind === "Pod";
}

function isClaim(object: ApiObject): object is PersistentVolumeClaim {
  return object.kind === "PersistentVolumeClaim";
}
