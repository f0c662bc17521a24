/**
 * Which pods may begin to start.
 *
 * @module
 */

/**
 * A slot is given to another pod after this time, if one waits. A sandbox takes far less,
 * unless the network plugin hangs.
 */
const PATIENCE_MS = 2_000;

/**
 * `first` are pods on the node's network, one of which may be the network of all others, and
 * critical ones. They go before others and have some slots of their own.
 */
export type StartLane = "first" | "usual";

/**
 * How many pods may go on without a slot while calls of theirs hang in the runtime. More are
 * never under way than these and the slots, since each may cost the runtime a process. It is
 * more than a usual node has pods (upstream's maxPods is 110), so that all of them may hang
 * before a healthy one has to wait for their end.
 */
const MAX_OVERDUE: Readonly<Record<StartLane, number>> = {
  usual: 128,
  first: 256,
};

/** A pod with a slot. */
interface Holding {
  readonly id: number;
  /** On the monotonic clock. */
  readonly sinceMs: number;
}

/**
 * The pods that start.
 *
 * ```
 *   came ──▶ waiting ──▶ holding ──── over ──▶ ∅
 *               │          │ 2 s, and others wait ▲
 *               │ over     │ abandoned            │
 *               ▼          ▼                      │
 *               ∅       overdue ───── over ───────┘
 * ```
 */
export interface StartQueue {
  /** In the order in which they came. */
  readonly waiting: readonly {
    readonly id: number;
    readonly lane: StartLane;
  }[];
  /** In the order in which they began. */
  readonly holding: readonly Holding[];
  /** They go on without a slot. */
  readonly overdue: readonly number[];
}

/** What happens to a pod that starts. */
export type StartSignal =
  | { readonly kind: "came"; readonly id: number; readonly lane: StartLane }
  /** It is given up, but the runtime has not answered yet. */
  | { readonly kind: "abandoned"; readonly id: number }
  | { readonly kind: "over"; readonly id: number }
  | { readonly kind: "time_passed" };

/** A queue after a signal. */
export interface StartStep {
  readonly queue: StartQueue;
  /** Those that may begin now. */
  readonly begun: readonly number[];
  /** When `time_passed` is due, on the monotonic clock; `undefined` when no time matters. */
  readonly againMs: number | undefined;
}

/** Under which circumstances. */
export interface StartOptions {
  /** On the monotonic clock. */
  readonly nowMs: number;
  /** How many of the usual pods start at a time. */
  readonly slots: number;
}

/** Nobody starts. */
export const NO_STARTS: StartQueue = { waiting: [], holding: [], overdue: [] };

/**
 * What the queue is after `signal`. Pure.
 */
export function stepStarts(
  queue: StartQueue,
  signal: StartSignal,
  options: StartOptions,
): StartStep {
  return begin(changed(queue, signal), options);
}

/** How many pods of a lane start at a time. Pure. */
export function slotsOf(lane: StartLane, slots: number): number {
  return lane === "usual" ? slots : slots + ownSlots(slots);
}

function changed(queue: StartQueue, signal: StartSignal): StartQueue {
  switch (signal.kind) {
    case "came": {
      const { id, lane } = signal;
      return { ...queue, waiting: [...queue.waiting, { id, lane }] };
    }
    case "abandoned": {
      const { waiting, holding, overdue } = without(queue, signal.id);
      return { waiting, holding, overdue: [...overdue, signal.id] };
    }
    case "over":
      return without(queue, signal.id);
    case "time_passed":
      return queue;
    default:
      return signal satisfies never;
  }
}

function without(
  { waiting, holding, overdue }: StartQueue,
  id: number,
): StartQueue {
  return {
    waiting: waiting.filter((each) => each.id !== id),
    holding: holding.filter((each) => each.id !== id),
    overdue: overdue.filter((each) => each !== id),
  };
}

/** Lets pods begin as long as there are slots, or some that were held for too long. */
function begin(queue: StartQueue, options: StartOptions): StartStep {
  const { nowMs } = options;
  let { waiting, holding, overdue } = queue;
  const begun: number[] = [];
  const after = (againMs?: number): StartStep => {
    return { queue: { waiting, holding, overdue }, begun, againMs };
  };
  for (;;) {
    const next = waiting.find(({ lane }) => lane === "first") ?? waiting[0];
    if (next === undefined) return after();
    const { id, lane } = next;
    const slots = slotsOf(lane, options.slots);
    const calls = holding.length + overdue.length;
    if (calls >= slots + MAX_OVERDUE[lane]) return after();
    const [oldest] = holding;
    if (oldest !== undefined && holding.length >= slots) {
      const endMs = oldest.sinceMs + PATIENCE_MS;
      if (endMs > nowMs) return after(endMs);
      holding = holding.slice(1);
      overdue = [...overdue, oldest.id];
      continue;
    }
    waiting = waiting.filter((each) => each.id !== id);
    holding = [...holding, { id, sinceMs: nowMs }];
    begun.push(id);
  }
}

/** The slots that only pods of the first lane have. */
function ownSlots(slots: number): number {
  return Math.ceil(slots / 3);
}
