/**
 * Turns full sets into changes, source by source.
 *
 * The rules are those of the kubelet's podStorage (pkg/kubelet/config/config.go,
 * KUBELET_FACTS §1.6).
 *
 * @module
 */

import {
  ANNOTATION_CONFIG_MIRROR,
  ANNOTATION_CONFIG_SEEN,
  ANNOTATION_CONFIG_SOURCE,
  type EventSink,
  type Pod,
  podFullName,
  podRef,
} from "../api/mod.ts";
import type { Clock, Logger } from "../base/mod.ts";
import { deepEqual } from "./deep_equal.ts";
import type {
  PodChange,
  PodOperation,
  SourceName,
  SourceSet,
} from "./source_set.ts";

/** What {@linkcode PodStorage} is built on. */
export interface PodStorageDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: EventSink;
}

/**
 * Holds the pods of every source and says what each new set changes.
 *
 * Sources never touch each other: the same name in two of them is for the pod
 * workers to settle. What is held is replaced, never altered, so a pod that was
 * handed out stays as it was.
 */
export class PodStorage {
  readonly #deps: PodStorageDeps;
  readonly #held = new Map<SourceName, ReadonlyMap<string, Pod>>();

  /** Starts empty, with no source seen. */
  constructor(deps: PodStorageDeps) {
    this.#deps = deps;
  }

  /**
   * Takes the full set of one source and returns what it changes, in the order in
   * which it is to be done: removals first, so that a successor finds room.
   *
   * The first set of a source always yields a change, an empty `add` if there is
   * nothing to tell, so that the source counts as ready.
   */
  merge(set: SourceSet): readonly PodChange[] {
    const { source } = set;
    const before = this.#held.get(source);
    const after = new Map<string, Pod>();
    const changed = emptyChanges();
    for (const incoming of this.#distinct(set)) {
      const { uid } = incoming.metadata;
      const held = before?.get(uid);
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
    for (const [uid, pod] of before ?? []) {
      if (!after.has(uid)) changed.remove.push(pod);
    }
    this.#held.set(source, after);
    return inOrder(changed, { source, isFirst: before === undefined });
  }

  /** Whether the source has delivered a set yet. */
  seen(source: SourceName): boolean {
    return this.#held.has(source);
  }

  /** The pods of all sources, each source's in the order of its last set. */
  pods(): readonly Pod[] {
    return [...this.#held.values()].flatMap((pods) => [...pods.values()]);
  }

  /** Drops pods whose full name or UID came before in the same set. */
  #distinct({ source, pods }: SourceSet): Pod[] {
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

type Changes = Record<PodOperation, Pod[]>;

function emptyChanges(): Changes {
  return { add: [], update: [], remove: [], delete: [], reconcile: [] };
}

function inOrder(
  changes: Changes,
  context: { readonly source: SourceName; readonly isFirst: boolean },
): PodChange[] {
  const { source, isFirst } = context;
  const told = (op: PodOperation): PodChange[] =>
    changes[op].length === 0 ? [] : [{ op, source, pods: changes[op] }];
  const news = [...told("add"), ...told("update"), ...told("delete")];
  const ready: PodChange[] = isFirst && news.length === 0
    ? [{ op: "add", source, pods: [] }]
    : [];
  return [...told("remove"), ...news, ...ready, ...told("reconcile")];
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
    !deepEqual(foreignAnnotations(a), foreignAnnotations(b));
}

function foreignAnnotations(pod: Pod): Readonly<Record<string, string>> {
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
    ...(next.labels && { labels: next.labels }),
    ...(next.deletionTimestamp !== undefined &&
      { deletionTimestamp: next.deletionTimestamp }),
    ...(next.deletionGracePeriodSeconds !== undefined &&
      { deletionGracePeriodSeconds: next.deletionGracePeriodSeconds }),
    ...(next.generation !== undefined && { generation: next.generation }),
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
