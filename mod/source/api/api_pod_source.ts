/**
 * Pods that an API server has bound to this node.
 *
 * The rules are those of the kubelet's pkg/kubelet/config/apiserver.go; that pods are kept
 * for times without a server is this agent's.
 *
 * @module
 */

import {
  formatObjectId,
  type LocalObject,
  objectId,
} from "../../api/objects/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import { Bell, type Clock, nextDelay, TaskGroup } from "../../base/mod.ts";
import type { Logger } from "../../base/telemetry/mod.ts";
import { deepEqual, type SourceContent, type SourceSet } from "../merge/mod.ts";
import { NO_CONTENT, type SetCheckpoint } from "../mod.ts";
import { type ApiContent, isSameContent, NOTHING } from "./api_content.ts";
import { absenceOf, keptSet, lacksSecret, restoredSet } from "./kept_set.ts";
import {
  ApiPodReader,
  isMirror,
  isToGo,
  lastGood,
  type PodReading,
  withBegun,
} from "./pod_reader.ts";
import { byName } from "./pod_sets.ts";
import { Recall } from "./recall.ts";
import {
  type PodsByUid,
  type ReadVersion,
  Refusals,
  type RefusedPod,
  type TellRefused,
} from "./refusals.ts";
import type { ReferencedObjects } from "./referenced_objects.ts";

/** The pods of the node as a watch shows them. */
export interface WatchedPods {
  /** Whether the first list is there. */
  readonly hasSynced: boolean;
  /** What is given is never altered; what has not changed is the very same object. */
  list(): readonly Pod[];
  /** Has a listener called after each change, the first list included. */
  follow(listener: () => void): Disposable;
}

/** What the source reads. */
export interface ApiPodSourceDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly pods: WatchedPods;
  /**
   * The pods that the server has now, asked of it and not of a cache.
   *
   * @throws {Error} When it does not answer.
   */
  readonly list: (signal: AbortSignal) => Promise<readonly Pod[]>;
  /** Reads a pod; called once for each version. */
  readonly read: (pod: Pod) => PodReading;
  /**
   * Told once of each pod that is refused, as long as it is for the same reason, and whether
   * an earlier version runs on. One that has failed already is not told of again.
   */
  readonly refused: TellRefused;
  /** Told of pods that run again with empty tokens, and why; a part of a sentence. */
  readonly withoutToken: (pods: readonly Pod[], why: string) => void;
  /** Whether the agent has anything of a pod: such a one is not new. */
  readonly isHere: (uid: string) => boolean;
  /** What pods refer to. */
  readonly references: Pick<
    ReferencedObjects,
    "follow" | "isKnown" | "list" | "run" | "settled" | "want" | "withheld"
  >;
  readonly checkpoint: SetCheckpoint;
  /** Whether this agent is the node, which the server has shown: another one may be. */
  readonly isNode: () => boolean;
  /**
   * Whether it is known which pods the node takes, of the server or as an earlier agent has
   * kept it: else a pod that is new would be refused for good by what is not known.
   */
  readonly isNodeKnown: () => boolean;
}

/** A server, or a disk, that answers does so sooner; one that does not must hold up nothing. */
const PATIENCE_MS = 3_000;

/** Between questions about what is strange: that all pods are gone. */
const CONFIRM = { baseMs: 1_000, maxMs: 30_000 };

/**
 * Delivers the pods of the node as full sets, one for each change that is not the echo of a
 * status.
 *
 * ```
 *  silent ── list ─────────────────────────────▶ live ──▶ a set for each change
 *    │ 3 s                                        ▲ list
 *    └──▶ the checkpoint, as what may be old ─────┘
 * ```
 *
 * Nothing is removed before the server's first list. A list without any pod is asked for
 * again before it counts: a server that was set up anew, or restored from an old copy, must
 * not end all pods by one answer. Mirrors of manifests are shown, never acted upon. What the
 * server had last outlives the agent and the machine; a pod that cannot be read any more runs
 * on as it was.
 */
export class ApiPodSource {
  /** What is kept of the server for times without it. */
  readonly checkpoint: Pick<SetCheckpoint, "failure">;
  readonly #deps: ApiPodSourceDeps;
  readonly #bell = new Bell();
  readonly #reader: ApiPodReader;
  readonly #refusals: Refusals;
  #held: ApiContent = NOTHING;
  #isLive = false;
  readonly #recall: Recall;
  #beganMs = 0;

  constructor(deps: ApiPodSourceDeps) {
    this.checkpoint = deps.checkpoint;
    this.#deps = { ...deps, log: deps.log.named("source") };
    this.#reader = new ApiPodReader(deps.read);
    this.#refusals = new Refusals(deps.refused);
    this.#recall = new Recall(deps);
  }

