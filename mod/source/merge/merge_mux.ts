/**
 * Many sources, one stream of what they change, in the form that its reader wants.
 *
 * @module
 */

import type { LocalObject } from "../../api/objects/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import { Inbox, TaskGroup } from "../../base/mod.ts";
import type { PodStorage } from "./merge.ts";
import type { PodChange, SourceName, SourceUpdate } from "./source_set.ts";

/** A source that delivers pods. */
export interface MuxedSource {
  /** Delivers until `signal` aborts. */
  run(signal: AbortSignal): AsyncIterable<SourceUpdate>;
}

interface PodConfigMuxDeps {
  /** Held by the mux: nothing else merges into it. */
  readonly storage: PodStorage;
  /** Takes the objects of a source, before its pods are published. */
  readonly objects?: {
    replace(source: SourceName, objects: readonly LocalObject[]): unknown;
  };
}

/**
 * Merges what several sources deliver, and publishes the changes.
 *
 * Each source has a feeder of its own, so a silent or slow source delays no other. The
 * changes of an update are published before the next update is merged. The handler of
 * notifications marks their source ready, unless they are of `restore`.
 */
export class PodConfigMux {
  readonly #mode: NotificationMode;
  readonly #deps: PodConfigMuxDeps;
  #inbox: Inbox<SourceUpdate | Resync> | undefined;
  #isResyncDue = false;

  /** Touches no source until it runs. */
  constructor(mode: NotificationMode, deps: PodConfigMuxDeps) {
    this.#mode = mode;
    this.#deps = deps;
  }

  /** Merges one update and returns what to publish about it. */
  merge(update: SourceUpdate): readonly PodNotification[] {
    const { storage, objects } = this.#deps;
    const { source } = update;
    if (storage.isStale(update)) return [];
    if ("objects" in update) objects?.replace(source, update.objects);
    const wasSeen = storage.seen(source);
    const changes = storage.merge(update);
    return notificationsOf({
      source,
      changes,
      isFirstSet: !wasSeen && storage.seen(source),
      merged: storage.pods(),
    }, this.#mode);
  }

  /** Publishes the merged state once more, in the modes that publish it. */
  resync(): void {
    if (this.#mode === "incremental") return;
    this.#isResyncDue = true;
    // When it is full, the flag is seen after what is in it already.
    this.#inbox?.offer(RESYNC);
  }

  /**
   * Runs the sources and publishes their changes until `signal` aborts. To be run
   * once.
   *
   * @throws what a source threw: the others do not go on without it
   */
  async *run(
    sources: readonly MuxedSource[],
    signal: AbortSignal,
  ): AsyncGenerator<PodNotification, void, undefined> {
    using inbox = new Inbox<SourceUpdate | Resync>(CAPACITY);
    this.#inbox = inbox;
    await using feeders = new TaskGroup(signal);
    const close = (): void => inbox[Symbol.dispose]();
    feeders.signal.addEventListener("abort", close, { once: true });
    // An already aborted signal fires no event, so check it first.
    if (feeders.signal.aborted) close();
    for (const source of sources) {
      feeders.start(async (scope) => {
        for await (const update of source.run(scope)) {
          if (!await inbox.put(update)) return;
        }
      });
    }
    // Asked for before there was an inbox to say so.
    if (this.#isResyncDue) inbox.offer(RESYNC);
    for await (const item of inbox) {
      if (item !== RESYNC) yield* this.merge(item);
      if (this.#isResyncDue) yield this.#snapshot();
      if (feeders.signal.aborted) break;
    }
    if (feeders.failure !== undefined) throw feeders.failure;
  }

  #snapshot(): MergedPods {
    this.#isResyncDue = false;
    return { op: "set", source: "*", pods: this.#deps.storage.pods() };
  }
}

type Resync = typeof RESYNC;

const RESYNC: unique symbol = Symbol("resync");

// As upstream's channel of updates; sources wait while it is full.
const CAPACITY = 50;

/**
 * What a notification contains: each change by itself (`incremental`), the merged
 * state whenever pods come or go and other changes by themselves
 * (`snapshot_and_updates`), or always the merged state (`snapshot`).
 */
export type NotificationMode =
  | "incremental"
  | "snapshot_and_updates"
  | "snapshot";

/** The pods of all sources at one moment, in place of all that was published before. */
export interface MergedPods {
  readonly op: "set";
  /** Whose update is the occasion; `*` when there was none. */
  readonly source: SourceName | "*";
  readonly pods: readonly Pod[];
}

/** One thing that a mode publishes. */
export type PodNotification = PodChange | MergedPods;

/** What one update brought about. */
export interface MergeOutcome {
  readonly source: SourceName;
  readonly changes: readonly PodChange[];
  /** Whether it was the first set of its source. */
  readonly isFirstSet: boolean;
  /** The pods of all sources after it. */
  readonly merged: readonly Pod[];
}

/**
 * The notifications of a mode for one update.
 *
 * Restored pods are published as such in every mode, and first. A snapshot instead would
 * mean that their source has delivered.
 */
export function notificationsOf(
  outcome: MergeOutcome,
  mode: NotificationMode,
): readonly PodNotification[] {
  const { source, changes, isFirstSet, merged } = outcome;
  const only = (...ops: readonly PodChange["op"][]): readonly PodChange[] =>
    changes.filter(({ op, pods }) => ops.includes(op) && pods.length > 0);
  const snapshot: MergedPods = { op: "set", source, pods: merged };
  const snapshotIf = (...ops: readonly PodChange["op"][]): MergedPods[] =>
    isFirstSet || only(...ops).length > 0 ? [snapshot] : [];
  switch (mode) {
    case "incremental":
      return changes;
    case "snapshot_and_updates":
      return [
        ...only("restore"),
        ...snapshotIf("add", "remove"),
        ...only("update", "delete"),
      ];
    case "snapshot":
      return [
        ...only("restore"),
        ...snapshotIf("add", "remove", "update", "delete"),
      ];
    default:
      mode satisfies never;
      throw new TypeError(
        `Cannot tell changes: the mode is "${mode}", wanted "incremental", "snapshot_and_updates" or "snapshot"`,
      );
  }
}
