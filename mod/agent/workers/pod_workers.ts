/**
 * One worker a pod: brings every pod UID through its life, one step at a time.
 *
 * @module
 */

import {
  type Clock,
  jitter,
  nextDelay,
  type Random,
  WorkQueue,
} from "../../base/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import type { Logger } from "../../base/telemetry/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import { podFullName } from "../../api/vocabulary/mod.ts";
import {
  effectivePodGrace,
  interruptsWork,
  stepPod,
} from "../../pod/lifecycle/mod.ts";
import type { PodEviction } from "../../pod/status/mod.ts";
import {
  claimantsOf,
  type EndedStep,
  ending,
  graceOf,
  isRemoved,
  lastStep,
  newRecord,
  type PodRecord,
  withoutRetry,
  type WorkerView,
} from "./pod_record.ts";
import { type NameOwnership, nameOwnership } from "./name_ownership.ts";
import { deferStop, resume } from "./deferred_stop.ts";
import type { ListedNames, PodSyncer, Retention } from "./ports.ts";

/** What the workers work with. */
export interface WorkersDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly syncer: PodSyncer;
  readonly names: ListedNames;
  /** A pod has ended, or is gone: what it held of the node is free. */
  readonly onCapacityFreed: () => void;
}

/** How often a settled pod is looked at although nothing happened (upstream syncFrequency). */
export interface WorkerOptions {
  /** @default 60_000 */
  readonly syncFrequencyMs: number;
}

/** First and longest wait between two attempts to end a pod that does not want to end. */
const END_RETRY = { baseMs: 1_000, maxMs: 10_000 };

/** A pod that waits for its name is woken when the name falls free; this is the net under it. */
const NAME_RECHECK_MS = 2_000;

/**
 * Runs each pod's steps one at a time, many pods at once; the latest spec wins.
 *
 * A pod whose full name another UID still holds waits until that one has ended
 * (upstream allowStaticPodStart), so at most one pod a name ever runs (I1).
 */
export class PodWorkers {
  readonly #deps: WorkersDeps;
  readonly #options: WorkerOptions;
  readonly #queue: WorkQueue<string>;
  /** By UID, in the order in which they came. */
  readonly #records = new Map<string, PodRecord>();

  constructor(deps: WorkersDeps, options: WorkerOptions) {
    this.#deps = { ...deps, log: deps.log.named("agent") };
    this.#options = options;
    this.#queue = new WorkQueue<string>({ clock: deps.clock });
  }

  /** Works until `signal` aborts; then waits for the steps under way. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#queue.run((uid, scope) => this.#work(uid, scope), signal);
  }

  /**
   * Wants `pod` to run as it says. A UID that is removed starts again when it has
   * ended; one that ended by itself or was evicted does not.
   *
   * @param wanted what the source says, of which `pod` is what the node makes
   */
  update(pod: Pod, wanted: Pod = pod): void {
    const { uid } = pod.metadata;
    const record = this.#records.get(uid);
    if (record === undefined) {
      const fullName = podFullName(pod);
      this.#records.set(uid, newRecord({ uid, pod, wanted, fullName }));
    } else {
      record.wanted = wanted;
      if (record.state.kind === "syncing") {
        record.pod = pod;
        record.step = withoutRetry(record.step);
      } else if (isRemoved(record.state)) {
        record.stop = { kind: "requested", ...record.stop, next: pod };
      }
    }
    this.#queue.add(uid);
  }

  /** Wants the pod gone: its containers end within their grace, then all traces go. */
  remove(uid: string): void {
    const record = this.#records.get(uid);
    if (record === undefined) return;
    record.wanted = undefined;
    record.stop = {
      kind: "requested",
      requestedMs: this.#deps.clock.now(),
      ...record.stop,
      next: undefined,
    };
    this.#stop(record, { cause: "removed", graceSeconds: graceOf(record) });
  }

