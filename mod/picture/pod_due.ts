/**
 * Which looks at one pod are due, and when.
 *
 * @module
 */

import type { ContainerEvent } from "../cri/events/mod.ts";
import { isUnclearEnd, type ObservedPod } from "../pod/observed/mod.ts";

/** A runtime event on its way to being confirmed or dropped. */
export interface DueEvent {
  readonly event: ContainerEvent;
  readonly sinceMs: number;
  /** How many looks did not show it. */
  tries: number;
  /** How often its announcement began the looks anew, the first included. */
  repeats: number;
  /** When to look next; `undefined` when there is nothing to look for. */
  dueMs: number | undefined;
}

/**
 * The pauses between looks until the runtime shows what it has announced. containerd's
 * own events come before its CRI knows: by 50 ms on an idle machine, by more on a busy one.
 */
const LAG_MS: readonly number[] = [
  ...[3, 7, 10, 10, 15, 20, 30, 60, 100],
  ...[300, 1_000],
];

/** An event that is announced more often than this is no longer looked for at once. */
const MAX_REPEATS = 4;

/** An event that no look has confirmed gets one look in this time. */
export const VAIN_MS = 1_000;

/**
 * How long an event is remembered. The agent records the result of its own action on top of
 * a look that may be older than the event, so the event may be hidden again.
 */
const KEEP_MS = 10_000;

/** More than a pod has containers and sandboxes; a list finds the rest. */
const MAX_EVENTS = 100;

/**
 * The looks that are due at one pod: a list if one was requested, and one for each event.
 *
 * ```
 *              look: not shown yet
 *                  ┌───┐
 *                  ▼   │       look: shown
 *   announced ──▶   due   ──────────────────────▶ confirmed ──── 10 s old ──▶ forgotten
 *                 ▲  │  ▲                            │                            ▲
 *                 │  │  └─ hidden or announced again ┘                            │
 *                 │  │                                                            │
 *                 │  └─ all pauses over, or not in a list ──▶ given up ─ 10 s old ┘
 *                 │                                              │
 *                 └── announced again; after 4 times 1 s later ──┘
 * ```
 */
export class PodDue {
  /** A look is under way; the next one is scheduled when it ends. */
  isWorking = false;
  /** When to list the pod; `undefined` while no list is requested. */
  listMs: number | undefined;
  /** A look newer than this replaces the list; `Infinity` when the list itself is needed. */
  newerThanMs: number = -Infinity;
  readonly #events = new Map<string, DueEvent>();

  /** Asks for a list of the pod at `dueMs`, or earlier if that was asked for. */
  list(dueMs: number, newerThanMs: number): void {
    this.newerThanMs = this.listMs === undefined
      ? newerThanMs
      : Math.max(this.newerThanMs, newerThanMs);
    this.listMs = Math.min(this.listMs ?? Infinity, dueMs);
  }

  /** Adds an event; `undefined` when there is no room for it. */
  add(event: ContainerEvent, nowMs: number): DueEvent | undefined {
    const key = `${event.what} ${event.containerId}`;
    const known = this.#events.get(key);
    if (known === undefined && this.#events.size >= MAX_EVENTS) {
      return undefined;
    }
    const due = known ??
      { event, sinceMs: nowMs, tries: 0, repeats: 0, dueMs: undefined };
    this.#events.set(key, due);
    if (due.repeats < MAX_REPEATS) {
      due.repeats++;
      due.tries = 0;
      due.dueMs = nowMs;
    } else if (isGivenUp(due)) due.dueMs ??= nowMs + VAIN_MS;
    return due;
  }

  /** Compares the events with a new look: each is confirmed, or hidden again. */
  seen(pod: ObservedPod | undefined, nowMs: number): void {
    for (const due of this.#events.values()) {
      if (eventNeed(pod, due.event) === "nothing") due.dueMs = undefined;
      else if (!isGivenUp(due)) due.dueMs ??= nowMs;
    }
  }

  /** The events to look for now. */
  dueEvents(nowMs: number): DueEvent[] {
    return [...this.#events.values()].filter(({ dueMs }) =>
      dueMs !== undefined && dueMs <= nowMs
    );
  }

  /** When the next look is due; `Infinity` for never. Forgets events that are over. */
  nextMs(nowMs: number): number {
    let nextMs = this.listMs ?? Infinity;
    for (const [key, { dueMs, sinceMs }] of this.#events) {
      const endMs = sinceMs + KEEP_MS;
      if (dueMs === undefined && endMs <= nowMs) this.#events.delete(key);
      else nextMs = Math.min(nextMs, dueMs ?? endMs);
    }
    return nextMs;
  }
}

/**
 * Records what a look for an event has shown.
 *
 * @param isListed whether a list of the pod was made
 * @returns whether the event is confirmed
 */
export function lookedFor(
  due: DueEvent,
  pod: ObservedPod | undefined,
  { isListed, nowMs }: { readonly isListed: boolean; readonly nowMs: number },
): boolean {
  if (eventNeed(pod, due.event) === "nothing") {
    due.dueMs = undefined;
    return true;
  }
  if (isListed && !isShownIn(pod, due.event.containerId)) {
    // The list lacks it: it came and went, or was never of this pod.
    due.tries = LAG_MS.length;
    due.dueMs = undefined;
    return false;
  }
  const pauseMs = LAG_MS[due.tries];
  due.tries++;
  due.dueMs = pauseMs === undefined ? undefined : nowMs + pauseMs;
  return false;
}

/** What a runtime event asks for. */
export type EventNeed =
  /** What it says is known, or does not matter. */
  | "nothing"
  /** An inspection of that container. */
  | "inspect"
  /** A list of the pod: its sandbox ended, or the container is not known. */
  | "list";

/**
 * Compares an event with what is known of the pod. Pure.
 *
 * Most events are about what the agent has just done itself, so most need nothing.
 */
export function eventNeed(
  pod: ObservedPod | undefined,
  event: Pick<ContainerEvent, "containerId" | "what">,
): EventNeed {
  const { containerId, what } = event;
  const container = pod?.containers.find(({ id }) => id === containerId);
  if (container !== undefined) {
    const { state } = container;
    const isKnown = what === "created" ||
      // The kernel may have ended any process of it; if it was the first, it ends.
      (what === "oom" && !isUnclearEnd(container)) ||
      // The next list finds that one which ended long ago was removed.
      (what !== "oom" && state === "exited") ||
      (what === "started" && state === "running");
    return isKnown ? "nothing" : "inspect";
  }
  const sandbox = pod?.sandboxes.find(({ id }) => id === containerId);
  const isEnd = what === "stopped" || what === "deleted";
  const isNews = sandbox === undefined
    ? what !== "deleted" && what !== "oom"
    : isEnd && sandbox.ready;
  return isNews ? "list" : "nothing";
}

/** Whether a container or sandbox is in what is known of the pod. Pure. */
export function isShownIn(
  pod: ObservedPod | undefined,
  itemId: string,
): boolean {
  return pod !== undefined &&
    [...pod.containers, ...pod.sandboxes].some(({ id }) => id === itemId);
}

function isGivenUp({ tries }: DueEvent): boolean {
  return tries >= LAG_MS.length;
}