  /**
   * The pods that the server had for an earlier agent, so that no other pod takes their place
   * until it answers; `undefined` until they are read.
   */
  get expected(): readonly Pod[] | undefined {
    return this.#isLive ? [] : this.#recall.content?.pods;
  }

  /** The pods that cannot be run, as they are there now. */
  get refused(): readonly RefusedPod[] {
    return this.#refusals.list;
  }

  /** Whether a pod is none that is delivered: it cannot be read, or was refused. */
  leavesOut(pod: Pod): boolean {
    const { uid } = pod.metadata;
    return !isMirror(pod) && this.#reader.read(pod).kind !== "wanted" &&
      !this.#held.pods.some(({ metadata }) => metadata.uid === uid);
  }

  /** Looks again: whether this agent is the node may have changed. */
  wake(): void {
    this.#bell.ring();
  }

  /** Yields sets until `signal` aborts. To be run once. */
  async *run(signal: AbortSignal): AsyncGenerator<SourceSet, void, undefined> {
    const { checkpoint, clock, pods, references } = this.#deps;
    this.#beganMs = clock.monotonic();
    await using tasks = new TaskGroup(signal);
    tasks.start((scope) => checkpoint.run(scope));
    tasks.start((scope) => references.run(scope));
    tasks.start((scope) => this.#recall.run(() => this.#bell.ring(), scope));
    using _listening = pods.follow(() => this.#bell.ring());
    using _reading = references.follow(() => this.#bell.ring());
    try {
      await this.#answer(tasks.signal);
      yield* this.#restore(tasks.signal);
      yield* this.#follow(tasks.signal);
    } catch (error) {
      if (!tasks.signal.aborted) throw error;
    }
    if (tasks.failure !== undefined) throw tasks.failure;
  }

  /** Waits until the server has answered, and for a while if it has not. */
  async #answer(signal: AbortSignal): Promise<void> {
    const { clock, pods } = this.#deps;
    const untilMs = this.#beganMs + PATIENCE_MS;
    while (!signal.aborted && !this.#maySpeak()) {
      if (clock.monotonic() >= untilMs && !pods.hasSynced) return;
      const limit = pods.hasSynced ? undefined : { clock, untilMs };
      await this.#bell.wait(signal, limit);
    }
  }

  #maySpeak(): boolean {
    return this.#deps.pods.hasSynced && this.#deps.isNode();
  }

  /** What an earlier agent had; a checkpoint that is read late is delivered late. */
  async *#restore(
    signal: AbortSignal,
  ): AsyncGenerator<SourceSet, void, undefined> {
    while (!signal.aborted && !this.#maySpeak()) {
      const woken = this.#bell.wait(signal);
      const kept = this.#recall.content;
      if (kept !== undefined) yield* this.#deliver(kept);
      await woken;
    }
  }

  /** Delivers what was kept, and what is new of it; of pods of an unknown node those here. */
  *#deliver(kept: SourceContent): Generator<SourceSet, void, undefined> {
    const { isHere, isNodeKnown, log, withoutToken: tell } = this.#deps;
    const isAll = isNodeKnown();
    const { set, fresh, withoutToken } = restoredSet(kept, {
      held: this.#held.pods,
      isTaken: ({ metadata: { uid } }) => isAll || isHere(uid),
    });
    if (set.pods.length === 0 || isSameContent(this.#held, set)) return;
    this.#held = set;
    const absence = absenceOf(this.#recall.lack);
    if (fresh.length > 0) {
      log.warn("api_server_silent", {
        pods: set.pods.length,
        note: "what it had last is kept running",
      });
    }
    if (withoutToken.length > 0) tell(withoutToken, absence.secrets);
    yield { source: "api", op: "restore", ...set, absence };
  }

  async *#follow(
    signal: AbortSignal,
  ): AsyncGenerator<SourceSet, void, undefined> {
    const { checkpoint, clock } = this.#deps;
    const untilMs = clock.monotonic() + PATIENCE_MS;
    while (!signal.aborted) {
      const isPatient = !this.#isLive && clock.monotonic() < untilMs;
      const limit = this.#patience() ??
        (isPatient ? { clock, untilMs } : undefined);
      // Made before looking, so that what comes meanwhile is not overlooked.
      const woken = this.#bell.wait(signal, limit);
      if (!this.#isLive && !this.#recallHeld()) {
        await woken;
        continue;
      }
      const next = this.#look();
      // After a boot nothing runs yet, and what is not known yet must not look as if missing.
      const { objects } = this.#held;
      const isOpen = next.pods.some((pod) =>
        !this.#isKnown(pod) && lacksSecret(pod, objects)
      );
      if (isPatient && isOpen) {
        await woken;
        continue;
      }
      const isNews = !this.#isLive || next !== this.#held;
      const isStrange = this.#isEmpty() && this.#wasFull();
      if (isNews && this.#maySpeak()) {
        if (isStrange && !await this.#confirm(signal)) continue;
        this.#held = next;
        this.#isLive = true;
        this.#recall.end();
        checkpoint.save(keptSet(next));
        yield { source: "api", ...next };
      }
      await woken;
    }
  }

  /**
   * Begins with what an earlier agent had: what it runs waits for nothing again.
   *
   * @returns whether that is known
   */
  #recallHeld(): boolean {
    if (this.#patience() !== undefined) return false;
    const { content = NO_CONTENT } = this.#recall;
    const { pods, objects } = this.#held;
    if (pods.length < content.pods.length) {
      // What is held of objects was delivered, empty tokens among it.
      const given = pods.length === 0 ? {} : { objects };
      this.#held = { ...NOTHING, ...content, ...given };
    }
    return true;
  }

  /** How long the checkpoint is waited for: a disk that hangs holds up no pod. */
  #patience():
    | { readonly clock: Clock; readonly untilMs: number }
    | undefined {
    const { clock } = this.#deps;
    const untilMs = this.#beganMs + PATIENCE_MS;
    return this.#recall.content === undefined && clock.monotonic() < untilMs
      ? { clock, untilMs }
      : undefined;
  }

  /** Whether there were pods that were not about to go, as far as it is known. */
  #wasFull(): boolean {
    return this.#held.pods.some((pod) => !isToGo(pod));
  }

  #isEmpty(): boolean {
    return this.#deps.pods.list().every(isMirror);
  }

