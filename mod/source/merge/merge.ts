/**
 * Turns what sources say into changes, source by source.
 *
 * The rules are those of the kubelet's podStorage (pkg/kubelet/config/config.go),
 * with the operations of 1.18, when it had them all.
 *
 * @module
 */

import {
  ANNOTATION_CONFIG_MIRROR,
  ANNOTATION_CONFIG_SEEN,
  ANNOTATION_CONFIG_SOURCE,
  podFullName,
} from "../../api/vocabulary/mod.ts";
import type { EventSink, Pod } from "../../api/types/mod.ts";
import { podRef } from "../../api/objects/mod.ts";
import { type Clock, defined } from "../../base/mod.ts";
import type { Logger } from "../../base/telemetry/mod.ts";
import { formatTime } from "../../pod/status/mod.ts";
import { deepEqual } from "./deep_equal.ts";
import {
  isCompleteSet,
  type PodChange,
  type PodOperation,
  type SourceName,
  type SourceSet,
  type SourceUpdate,
} from "./source_set.ts";

interface PodStorageDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: EventSink;
  /**
   * Completes a pod with what it has by other objects of the node, such as its priority.
   *
   * @default it has nothing by them
   */
  readonly complete?: (pod: Pod) => Pod;
}

/**
 * Holds the pods of every source and says what each update changes.
 *
 * Sources never touch each other: the same name in two of them is for the pod
 * workers to settle. What is held is replaced, never altered, so a pod that was
 * handed out stays as it was.
 */
export class PodStorage {
  readonly #deps: PodStorageDeps;
  readonly #held = new Map<SourceName, ReadonlyMap<string, Pod>>();
  readonly #seen = new Set<SourceName>();

  /** Starts empty, with no source seen. */
  constructor(deps: PodStorageDeps) {
    this.#deps = deps;
  }

  /**
   * Takes what a source says and returns what that changes, to be shown; actions
   * follow what is held ({@linkcode bySource}), not these.
   * Removals come first.
   *
   * The first complete set of a source always yields a change, an empty `add` if there
   * are no pods, so that the source counts as ready.
   */
  merge(update: SourceUpdate): readonly PodChange[] {
    const { source, op = "set" } = update;
    const changed = noChanges();
    switch (op) {
      case "set": {
        const isComplete = isCompleteSet(update);
        const isFirst = isComplete && !this.#seen.has(source);
        if (isComplete) this.#seen.add(source);
        this.#replace(update, changed);
        return inOrder(changed, { source, isFirst });
      }
      case "restore":
        if (!this.isStale(update)) this.#restore(update, changed);
        break;
      case "add":
      case "update":
        this.#take(update, this.#of(source), changed);
        break;
      case "delete":
        this.#take(this.#ending(update), this.#of(source), changed);
        break;
      case "remove":
        this.#remove(update, changed);
        break;
      default:
        op satisfies never;
    }
    return inOrder(changed, { source, isFirst: false });
  }

  /** A set whose pods have what they have by other objects; to be merged in its place. */
  complete(set: SourceSet): SourceSet {
    const { complete } = this.#deps;
    return complete === undefined
      ? set
      : { ...set, pods: set.pods.map(complete) };
  }

  /** Whether the source has delivered a complete set yet. */
  seen(source: SourceName): boolean {
    return this.#seen.has(source);
  }

  /**
   * Whether an update is out of a checkpoint and its source has spoken already: such
   * a one changes nothing, and its objects are to be ignored as well.
   */
  isStale({ op, source }: SourceUpdate): boolean {
    return op === "restore" && this.#seen.has(source);
  }

  /** The pods of each source by UID, in the order of its last set. */
  bySource(): ReadonlyMap<SourceName, ReadonlyMap<string, Pod>> {
    return this.#held;
  }

  /** The pods of all sources, each source's in the order of its last set. */
  pods(): readonly Pod[] {
    return [...this.#held.values()].flatMap((pods) => [...pods.values()]);
  }

  /** Takes a full set: what is not in it is gone. */
  #replace(update: SourceUpdate, changed: PodsByOperation): void {
    const before = this.#of(update.source);
    const after = this.#take(update, new Map(), changed);
    for (const [uid, pod] of before) {
      if (!after.has(uid)) changed.remove.push(pod);
    }
  }

