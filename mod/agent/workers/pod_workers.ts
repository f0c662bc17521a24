/**
 * One worker a pod: brings every pod UID through its life, one step at a time.
 *
 * @module
 */

import { jitter, nextDelay, WorkQueue } from "../../base/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import { podFullName } from "../../api/vocabulary/mod.ts";
import {
  effectivePodGrace,
  interruptsWork,
  type PodSignal,
} from "../../pod/lifecycle/mod.ts";
import type { PodEviction } from "../../pod/status/mod.ts";
import {
  claimantsOf,
  ending,
  graceOf,
  isRemoved,
  orphaned,
  removed,
  runningPod,
  stepped,
  stopOf,
  type StoppingPod,
  updated,
  type WorkerRecord,
  type WorkerView,
} from "./worker_record.ts";
import { WorkerRecords } from "./worker_records.ts";
import { type NameOwnership, nameOwnership } from "./name_ownership.ts";
import { deferStop, resumed } from "./deferred_stop.ts";
import type { Retention, WorkerOptions, WorkersDeps } from "./ports.ts";

/** First and longest wait between two attempts to end a pod that does not want to end. */
const END_RETRY = { baseMs: 1_000, maxMs: 10_000 };

/** A step takes memory and files; one that waits or hangs keeps no other pod from its own. */
const STEP_LIMIT = { places: 16, patienceMs: 250 };

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
  readonly #records = new WorkerRecords();

  constructor(deps: WorkersDeps, options: WorkerOptions) {
    this.#deps = { ...deps, log: deps.log.named("agent") };
    this.#options = options;
    this.#queue = new WorkQueue<string>({ clock: deps.clock }, STEP_LIMIT);
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
      const state = { kind: "syncing", pod, wanted } as const;
      this.#add({ uid, fullName: podFullName(pod), state });
    } else {
      const state = record.state = updated(record.state, { pod, wanted });
      const { last } = record;
      if (state.kind === "syncing" && last.kind === "failed") {
        record.last = { ...last, retryMs: undefined };
      }
    }
    this.#queue.add(uid);
  }

  /**
   * Wants the pod gone: its containers end within their grace, then all traces go.
   *
   * @param as how its source asks it to end; asked again, a shorter grace counts at once
   */
  remove(uid: string, as?: Pod): void {
    const record = this.#records.get(uid);
    if (record === undefined) return;
    this.#stop(record, removed(record.state, this.#deps.clock.now(), as));
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
    const pod = record && runningPod(record.state);
    if (record === undefined || pod === undefined) return false;
    const ends = stepped(record.state, {
      kind: "stop_requested",
      cause: "evicted",
      graceSeconds: effectivePodGrace(undefined, {
        pod,
        requestedSeconds: options.graceSeconds,
      }),
    });
    const kind = isRemoved(record.state) ? "begun" : ends.stop.kind;
    this.#stop(record, { ...ends, stop: { ...ends.stop, kind, eviction } });
    return true;
  }

  /**
   * Wants a pod gone that no worker has.
   *
   * @param pod as its source asks it to end; absent for one that only the runtime or the
   * disk knows
   */
  removeOrphan(uid: string, fullName: string, pod?: Pod): void {
    if (this.#records.get(uid) !== undefined) return;
    const state = orphaned(this.#deps.clock.now(), pod);
    this.#add({ uid, fullName, state });
    this.#queue.add(uid);
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
    if (record.step !== undefined) record.step.isLookDue = true;
    else this.#enqueueSoon(record);
  }

  #enqueueSoon({ uid, last }: WorkerRecord): void {
    const failedAtMs = last.kind === "failed" ? last.atMs : -Infinity;
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
    if (this.#records.get(uid) !== undefined) this.#queue.add(uid);
  }

  /** The same, and what is being done for the pod is cut short. */
  interrupt(uid: string): void {
    this.#records.get(uid)?.step?.cancel.abort();
    this.enqueueNow(uid);
  }

  /** Looks again at once at every pod of the name: one may wait for what another has now. */
  enqueueName(uid: string): void {
    const { fullName = "" } = this.#records.get(uid) ?? {};
    for (const each of this.#claimants(fullName)) this.#queue.add(each.uid);
  }

  /** The step of a pod waits for something: it keeps no other from its own. */
  yieldPlace(uid: string): void {
    this.#queue.yieldPlace(uid);
  }

  /** Looks again at every pod whose last step failed or waits. */
  enqueueUnsettled(): void {
    for (const record of this.#records.all()) {
      if (record.last.kind !== "settled") this.#queue.add(record.uid);
    }
  }

  /** Every pod that has a worker. */
  list(): readonly WorkerView[] {
    return [...this.#records.all()];
  }

  /** The pods of a full name that have a worker. */
  ofName(fullName: string): Iterable<WorkerView> {
    return this.#records.ofName(fullName);
  }

  get(uid: string): WorkerView | undefined {
    return this.#records.get(uid);
  }

  #add(view: WorkerView): void {
    // An orphan has run all along.
    const ownsName = view.state.kind !== "syncing";
    const last = { kind: "settled" } as const;
    this.#records.add({ ...view, ownsName, last, step: undefined });
  }

  #stop(record: WorkerRecord, after: StoppingPod): void {
    const { state: before, step, uid } = record;
    record.state = after;
    if (interruptsWork(before, after)) step?.cancel.abort();
    this.#queue.add(uid);
  }

  /** One step of one pod. Failures end here: they are logged and tried again. */
  async #work(uid: string, signal: AbortSignal): Promise<void> {
    const record = this.#records.get(uid);
    if (record === undefined) return;
    const cancel = new AbortController();
    const step = record.step = { cancel, isLookDue: false };
    const scope = AbortSignal.any([signal, cancel.signal]);
    try {
      record.last = { kind: await this.#step(record, scope) };
      if (step.isLookDue) this.#queue.add(uid);
    } catch (error) {
      if (signal.aborted) return;
      // What the step worked towards has changed: begin again with what is wanted now.
      if (cancel.signal.aborted) return this.#queue.add(uid);
      const { last } = record;
      const pausedMs = last.kind === "failed" ? last.retryMs : undefined;
      const retryMs = nextDelay(pausedMs, END_RETRY);
      const atMs = this.#deps.clock.monotonic();
      record.last = { kind: "failed", atMs, retryMs };
      this.#deps.log.warn("pod_step_failed", {
        pod: record.fullName,
        uid,
        state: record.state.kind,
        retryMs,
        error: describeError(error),
      });
      if (step.isLookDue) this.#enqueueSoon(record);
      else this.#queue.schedule(uid, retryMs);
    } finally {
      record.step = undefined;
    }
  }

  /** @returns whether the pod waits for something that is not an event of its own */
  async #step(
    record: WorkerRecord,
    signal: AbortSignal,
  ): Promise<"settled" | "unsettled"> {
    const { state } = record;
    switch (state.kind) {
      case "syncing":
        return await this.#sync(record, state.pod, signal);
      case "terminating":
        await this.#terminate(record, signal);
        if (stopOf(record.state)?.kind === "deferred") return "unsettled";
        break;
      case "terminated":
        await this.#release(record, state, signal);
        break;
      case "finished":
        // It ended by itself earlier; now its manifest is gone.
        if (isRemoved(state)) await this.#release(record, state, signal);
    }
    return "settled";
  }

  async #sync(
    record: WorkerRecord,
    pod: Pod,
    signal: AbortSignal,
  ): Promise<"settled" | "unsettled"> {
    const { uid } = record;
    let ownership: NameOwnership | undefined;
    const result = await this.#deps.syncer.sync(pod, {
      nameOwnership: () => ownership = this.#nameOwnership(record),
      signal,
    });
    // A stop that came while the sync ran has its own run waiting.
    const { state } = record;
    if (state.kind !== "syncing") return "settled";
    const settledPod = result.kind === "settled" ? pod : undefined;
    record.state = { ...state, settledPod };
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
        this.#advance(record, {
          kind: "pod_completed",
          graceSeconds: graceOf(state),
        });
    }
    return "settled";
  }

  async #terminate(record: WorkerRecord, signal: AbortSignal): Promise<void> {
    const { syncer, clock } = this.#deps;
    const back = resumed(record);
    if (back !== undefined) {
      record.state = back;
      return this.#queue.add(record.uid);
    }
    const others = this.#claimants(record.fullName);
    const lookMs = await deferStop(record, { others, syncer, signal });
    if (lookMs !== undefined) return this.#queue.schedule(record.uid, lookMs);
    await syncer.terminate(ending(record), signal);
    const atMs = clock.now();
    this.#advance(record, { kind: "containers_stopped", atMs });
    for (const { uid } of this.#claimants(record.fullName)) {
      this.#queue.add(uid);
    }
    this.#deps.onCapacityFreed();
  }

  async #release(
    record: WorkerRecord,
    state: StoppingPod,
    signal: AbortSignal,
  ): Promise<void> {
    const wasRemoved = isRemoved(state);
    const { next, eviction } = state.stop;
    // Under another name it is another pod: nothing of this one is its own.
    const returns = next !== undefined && podFullName(next) === record.fullName;
    const keep: Retention = !wasRemoved
      ? eviction === undefined ? "all" : "status"
      : returns
      ? "logs"
      : "nothing";
    await this.#deps.syncer.release(ending(record), keep, signal);
    const after = record.state;
    const successor = stopOf(after)?.next;
    // It is not wanted back after all, so its logs have to go as well.
    if (returns && successor === undefined) return this.#queue.add(record.uid);
    if (after.kind === "terminated") {
      record.state = stepped(after, { kind: "resources_released" });
    }
    // A removal that came while the rest was kept has its own run waiting.
    if (!wasRemoved) return;
    this.#records.delete(record);
    this.#queue.forget(record.uid);
    if (successor !== undefined) this.update(successor, after.wanted);
    // The same UID may have waited until nothing of this one is left.
    else this.#deps.onCapacityFreed();
  }

  #advance(record: WorkerRecord, signal: PodSignal): void {
    record.state = stepped(record.state, signal);
    this.#queue.add(record.uid);
  }

  #nameOwnership(record: WorkerRecord): NameOwnership {
    const { uid, fullName } = record;
    const claims = this.#claimants(fullName).map(({ uid, ownsName, state }) => {
      return { uid, ownsName, isEnding: state.kind !== "syncing" };
    });
    const alive = this.#deps.names.alive(fullName);
    const ownership = nameOwnership(uid, { claims, alive });
    if (ownership === "has") record.ownsName = true;
    return ownership;
  }

  #claimants(fullName: string): readonly WorkerRecord[] {
    return claimantsOf(this.#records.ofName(fullName));
  }
}