  /**
   * What there is now; the same content as before if it says the same. A pod that is new
   * waits until it is known what it refers to: what is not there is missing then, and what
   * a server that lives does not say is withheld.
   */
  #look(): ApiContent {
    const { pods: all, references } = this.#deps;
    const known = new Map(
      this.#held.pods.map((pod) => [pod.metadata.uid, pod]),
    );
    const shown = all.list().toSorted(byName)
      .map((pod) => ({ pod, read: this.#reader.read(pod) }));
    const read = shown.flatMap((each) => this.#taken(each, known) ?? []);
    this.#refusals.take(shown, known);
    references.want(read);
    const pods = read.filter((pod) =>
      known.has(pod.metadata.uid) || this.#isKnown(pod) ||
      this.#deps.isHere(pod.metadata.uid)
    ).map((pod) => {
      const before = known.get(pod.metadata.uid);
      return before !== undefined && deepEqual(before, pod) ? before : pod;
    });
    const next = {
      pods,
      objects: this.#objects(),
      workloads: [],
      withheld: references.withheld(),
    };
    return isSameContent(this.#held, next) ? this.#held : next;
  }

  #isKnown(pod: Pod): boolean {
    return isToGo(pod) || this.#deps.references.isKnown(pod);
  }

  /** What pods refer to; of what is not known yet, what was known of it before. */
  #objects(): readonly LocalObject[] {
    const { references } = this.#deps;
    const found = new Map<string, LocalObject>();
    const isSettled = references.settled();
    for (const object of this.#held.objects) {
      const id = objectId(object);
      if (!isSettled(id)) found.set(formatObjectId(id), object);
    }
    for (const object of references.list()) {
      const key = formatObjectId(objectId(object));
      found.set(key, object);
    }
    return [...found].sort(([a], [b]) => a < b ? -1 : 1)
      .map(([, object]) => object);
  }

  /** The pod as it is to run; absent where there is none. */
  #taken({ pod, read }: ReadVersion, known: PodsByUid): Pod | undefined {
    const before = known.get(pod.metadata.uid);
    if (read.kind === "wanted") {
      // Later on the server shows what this agent itself has said.
      const isFound = !this.#isLive || before === undefined;
      return withBegun(read.pod, isFound ? read.begun : before.status);
    }
    return read.kind === "left" || before === undefined
      ? undefined
      : lastGood(before, pod);
  }

  /** @returns whether the server itself says that it has no pod of this node */
  async #confirm(signal: AbortSignal): Promise<boolean> {
    const { clock, list, log, pods } = this.#deps;
    log.warn("api_server_without_pods", {
      note: "it is asked again before anything is ended",
    });
    let delayMs: number | undefined;
    for (;;) {
      delayMs = nextDelay(delayMs, CONFIRM);
      await clock.sleep(delayMs, signal);
      if (pods.list().some((pod) => !isMirror(pod))) return false;
      try {
        const listed = await list(signal);
        if (listed.every(isMirror)) return true;
      } catch {
        // It is asked again: that it is away is said elsewhere.
        signal.throwIfAborted();
      }
    }
  }
}