  /** Only adds: whatever is held is fresher, under its UID as under its name. */
  #restore(update: SourceUpdate, changed: PodsByOperation): void {
    const before = this.#of(update.source);
    const names = new Set([...before.values()].map((pod) => podFullName(pod)));
    const after = new Map(before);
    for (const incoming of this.#distinct(update)) {
      const { uid } = incoming.metadata;
      if (before.has(uid) || names.has(podFullName(incoming))) continue;
      const pod = this.#admit(incoming, update.source);
      after.set(uid, pod);
      changed.restore.push(pod);
    }
    this.#held.set(update.source, after);
  }

  #remove({ source, pods }: SourceUpdate, changed: PodsByOperation): void {
    const after = new Map(this.#of(source));
    for (const { metadata: { uid } } of pods) {
      const held = after.get(uid);
      if (held !== undefined) changed.remove.push(held);
      after.delete(uid);
    }
    this.#held.set(source, after);
  }

  /** Compares each pod with what is held, and holds it from now on, beside `others`. */
  #take(
    update: SourceUpdate,
    others: ReadonlyMap<string, Pod>,
    changed: PodsByOperation,
  ): ReadonlyMap<string, Pod> {
    const { source } = update;
    const before = this.#of(source);
    const after = new Map(others);
    for (const incoming of this.#distinct(update)) {
      const { uid } = incoming.metadata;
      const held = before.get(uid);
      // Names cannot change: under a UID that the manifest fixes, it is another pod.
      const isRenamed = held !== undefined &&
        podFullName(held) !== podFullName(incoming);
      if (isRenamed) changed.remove.push(held);
      const judged = held === undefined || isRenamed
        ? { op: "add" as const, pod: this.#admit(incoming, source) }
        : judge(held, withSource(incoming, source));
      after.set(uid, judged.pod);
      if (judged.op !== "keep") changed[judged.op].push(judged.pod);
    }
    this.#held.set(source, after);
    return after;
  }

  /** The pods that end by request, each with the time of the request. */
  #ending(update: SourceUpdate): SourceUpdate {
    const held = this.#of(update.source);
    const now = formatTime(this.#deps.clock.now());
    const pods = update.pods.map((pod) => {
      const { metadata } = pod;
      const deletionTimestamp = metadata.deletionTimestamp ??
        held.get(metadata.uid)?.metadata.deletionTimestamp ?? now;
      return { ...pod, metadata: { ...metadata, deletionTimestamp } };
    });
    return { ...update, pods };
  }

  #of(source: SourceName): ReadonlyMap<string, Pod> {
    return this.#held.get(source) ?? new Map();
  }

  /** Drops pods whose full name or UID came before in the same update. */
  #distinct({ source, pods }: SourceUpdate): Pod[] {
    const names = new Set<string>();
    const uids = new Set<string>();
    return pods.filter((pod) => {
      const name = podFullName(pod);
      const { uid } = pod.metadata;
      const field = names.has(name)
        ? "name"
        : uids.has(uid)
        ? "UID"
        : undefined;
      names.add(name);
      uids.add(uid);
      if (field === undefined) return true;
      this.#refuse(pod, { source, field });
      return false;
    });
  }

  #refuse(
    pod: Pod,
    why: { readonly source: SourceName; readonly field: "name" | "UID" },
  ): void {
    const value = why.field === "name" ? podFullName(pod) : pod.metadata.uid;
    this.#deps.log.warn("pod_duplicate_refused", { ...podRef(pod), ...why });
    this.#deps.events.record(podRef(pod), {
      type: "Warning",
      reason: "FailedValidation",
      message:
        `Cannot accept the pod: source "${why.source}" has another one with the ${why.field} "${value}"`,
    });
  }

  #admit(pod: Pod, source: SourceName): Pod {
    return withAnnotations(withSource(pod, source), {
      [ANNOTATION_CONFIG_SEEN]: formatSeen(this.#deps.clock.now()),
    });
  }
}

/** Kept by this node: they say how a pod came here, not what it is to be. */
const LOCAL_ANNOTATIONS: readonly string[] = [
  ANNOTATION_CONFIG_SOURCE,
  ANNOTATION_CONFIG_MIRROR,
  ANNOTATION_CONFIG_SEEN,
];

