/**
 * Pod workers over a syncer that does what a test says.
 *
 * @module
 */

import { PodWorkers } from "../../../mod/agent/workers/pod_workers.ts";
import type {
  EndingPod,
  ListedNames,
  PodSyncer,
  Retention,
  SyncResult,
} from "../../../mod/agent/workers/ports.ts";
import type { NameOwnership } from "../../../mod/agent/workers/name_ownership.ts";
import type { Pod } from "../../../mod/api/types/mod.ts";
import { silentLogger } from "../../../mod/base/telemetry/mod.ts";
import { FakeClock } from "../fake_clock.ts";
import { seededRandom } from "../seeded_random.ts";

/** One thing that the workers asked of the syncer. */
export interface WorkerStep {
  readonly kind: "sync" | "terminate" | "release";
  readonly uid: string;
  readonly atMs: number;
  /** Of `release`. */
  readonly keep?: Retention;
  /** Of `terminate`. */
  readonly graceSeconds?: number | undefined;
  /** Of `terminate`: the reason of an eviction. */
  readonly reason?: string | undefined;
  /** Of `terminate`: whether its manifest is gone. */
  readonly isRemoved?: boolean;
  /** Of `sync`: what the pod's label `version` was. */
  readonly version?: string | undefined;
}

/** How a step ends; `undefined` is well and at once. */
export type Script = (
  step: WorkerStep,
  signal: AbortSignal,
) => Promise<SyncResult | undefined> | SyncResult | undefined;

/** A syncer that writes down what it is asked, and checks that it is asked well. */
export class ScriptedSyncer implements PodSyncer {
  readonly steps: WorkerStep[] = [];
  script: Script = () => undefined;
  /** UIDs of pods with which all is well. */
  readonly idle: Set<string> = new Set();
  readonly #clock: FakeClock;
  readonly #busy = new Set<string>();

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  async sync(
    pod: Pod,
    options: {
      readonly nameOwnership: () => NameOwnership;
      readonly signal: AbortSignal;
    },
  ): Promise<SyncResult> {
    const right = options.nameOwnership();
    // What runs needs nothing done until it has to stop.
    if (right === "waits" && this.idle.has(pod.metadata.uid)) {
      return { kind: "settled" };
    }
    if (right !== "has") return { kind: "held" };
    const { uid, labels } = pod.metadata;
    const step = { kind: "sync", uid, version: labels?.["version"] } as const;
    return await this.#run(step, options.signal) ?? { kind: "settled" };
  }

  /** UIDs of pods whose images are being pulled. */
  readonly pulling: Set<string> = new Set();

  pullAhead(successor: Pod): Promise<boolean> {
    return Promise.resolve(this.pulling.has(successor.metadata.uid));
  }

  async terminate(ending: EndingPod, signal: AbortSignal): Promise<void> {
    const { uid, graceSeconds, eviction, isRemoved = false } = ending;
    const kind = "terminate";
    const why = { reason: eviction?.reason, isRemoved };
    await this.#run({ kind, uid, graceSeconds, ...why }, signal);
  }

  async release(
    { uid }: EndingPod,
    keep: Retention,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#run({ kind: "release", uid, keep }, signal);
  }

  /** The steps as words, such as `sync a`. */
  told(): string[] {
    return this.steps.map(({ kind, uid, keep }) =>
      keep === undefined ? `${kind} ${uid}` : `${kind} ${uid} ${keep}`
    );
  }

  async #run(
    what: Omit<WorkerStep, "atMs">,
    signal: AbortSignal,
  ): Promise<SyncResult | undefined> {
    if (this.#busy.has(what.uid)) {
      throw new Error(`Two steps of "${what.uid}" at once`);
    }
    const step = { ...what, atMs: this.#clock.monotonic() };
    this.steps.push(step);
    this.#busy.add(what.uid);
    try {
      return await this.script(step, signal);
    } finally {
      this.#busy.delete(what.uid);
    }
  }
}

/** Workers that run. */
export class WorkersRig implements AsyncDisposable {
  readonly clock: FakeClock = new FakeClock();
  readonly syncer: ScriptedSyncer = new ScriptedSyncer(this.clock);
  readonly workers: PodWorkers;
  /** By name of a pod: who is alive under it, and since when; `undefined` before the first list. */
  alive: Map<string, Map<string, bigint>> | undefined = new Map();
  /** How often it was told that a pod has ended. */
  freed = 0;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(
    options: {
      readonly syncer?: (clock: FakeClock) => PodSyncer;
      readonly names?: ListedNames;
    } = {},
  ) {
    this.workers = new PodWorkers({
      clock: this.clock,
      random: seededRandom(1),
      log: silentLogger,
      syncer: options.syncer?.(this.clock) ?? this.syncer,
      names: options.names ?? {
        alive: (fullName) =>
          this.alive && (this.alive.get(fullName.split("_")[0] ?? "") ??
            new Map()),
      },
      onCapacityFreed: () => this.freed++,
    }, { syncFrequencyMs: 60_000 });
    this.#running = this.workers.run(this.#stop.signal);
  }

  /** Wants a pod and lets the workers work. */
  async update(pod: Pod): Promise<void> {
    this.workers.update(pod);
    await this.clock.advance(0);
  }

  async remove(uid: string): Promise<void> {
    this.workers.remove(uid);
    await this.clock.advance(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new DOMException("Over", "AbortError"));
    await this.#running;
  }
}

/** Something that a script waits for until the test opens it. */
export class Gate {
  readonly #opening: PromiseWithResolvers<void> = Promise.withResolvers();

  open(): void {
    this.#opening.resolve();
  }

  /** Waits for the opening. @throws the reason of `signal` when it aborts first */
  async wait(signal: AbortSignal): Promise<void> {
    const aborted = Promise.withResolvers<never>();
    const abort = (): void => aborted.reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    await Promise.race([this.#opening.promise, aborted.promise]);
    signal.removeEventListener("abort", abort);
  }
}