  /**
   * Ends a pod for good although it is wanted. `false` when it is not known or ends
   * already.
   *
   * @param options.graceSeconds for all of its containers
   */
  evict(
    uid: string,
    eviction: PodEviction,
    options: { readonly graceSeconds: number },
  ): boolean {
    const record = this.#records.get(uid);
    if (record?.pod === undefined || record.state.kind !== "syncing") {
      return false;
    }
    record.stop = { kind: "requested", eviction };
    this.#stop(record, {
      cause: "evicted",
      graceSeconds: effectivePodGrace(undefined, {
        pod: record.pod,
        requestedSeconds: options.graceSeconds,
      }),
    });
    return true;
  }

  /** Wants a pod gone that only the runtime or the disk knows. */
  removeOrphan(uid: string, fullName: string): void {
    if (this.#records.has(uid)) return;
    const none = { pod: undefined, wanted: undefined };
    this.#records.set(uid, newRecord({ uid, fullName, ...none }));
    this.remove(uid);
  }

  /**
   * Looks at the pod again, if it is known. A step that failed a moment ago is not
   * tried again at once for every event, but no later than {@linkcode END_RETRY}'s
   * base after it failed.
   */
  enqueue(uid: string): void {
    const record = this.#records.get(uid);
    if (record === undefined) return;
    // The run that is under way decides at its end when to look again.
    const { step } = record;
    if (step.kind === "working") record.step = { ...step, isLookDue: true };
    else this.#enqueueSoon(record);
  }

  #enqueueSoon({ uid, step }: PodRecord): void {
    const failedAtMs = step.kind === "failed" ? step.atMs : -Infinity;
    const sinceMs = this.#deps.clock.monotonic() - failedAtMs;
    const leftMs = END_RETRY.baseMs - sinceMs;
    if (leftMs > 0) this.#queue.schedule(uid, leftMs);
    else this.#queue.add(uid);
  }

  /**
   * Looks at the pod again at once, even if a step failed a moment ago: for what
   * happens once and must not wait for that step's own retry.
   */
  enqueueNow(uid: string): void {
    if (this.#records.has(uid)) this.#queue.add(uid);
  }

  /** Looks again at once at every pod of the name: one may wait for what another has now. */
  enqueueName(uid: string): void {
    const { fullName = "" } = this.#records.get(uid) ?? {};
    for (const each of this.#ofName(fullName)) this.#queue.add(each.uid);
  }

  /** Looks again at every pod whose last step failed or waits. */
  enqueueUnsettled(): void {
    for (const record of this.#records.values()) {
      if (lastStep(record).kind !== "settled") this.#queue.add(record.uid);
    }
  }

  /** Every pod that has a worker. */
  list(): readonly WorkerView[] {
    return [...this.#records.values()];
  }

  get(uid: string): WorkerView | undefined {
    return this.#records.get(uid);
  }

  #stop(
    record: PodRecord,
    request: { readonly cause: "evicted" | "removed"; graceSeconds: number },
  ): void {
    const before = record.state;
    record.state = stepPod(before, { kind: "stop_requested", ...request });
    const { step, uid } = record;
    const isCut = interruptsWork(before, record.state);
    if (isCut && step.kind === "working") step.cancel.abort();
    this.#queue.add(uid);
  }

  /** One step of one pod. Failures end here: they are logged and tried again. */
  async #work(uid: string, signal: AbortSignal): Promise<void> {
    const record = this.#records.get(uid);
    if (record === undefined) return;
    const cancel = new AbortController();
    const before = lastStep(record);
    record.step = { kind: "working", cancel, before, isLookDue: false };
    const scope = AbortSignal.any([signal, cancel.signal]);
    try {
      const kind = await this.#step(record, scope);
      const isLookDue = this.#endStep(record, { kind });
      if (isLookDue) this.#queue.add(uid);
    } catch (error) {
      if (signal.aborted) return;
      // What the step worked towards has changed: begin again with what is wanted now.
      if (cancel.signal.aborted) {
        record.step = lastStep(record);
        return this.#queue.add(uid);
      }
      const last = lastStep(record);
      const pausedMs = last.kind === "failed" ? last.retryMs : undefined;
      const retryMs = nextDelay(pausedMs, END_RETRY);
      const atMs = this.#deps.clock.monotonic();
      const isLookDue = this.#endStep(record, {
        kind: "failed",
        atMs,
        retryMs,
      });
      this.#deps.log.warn("pod_step_failed", {
        pod: record.fullName,
        uid,
        state: record.state.kind,
        retryMs,
        error: describeError(error),
      });
      if (isLookDue) this.#enqueueSoon(record);
      else this.#queue.schedule(uid, retryMs);
    }
  }

  /** Says whether something happened since the step began. */
  #endStep(record: PodRecord, ended: EndedStep): boolean {
    const { step } = record;
    record.step = ended;
    return step.kind === "working" && step.isLookDue;
  }

  /** @returns whether the pod waits for something that is not an event of its own */
  async #step(
    record: PodRecord,
    signal: AbortSignal,
  ): Promise<"settled" | "unsettled"> {
    switch (record.state.kind) {
      case "syncing":
        return await this.#sync(record, signal);
      case "terminating":
        await this.#terminate(record, signal);
        break;
      case "terminated":
        await this.#release(record, signal);
        break;
      case "finished":
        // It ended by itself earlier; now its manifest is gone.
        if (isRemoved(record.state)) await this.#release(record, signal);
    }
    return "settled";
  }

  async #sync(
    record: PodRecord,
    signal: AbortSignal,
  ): Promise<"settled" | "unsettled"> {
    const { pod, uid } = record;
    if (pod === undefined) return "settled";
    let ownership: NameOwnership | undefined;
    const result = await this.#deps.syncer.sync(pod, {
      nameOwnership: () => ownership = this.#nameOwnership(record),
      signal,
    });
    // A stop that came while the sync ran has its own run waiting.
    if (record.state.kind !== "syncing") return "settled";
    record.settledPod = result.kind === "settled" ? pod : undefined;
    switch (result.kind) {
      case "settled":
        this.#queue.schedule(
          uid,
          Math.min(
            jitter(this.#deps.random, this.#options.syncFrequencyMs, 0.5),
            result.againMs ?? Infinity,
            ownership === "waits" ? NAME_RECHECK_MS : Infinity,
          ),
        );
        break;
      case "retry":
        this.#queue.schedule(uid, result.delayMs);
        return "unsettled";
      case "held":
        this.#queue.schedule(uid, NAME_RECHECK_MS);
        break;
      case "terminal":
        record.stop = { kind: "requested" };
        this.#advance(record, {
          kind: "pod_completed",
          graceSeconds: graceOf(record),
        });
    }
    return "settled";
  }

  async #terminate(record: PodRecord, signal: AbortSignal): Promise<void> {
    if (resume(record)) return this.#queue.add(record.uid);
    const { syncer, clock } = this.#deps;
    const others = this.#ofName(record.fullName);
    const lookMs = await deferStop(record, { others, syncer, signal });
    if (lookMs !== undefined) return this.#queue.schedule(record.uid, lookMs);
    await syncer.terminate(ending(record), signal);
    const atMs = clock.now();
    this.#advance(record, { kind: "containers_stopped", atMs });
    // Whatever is left of it, nothing of it runs.
    record.name = "released";
    for (const { uid } of this.#ofName(record.fullName)) this.#queue.add(uid);
    this.#deps.onCapacityFreed();
  }

  async #release(record: PodRecord, signal: AbortSignal): Promise<void> {
    const removed = isRemoved(record.state);
    const { next, eviction } = record.stop ?? {};
    // Under another name it is another pod: nothing of this one is its own.
    const returns = next !== undefined && podFullName(next) === record.fullName;
    const keep: Retention = !removed
      ? eviction === undefined ? "all" : "status"
      : returns
      ? "logs"
      : "nothing";
    await this.#deps.syncer.release(ending(record), keep, signal);
    const { wanted, stop } = record;
    // It is not wanted back after all, so its logs have to go as well.
    if (returns && stop?.next === undefined) return this.#queue.add(record.uid);
    if (record.state.kind === "terminated") {
      record.state = stepPod(record.state, { kind: "resources_released" });
    }
    // A removal that came while the rest was kept has its own run waiting.
    if (!removed) return;
    this.#records.delete(record.uid);
    this.#queue.forget(record.uid);
    if (stop?.next !== undefined) this.update(stop.next, wanted);
    // The same UID may have waited until nothing of this one is left.
    else this.#deps.onCapacityFreed();
  }

  #advance(record: PodRecord, signal: Parameters<typeof stepPod>[1]): void {
    record.state = stepPod(record.state, signal);
    this.#queue.add(record.uid);
  }

  #nameOwnership(record: PodRecord): NameOwnership {
    const { uid, fullName } = record;
    const claims = this.#ofName(fullName).map(({ uid, name, state }) => {
      return {
        uid,
        ownsName: name === "owned",
        isEnding: state.kind !== "syncing",
      };
    });
    const alive = this.#deps.names.alive(fullName);
    const ownership = nameOwnership(uid, { claims, alive });
    if (ownership === "has") record.name = "owned";
    return ownership;
  }

  #ofName(fullName: string): readonly PodRecord[] {
    return claimantsOf(fullName, this.#records.values());
  }
}