type PodsByOperation = Readonly<Record<PodOperation, Pod[]>>;

function noChanges(): PodsByOperation {
  return {
    restore: [],
    remove: [],
    add: [],
    update: [],
    delete: [],
    reconcile: [],
  };
}

function inOrder(
  changes: PodsByOperation,
  context: { readonly source: SourceName; readonly isFirst: boolean },
): PodChange[] {
  const { source, isFirst } = context;
  const { restore, remove, add, update, delete: ending, reconcile } = changes;
  const isOnlyReady = isFirst &&
    add.length + update.length + ending.length === 0;
  const all: readonly PodChange[] = [
    { op: "restore", source, pods: restore },
    { op: "remove", source, pods: remove },
    { op: "add", source, pods: add },
    { op: "update", source, pods: update },
    { op: "delete", source, pods: ending },
    { op: "reconcile", source, pods: reconcile },
  ];
  return all.filter(({ op, pods }) =>
    pods.length > 0 || (op === "add" && isOnlyReady)
  );
}

interface Judgement {
  readonly op: "keep" | "update" | "delete" | "reconcile";
  readonly pod: Pod;
}

/** Compares a held pod with its next version and makes the one to hold. */
function judge(held: Pod, incoming: Pod): Judgement {
  if (!differ(held, incoming)) {
    if (deepEqual(held.status, incoming.status)) {
      return { op: "keep", pod: held };
    }
    return { op: "reconcile", pod: withStatusOf(held, incoming) };
  }
  const isEnding = incoming.metadata.deletionTimestamp !== undefined;
  return {
    op: isEnding ? "delete" : "update",
    pod: merged(held, incoming),
  };
}

function differ(a: Pod, b: Pod): boolean {
  return !deepEqual(a.spec, b.spec) ||
    !deepEqual(a.metadata.labels ?? {}, b.metadata.labels ?? {}) ||
    a.metadata.deletionTimestamp !== b.metadata.deletionTimestamp ||
    a.metadata.deletionGracePeriodSeconds !==
      b.metadata.deletionGracePeriodSeconds ||
    !deepEqual(unmanagedAnnotations(a), unmanagedAnnotations(b));
}

function unmanagedAnnotations(pod: Pod): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(pod.metadata.annotations ?? {})
      .filter(([key]) => !LOCAL_ANNOTATIONS.includes(key)),
  );
}

/** The next version, with what upstream leaves alone kept from the held one. */
function merged(held: Pod, incoming: Pod): Pod {
  const {
    labels: _labels,
    annotations: _annotations,
    deletionTimestamp: _timestamp,
    deletionGracePeriodSeconds: _grace,
    generation: _generation,
    ...kept
  } = held.metadata;
  const { metadata: next } = incoming;
  const local = Object.fromEntries(
    Object.entries(held.metadata.annotations ?? {})
      .filter(([key]) => LOCAL_ANNOTATIONS.includes(key)),
  );
  const metadata = {
    ...kept,
    ...defined({
      labels: next.labels,
      deletionTimestamp: next.deletionTimestamp,
      deletionGracePeriodSeconds: next.deletionGracePeriodSeconds,
      generation: next.generation,
    }),
  };
  const pod: Pod = { ...held, metadata, spec: incoming.spec };
  return withStatusOf(
    withAnnotations(pod, { ...next.annotations, ...local }),
    incoming,
  );
}

function withStatusOf(pod: Pod, other: Pod): Pod {
  const { status: _status, ...rest } = pod;
  return other.status === undefined ? rest : { ...rest, status: other.status };
}

function withSource(pod: Pod, source: SourceName): Pod {
  if (pod.metadata.annotations?.[ANNOTATION_CONFIG_SOURCE] === source) {
    return pod;
  }
  return withAnnotations(pod, { [ANNOTATION_CONFIG_SOURCE]: source });
}

function withAnnotations(
  pod: Pod,
  added: Readonly<Record<string, string>>,
): Pod {
  const annotations = { ...pod.metadata.annotations, ...added };
  return { ...pod, metadata: { ...pod.metadata, annotations } };
}

/** RFC 3339 with nine digits of a second, as upstream's RFC3339NanoFixed. */
function formatSeen(nowMs: number): string {
  return new Date(nowMs).toISOString().replace("Z", "000000Z");
}
