/**
 * Pods on their way to a worker.
 *
 * @module
 */

import { PodAdmission } from "../../../mod/agent/desired/pod_admission.ts";
import type { WorkerView } from "../../../mod/agent/workers/worker_record.ts";
import {
  parseQuantity,
  type RuntimeClassObject,
} from "../../../mod/api/objects/mod.ts";
import type { Pod, PodEvent } from "../../../mod/api/types/mod.ts";
import { Sessions } from "../../../mod/base/mod.ts";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import type { PodState } from "../../../mod/pod/lifecycle/mod.ts";
import { StatusManager } from "../../../mod/status/mod.ts";
import { eventsTo } from "../event_list.ts";
import { FakeClock } from "../fake_clock.ts";
import { forAll } from "../keyed_objects.ts";
import { NO_OBJECTS } from "../no_objects.ts";
import { workerView } from "./worker_view.ts";

/** Pods that ask a node of two processors to be taken. */
export class AdmissionRig {
  readonly statuses: StatusManager = new StatusManager({
    clock: new FakeClock(),
    log: silentLogger,
  });
  readonly events: PodEvent[] = [];
  /** What the workers were given, in order. */
  readonly started: Pod[] = [];
  readonly owned: Set<string> = new Set<string>();
  readonly sessions: Sessions = new Sessions();
  readonly classes: Map<string, RuntimeClassObject> = new Map<
    string,
    RuntimeClassObject
  >();
  readonly metrics: MetricsRegistry = new MetricsRegistry();
  /** Pods that may not be resized, as they have their resources. */
  readonly holdings: Map<string, Pod> = new Map<string, Pod>();
  /** Pods of which only the runtime tells; `undefined` before its first list. */
  unclaimed: readonly Pod[] | undefined = [];
  /** How often resizes were tried again. */
  retries: number = 0;
  readonly #workers = new Map<string, WorkerView>();
  readonly admission: PodAdmission;

  constructor() {
    this.admission = new PodAdmission({
      clock: new FakeClock(),
      log: silentLogger,
      metrics: this.metrics,
      events: eventsTo(this.events),
      sessions: this.sessions,
      statuses: this.statuses,
      objects: forAll({
        ...NO_OBJECTS,
        runtimeClass: (name: string) => this.classes.get(name),
      }),
      workers: {
        get: (uid) => this.#workers.get(uid),
        list: () => [...this.#workers.values()],
        remove: () => {},
        update: (pod) => {
          this.started.push(pod);
          this.state(pod, { kind: "syncing" });
        },
      },
      resizes: {
        holding: (pod) => this.holdings.get(pod.metadata.uid) ?? pod,
        retry: () => this.retries++ >= 0,
      },
      node: () => ({
        name: "edge1",
        labels: {},
        allocatable: new Map([["cpu", parseQuantity("2")]]),
        allowedUnsafeSysctls: [],
      }),
      seen: { unclaimed: () => this.unclaimed },
      owns: (uid) => this.owned.has(uid),
    });
  }

  /** Wants pods, and judges them. */
  want(...pods: readonly Pod[]): void {
    for (const pod of pods) this.admission.want(pod);
    this.admission.review();
  }

  /** Puts the worker of a pod into a state. */
  state(pod: Pod, state: PodState, next?: Pod): void {
    const stop = { kind: "begun", ...next && { next } } as const;
    this.#workers.set(pod.metadata.uid, workerView(pod, { state, stop }));
  }

  /** The worker of a pod is gone. */
  end(uid: string): void {
    this.#workers.delete(uid);
    this.admission.touch();
    this.admission.review();
  }

  /** What was started, in order. */
  uids(): string[] {
    return this.started.map(({ metadata }) => metadata.uid);
  }

  /** The reason in the status of a pod. */
  reason(uid: string): string | undefined {
    return this.statuses.get(uid)?.reason;
  }
}
