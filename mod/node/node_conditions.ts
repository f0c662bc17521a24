/**
 * The conditions of a node. Pure.
 *
 * The rules are those of the kubelet's pkg/kubelet/nodestatus.
 *
 * @module
 */

import type { NodeCondition } from "../api/cluster/mod.ts";
import { NODE_PRESSURES, type NodePressure } from "../pod/admission/mod.ts";
import { formatTime } from "../pod/status/mod.ts";
import type { NodePicture } from "./node_picture.ts";

/** Those that the agent writes; all others belong to somebody else. */
const READY = "Ready";

interface Words {
  readonly reason: string;
  readonly message: string;
  /** The event that says that it begins, or ends. */
  readonly event: string;
}

const PRESSURE_WORDS: Readonly<
  Record<NodePressure, { readonly begun: Words; readonly ended: Words }>
> = {
  MemoryPressure: {
    begun: {
      reason: "KubeletHasInsufficientMemory",
      message: "kubelet has insufficient memory available",
      event: "NodeHasInsufficientMemory",
    },
    ended: {
      reason: "KubeletHasSufficientMemory",
      message: "kubelet has sufficient memory available",
      event: "NodeHasSufficientMemory",
    },
  },
  DiskPressure: {
    begun: {
      reason: "KubeletHasDiskPressure",
      message: "kubelet has disk pressure",
      event: "NodeHasDiskPressure",
    },
    ended: {
      reason: "KubeletHasNoDiskPressure",
      message: "kubelet has no disk pressure",
      event: "NodeHasNoDiskPressure",
    },
  },
  PIDPressure: {
    begun: {
      reason: "KubeletHasInsufficientPID",
      message: "kubelet has insufficient PID available",
      event: "NodeHasInsufficientPID",
    },
    ended: {
      reason: "KubeletHasSufficientPID",
      message: "kubelet has sufficient PID available",
      event: "NodeHasSufficientPID",
    },
  },
};

/** The conditions that follow, and the reasons of the events that tell of it. */
export interface ConditionsNow {
  readonly conditions: readonly NodeCondition[];
  readonly events: readonly string[];
}

/**
 * The conditions of a node as they are now: in the order in which they were, those of others
 * untouched, new ones last. A condition keeps the time of its last change.
 *
 * What watches for shortages tells of each that begins or ends. So only that is told here
 * which it cannot know: that a cluster took the node for short of something, or did not know.
 */
export function nodeConditions(
  before: readonly NodeCondition[],
  { pressures, notReady }: Pick<NodePicture, "pressures" | "notReady">,
  { nowMs, isFirst }: {
    readonly nowMs: number;
    /** Whether what the cluster knows is of an agent before this one. */
    readonly isFirst: boolean;
  },
): ConditionsNow {
  const now = formatTime(nowMs);
  const found = new Map(before.map((each) => [each.type, each]));
  const events: string[] = [];
  const set = (type: string, status: "True" | "False", words: Words): void => {
    const { reason, message, event } = words;
    const old = found.get(type);
    const isSame = old?.status === status;
    const isTold = type === READY
      // A node that was never ready has not become it.
      ? old !== undefined
      : status === "False" && (isFirst || old?.status !== "True");
    if (!isSame && isTold) events.push(event);
    found.set(type, {
      type,
      status,
      // The words of a shortage are those of its begin, as upstream.
      reason,
      message,
      lastHeartbeatTime: now,
      lastTransitionTime: isSame ? old.lastTransitionTime ?? now : now,
    });
  };
  for (const type of NODE_PRESSURES) {
    const { begun, ended } = PRESSURE_WORDS[type];
    const isShort = pressures.includes(type);
    set(type, isShort ? "True" : "False", isShort ? begun : ended);
  }
  if (notReady.length === 0) set(READY, "True", READY_WORDS);
  else {
    const reason = "KubeletNotReady";
    const message = aggregate(notReady);
    set(READY, "False", { reason, message, event: "NodeNotReady" });
  }
  return { conditions: [...found.values()], events };
}

const READY_WORDS: Words = {
  reason: "KubeletReady",
  message: "kubelet is posting ready status",
  event: "NodeReady",
};

/** As upstream's utilerrors.NewAggregate writes several. */
function aggregate(problems: readonly string[]): string {
  const [first = "", ...others] = new Set(problems);
  return others.length === 0 ? first : `[${[first, ...others].join(", ")}]`;
}
