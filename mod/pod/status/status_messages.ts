/**
 * The limit on what containers may say when they end.
 *
 * @module
 */

import type {
  ContainerState,
  ContainerStatus,
  Pod,
} from "../../api/types/mod.ts";

/** For all containers of a pod together (kubelet: kubecontainer.MaxPodTerminationMessageLogLength). */
const MAX_TOTAL_BYTES = 12_288;

/**
 * Cuts termination messages so that a pod's status stays small, however many
 * containers it has. What is left is valid UTF-8.
 */
export function capMessages(
  pod: Pick<Pod, "spec">,
  statuses: readonly ContainerStatus[],
): ContainerStatus[] {
  const { containers, initContainers, ephemeralContainers } = pod.spec;
  const count = containers.length + (initContainers?.length ?? 0) +
    (ephemeralContainers?.length ?? 0);
  const maxBytes = Math.floor(MAX_TOTAL_BYTES / Math.max(count, 1));
  return statuses.map((status) => ({
    ...status,
    ...(status.state === undefined
      ? {}
      : { state: capState(status.state, maxBytes) }),
    ...(status.lastState === undefined
      ? {}
      : { lastState: capState(status.lastState, maxBytes) }),
  }));
}

function capState(state: ContainerState, maxBytes: number): ContainerState {
  const terminated = state.terminated;
  const message = terminated?.message;
  if (terminated === undefined || message === undefined) return state;
  // No UTF-16 unit is longer than three bytes of UTF-8.
  if (message.length * 3 <= maxBytes) return state;
  return {
    ...state,
    terminated: { ...terminated, message: cut(message, maxBytes) },
  };
}

function cut(text: string, maxBytes: number): string {
  // encodeInto stops before a character that does not fit whole.
  const buffer = new Uint8Array(maxBytes);
  const { read } = new TextEncoder().encodeInto(text, buffer);
  return text.slice(0, read);
}
