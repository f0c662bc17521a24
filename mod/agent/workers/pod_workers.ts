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
  ending,
  graceOf,
  isRemoved,
  newRecord,
  type PodRecord,
  type WorkerView,
} from "./pod_record.ts";
import { type NameOwnership, nameOwnership } from "./name_ownership.ts";
import { deferStop, resume } from "./deferred_stop.ts";
import type { ListedNames, PodSyncer, Retention } from "./ports.ts";

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
  readonly #deps: {
    readonly clock: Clock;
    readonly random: Random;
    readonly log: Logger;
    readonly syncer: PodSyncer;
    readonly names: ListedNames;
    /** A pod has ended, or is gone: what it held of the node is free. */
    readonly onCapacityFreed: () => void;
  };
  readonly #options: WorkerOptions;
  readonly #queue: WorkQueue<string>;
  readonly #records = new Map<string, PodRecord>();
  /** Full name → UIDs that hold or await it, in the order in which they came. */
  readonly #names = new Map<string, Set<string>>();

  constructor(
    deps: {
      clock: Clock;
      random: Random;
      log: Logger;
      syncer: PodSyncer;
      names: ListedNames;
      onCapacityFreed: () => void;
    },
    options: WorkerOptions,
  ) {
    this.#deps = { ...deps, log: deps.log.named("agent") };
    this.#options = options;
    this.#queue = new WorkQueue<string>({ clock: deps.clock });
  }

  /** Works until `signal` aborts; then waits for the steps under way. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#queue.run(
      (uid, runSignal) => this.#work(uid, runSignal),
      signal,
    );
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
      this.#add({ uid, pod, wanted, fullName: podFullName(pod) });
    } else {
      record.wanted = wanted;
      if (record.state.kind === "syncing") {
        record.pod = pod;
        record.retryMs = undefined;
      } else if (isRemoved(record.state)) {
        record.next = pod;
      }
    }
    this.#queue.add(uid);
  }

  /** Wants the pod gone: its containers end within their grace, then all traces go. */
  remove(uid: string): void {
    const record = this.#records.get(uid);
    if (record !== undefined) this.#remove(record);
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
    record.eviction = eviction;
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
    const pod = undefined;
    const record = this.#add({ uid, pod, wanted: undefined, fullName });
    // It has run all along, so whoever is wanted under its name comes after it.
    const others = this.#names.get(fullName) ?? [];
    this.#names.set(fullName, new Set([uid, ...others]));
    this.#remove(record);
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
    if (record.cancel !== undefined) record.enqueued = true;
    else this.#enqueueSoon(record);
  }

  #enqueueSoon({ uid, failedAtMs = -Infinity }: PodRecord): void {
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
      if (record.unsettled) this.#queue.add(record.uid);
    }
  }

  /** Every pod that has a worker. */
  list(): readonly WorkerView[] {
    return [...this.#records.values()];
  }

  get(uid: string): WorkerView | undefined {
    return this.#records.get(uid);
  }

  #add(of: Omit<Parameters<typeof newRecord>[0], "nowMs">): PodRecord {
    const { uid, fullName } = of;
    const record = newRecord({ ...of, nowMs: this.#deps.clock.now() });
    this.#records.set(uid, record);
    const holders = this.#names.get(fullName) ?? new Set();
    this.#names.set(fullName, holders.add(uid));
    return record;
  }

  #remove(record: PodRecord): void {
    record.next = undefined;
    record.wanted = undefined;
    record.stopRequestedMs ??= this.#deps.clock.now();
    this.#stop(record, { cause: "removed", graceSeconds: graceOf(record) });
  }

  #stop(
    record: PodRecord,
    request: { readonly cause: "evicted" | "removed"; graceSeconds: number },
  ): void {
    const before = record.state;
    record.state = stepPod(before, { kind: "stop_requested", ...request });
    if (interruptsWork(before, record.state)) record.cancel?.abort();
    this.#queue.add(record.uid);
  }

  /** One step of one pod. Failures end here: they are logged and tried again. */
  async #work(uid: string, signal: AbortSignal): Promise<void> {
    const record = this.#records.get(uid);
    if (record === undefined) return;
    const cancel = new AbortController();
    record.cancel = cancel;
    record.enqueued = false;
    const scope = AbortSignal.any([signal, cancel.signal]);
    try {
      await this.#step(record, scope);
      record.retryMs = undefined;
      record.failedAtMs = undefined;
      if (record.enqueued) this.#queue.add(uid);
    } catch (error) {
      if (signal.aborted) return;
      // What the run worked towards has changed: begin again with what is wanted now.
      if (cancel.signal.aborted) return this.#queue.add(uid);
      record.unsettled = true;
      record.retryMs = nextDelay(record.retryMs, END_RETRY);
      record.failedAtMs = this.#deps.clock.monotonic();
      this.#deps.log.warn("pod_step_failed", {
        pod: record.fullName,
        uid,
        state: record.state.kind,
        retryMs: record.retryMs,
        error: describeError(error),
      });
      if (record.enqueued) this.#enqueueSoon(record);
      else this.#queue.schedule(uid, record.retryMs);
    } finally {
      if (record.cancel === cancel) record.cancel = undefined;
    }
  }

  async #step(record: PodRecord, signal: AbortSignal): Promise<void> {
    switch (record.state.kind) {
      case "syncing":
        return await this.#sync(record, signal);
      case "terminating": {
        if (resume(record)) return this.#queue.add(record.uid);
        const { syncer } = this.#deps;
        const others = this.#ofName(record.fullName);
        const lookMs = await deferStop(record, { others, syncer, signal });
        if (lookMs !== undefined) {
          return this.#queue.schedule(record.uid, lookMs);
        }
        await syncer.terminate(ending(record), signal);
        this.#advance(record, {
          kind: "containers_stopped",
          atMs: this.#deps.clock.now(),
        });
        // Whatever is left of it, nothing of it runs.
        this.#releaseName(record);
        this.#deps.onCapacityFreed();
        return;
      }
      case "terminated":
        return await this.#release(record, signal);
      case "finished":
        // It ended by itself earlier; now its manifest is gone.
        if (isRemoved(record.state)) await this.#release(record, signal);
    }
  }

  async #sync(record: PodRecord, signal: AbortSignal): Promise<void> {
    const { pod, uid } = record;
    if (pod === undefined) return;
    let right: NameOwnership | undefined;
    const result = await this.#deps.syncer.sync(pod, {
      nameOwnership: () => right = this.#nameOwnership(record),
      signal,
    });
    // A stop that came while the sync ran has its own run waiting.
    if (record.state.kind !== "syncing") return;
    record.unsettled = result.kind === "retry";
    record.settledPod = result.kind === "settled" ? pod : undefined;
    switch (result.kind) {
      case "settled":
        this.#queue.schedule(
          uid,
          Math.min(
            jitter(this.#deps.random, this.#options.syncFrequencyMs, 0.5),
            result.againMs ?? Infinity,
            right === "waits" ? NAME_RECHECK_MS : Infinity,
          ),
        );
        return;
      case "retry":
        this.#queue.schedule(uid, result.delayMs);
        return;
      case "held":
        this.#queue.schedule(uid, NAME_RECHECK_MS);
        return;
      case "terminal":
        this.#advance(record, {
          kind: "pod_completed",
          graceSeconds: graceOf(record),
        });
    }
  }

  async #release(record: PodRecord, signal: AbortSignal): Promise<void> {
    const removed = isRemoved(record.state);
    // Under another name it is another pod: nothing of this one is its own.
    const returns = record.next !== undefined &&
      podFullName(record.next) === record.fullName;
    const keep: Retention = !removed
      ? record.eviction === undefined ? "all" : "status"
      : returns
      ? "logs"
      : "nothing";
    await this.#deps.syncer.release(ending(record), keep, signal);
    // It is not wanted back after all, so its logs have to go as well.
    if (returns && record.next === undefined) {
      return this.#queue.add(record.uid);
    }
    record.unsettled = false;
    if (record.state.kind === "terminated") {
      record.state = stepPod(record.state, { kind: "resources_released" });
    }
    // A removal that came while the rest was kept has its own run waiting.
    if (!removed) return;
    this.#records.delete(record.uid);
    this.#queue.forget(record.uid);
    const { next, wanted } = record;
    if (next !== undefined) this.update(next, wanted);
    // The same UID may have waited until nothing of this one is left.
    else this.#deps.onCapacityFreed();
  }

  #advance(record: PodRecord, signal: Parameters<typeof stepPod>[1]): void {
    record.state = stepPod(record.state, signal);
    this.#queue.add(record.uid);
  }

  #nameOwnership(record: PodRecord): NameOwnership {
    const { uid, fullName } = record;
    const claims = this.#ofName(fullName).map(({ uid, ownsName, state }) => ({
      uid,
      ownsName,
      isEnding: state.kind !== "syncing",
    }));
    const alive = this.#deps.names.alive(fullName);
    const right = nameOwnership(uid, { claims, alive });
    if (right === "has") record.ownsName = true;
    return right;
  }

  /** All of a name, in the order in which they came. */
  #ofName(fullName: string): readonly PodRecord[] {
    return [...this.#names.get(fullName) ?? []]
      .flatMap((uid) => this.#records.get(uid) ?? []);
  }

  #releaseName(record: PodRecord): void {
    const holders = this.#names.get(record.fullName);
    holders?.delete(record.uid);
    if (holders?.size === 0) this.#names.delete(record.fullName);
    for (const uid of holders ?? []) this.#queue.add(uid);
  }
}
