/**
 * One line of `get pods`, as kubectl would write it.
 *
 * The rules are those of `printPod` in Kubernetes' pkg/printers/internalversion.
 *
 * @module
 */

import type { ContainerStatus, Pod, PodStatus } from "../api/types/mod.ts";
import { isRestartableInit } from "../api/vocabulary/mod.ts";
import { ROLLED_BACK_CONDITION } from "../pod/recovery/mod.ts";
import { findCondition, isTerminalPhase } from "../pod/status/mod.ts";
import type { Listing } from "./listing.ts";
import { ageText } from "./text/mod.ts";

/** The cells of one line. */
export interface PodRow {
  readonly namespace: string;
  readonly name: string;
  /** Such as `1/2`. */
  readonly ready: string;
  readonly status: string;
  /** Such as `3 (12s ago)`. */
  readonly restarts: string;
  readonly age: string;
  readonly ip: string;
  readonly node: string;
}

/** How pods are listed. */
export const PODS: Listing<Pod, PodRow> = {
  kind: "pod",
  name: ({ metadata }) => metadata.name,
  row: podRow,
  columns: [
    ["NAMESPACE", ({ namespace }) => namespace, "all_namespaces"],
    ["NAME", ({ name }) => name],
    ["READY", ({ ready }) => ready],
    ["STATUS", ({ status }) => status],
    ["RESTARTS", ({ restarts }) => restarts],
    ["AGE", ({ age }) => age],
    ["IP", ({ ip }) => ip, "wide"],
    ["NODE", ({ node }) => node, "wide"],
  ],
};

/** Writes one pod; `nowMs` is wall time. */
export function podRow(pod: Pod, nowMs: number): PodRow {
  const { metadata, spec, status = {} } = pod;
  const inits = readInits(pod, status);
  const isInitialized = inits.status === undefined ||
    hasCondition(status, "Initialized");
  const containers = isInitialized ? status.containerStatuses ?? [] : [];
  const running = containers
    .filter(({ ready, state }) => ready && state?.running !== undefined).length;
  const counted = isInitialized
    ? [...inits.sidecars, ...containers]
    : inits.seen;
  const restarts = counted.reduce((sum, each) => sum + each.restartCount, 0);
  const end = lastEnd(counted);
  const sidecars = (spec?.initContainers ?? []).filter(isRestartableInit);
  const total = sidecars.length + (spec?.containers?.length ?? 0);
  const shown = isInitialized
    ? appStatus(inits.status ?? baseStatus(status), {
      status,
      isRunning: running > 0,
    })
    : inits.status ?? "";
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    ready: `${inits.readySidecars + running}/${total}`,
    status: terminatingOr(shown, pod, status),
    restarts: restarts === 0 || end === undefined
      ? String(restarts)
      : `${restarts} (${ageText(end, nowMs)} ago)`,
    age: ageText(metadata.creationTimestamp ?? status.startTime, nowMs),
    ip: status.podIP ?? status.podIPs?.[0]?.ip ?? "<none>",
    node: spec?.nodeName ?? "<none>",
  };
}

interface Inits {
  /** What an init container that is not done makes of the status. */
  readonly status: string | undefined;
  readonly readySidecars: number;
  readonly sidecars: readonly ContainerStatus[];
  /** All up to the first that is not done. */
  readonly seen: readonly ContainerStatus[];
}

/** Walks the init containers up to the first that is not done. */
function readInits(pod: Pod, status: PodStatus): Inits {
  const specs = pod.spec?.initContainers ?? [];
  const statuses = status.initContainerStatuses ?? [];
  const isSidecar = (name: string) =>
    specs.some((spec) => spec.name === name && isRestartableInit(spec));
  const seen: ContainerStatus[] = [];
  let readySidecars = 0;
  let shown: string | undefined;
  for (const [index, each] of statuses.entries()) {
    seen.push(each);
    if (each.state?.terminated?.exitCode === 0) continue;
    if (isSidecar(each.name) && each.started === true) {
      if (each.ready) readySidecars++;
      continue;
    }
    shown = initStatus(each, { index, total: specs.length });
    break;
  }
  const sidecars = seen.filter(({ name }) => isSidecar(name));
  return { status: shown, readySidecars, sidecars, seen };
}

function initStatus(
  container: ContainerStatus,
  place: { readonly index: number; readonly total: number },
): string {
  const { terminated, waiting } = container.state ?? {};
  if (terminated !== undefined) return `Init:${endReason(terminated)}`;
  const reason = waiting?.reason ?? "";
  return reason === "" || reason === "PodInitializing"
    ? `Init:${place.index}/${place.total}`
    : `Init:${reason}`;
}

function baseStatus(status: PodStatus): string {
  const isGated = status.conditions?.some(({ type, reason }) =>
    type === "PodScheduled" && reason === "SchedulingGated"
  );
  if (isGated === true) return "SchedulingGated";
  return status.reason !== undefined && status.reason !== ""
    ? status.reason
    : status.phase ?? "Unknown";
}

function appStatus(
  base: string,
  context: { readonly status: PodStatus; readonly isRunning: boolean },
): string {
  const { status, isRunning } = context;
  let shown = base;
  // The first container outranks the others, hence from the last one.
  for (const container of (status.containerStatuses ?? []).toReversed()) {
    const { terminated, waiting } = container.state ?? {};
    if (waiting?.reason !== undefined && waiting.reason !== "") {
      shown = waiting.reason;
    } else if (terminated !== undefined) shown = endReason(terminated);
  }
  if (shown === "Completed" && isRunning) {
    shown = hasCondition(status, "Ready") ? "Running" : "NotReady";
  }
  // All is well with what runs, but it is not what the manifest says.
  return shown === "Running" && hasCondition(status, ROLLED_BACK_CONDITION)
    ? "RolledBack"
    : shown;
}

function terminatingOr(shown: string, pod: Pod, status: PodStatus): string {
  if (pod.metadata.deletionTimestamp === undefined) return shown;
  if (status.reason === "NodeLost") return "Unknown";
  return isTerminalPhase(status.phase) ? shown : "Terminating";
}

function endReason(terminated: {
  readonly reason?: string;
  readonly signal?: number;
  readonly exitCode: number;
}): string {
  if (terminated.reason !== undefined && terminated.reason !== "") {
    return terminated.reason;
  }
  return terminated.signal !== undefined && terminated.signal !== 0
    ? `Signal:${terminated.signal}`
    : `ExitCode:${terminated.exitCode}`;
}

function hasCondition(status: PodStatus, type: string): boolean {
  return findCondition(status.conditions, type)?.status === "True";
}

/** The latest time at which a container ended before; `undefined` if none did. */
function lastEnd(statuses: readonly ContainerStatus[]): string | undefined {
  return statuses
    .flatMap(({ lastState }) => lastState?.terminated?.finishedAt ?? [])
    .filter((time) => !Number.isNaN(Date.parse(time)))
    .toSorted((a, b) => Date.parse(a) - Date.parse(b)).at(-1);
}
