/**
 * One line of `get pods`, as kubectl would write it.
 *
 * The rules are those of `printPod` in Kubernetes' pkg/printers/internalversion.
 *
 * @module
 */

import type { ContainerStatus, Pod, PodStatus } from "../api/types/mod.ts";
import { isRestartableInit } from "../api/vocabulary/mod.ts";
import { formatAge } from "../base/text/mod.ts";
import { ROLLED_BACK_CONDITION } from "../pod/recovery/mod.ts";
import type { Listing } from "./listing.ts";

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
    {
      heading: "NAMESPACE",
      only: "all_namespaces",
      cell: ({ namespace }) => namespace,
    },
    { heading: "NAME", cell: ({ name }) => name },
    { heading: "READY", cell: ({ ready }) => ready },
    { heading: "STATUS", cell: ({ status }) => status },
    { heading: "RESTARTS", cell: ({ restarts }) => restarts },
    { heading: "AGE", cell: ({ age }) => age },
    { heading: "IP", only: "wide", cell: ({ ip }) => ip },
    { heading: "NODE", only: "wide", cell: ({ node }) => node },
  ],
};

/** Writes one pod; `nowMs` is wall time. */
export function podRow(pod: Pod, nowMs: number): PodRow {
  const status: PodStatus = pod.status ?? {};
  const summary = summarise(pod, status);
  return {
    namespace: pod.metadata.namespace,
    name: pod.metadata.name,
    ready: `${summary.ready}/${summary.total}`,
    status: summary.status,
    restarts: restartText(summary, nowMs),
    age: ageText(pod, nowMs),
    ip: status.podIP ?? status.podIPs?.[0]?.ip ?? "<none>",
    node: pod.spec?.nodeName ?? "<none>",
  };
}

interface Summary {
  readonly total: number;
  readonly ready: number;
  readonly status: string;
  readonly restarts: number;
  /** Wall time in milliseconds; `undefined` when nothing ended yet. */
  readonly lastEndMs: number | undefined;
}

function summarise(pod: Pod, status: PodStatus): Summary {
  const inits = initSummary(pod, status);
  const sidecars = (pod.spec?.initContainers ?? []).filter(isRestartableInit);
  const total = sidecars.length + (pod.spec?.containers?.length ?? 0);
  const isInitialized = inits.status === undefined ||
    hasCondition(status, "Initialized");
  if (!isInitialized) {
    return {
      total,
      ready: inits.readySidecars,
      status: terminatingOr(inits.status ?? "", pod, status),
      restarts: inits.restarts,
      lastEndMs: inits.lastEndMs,
    };
  }
  const containers = status.containerStatuses ?? [];
  const counted = [...inits.sidecars, ...containers];
  const running = containers.filter(isReadyAndRunning).length;
  const shown = appStatus(
    inits.status ?? baseStatus(status),
    { status, isRunning: running > 0 },
  );
  return {
    total,
    ready: inits.readySidecars + running,
    status: terminatingOr(shown, pod, status),
    restarts: counted.reduce((sum, each) => sum + each.restartCount, 0),
    lastEndMs: lastEnd(counted),
  };
}

interface InitSummary {
  /** What an init container that is not done makes of the status. */
  readonly status: string | undefined;
  readonly readySidecars: number;
  readonly sidecars: readonly ContainerStatus[];
  readonly restarts: number;
  readonly lastEndMs: number | undefined;
}

/** Walks the init containers up to the first that is not done. */
function initSummary(pod: Pod, status: PodStatus): InitSummary {
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
  return {
    status: shown,
    readySidecars,
    sidecars: seen.filter(({ name }) => isSidecar(name)),
    restarts: seen.reduce((sum, each) => sum + each.restartCount, 0),
    lastEndMs: lastEnd(seen),
  };
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
  const isOver = status.phase === "Succeeded" || status.phase === "Failed";
  return isOver ? shown : "Terminating";
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

function isReadyAndRunning(container: ContainerStatus): boolean {
  return container.ready && container.state?.running !== undefined;
}

function hasCondition(status: PodStatus, type: string): boolean {
  return status.conditions?.some((condition) =>
    condition.type === type && condition.status === "True"
  ) ?? false;
}

function lastEnd(statuses: readonly ContainerStatus[]): number | undefined {
  const times = statuses.flatMap(({ lastState }) => {
    const ms = Date.parse(lastState?.terminated?.finishedAt ?? "");
    return Number.isNaN(ms) ? [] : [ms];
  });
  return times.length === 0 ? undefined : Math.max(...times);
}

function restartText(summary: Summary, nowMs: number): string {
  const { restarts, lastEndMs } = summary;
  return restarts === 0 || lastEndMs === undefined
    ? String(restarts)
    : `${restarts} (${formatAge(Math.max(0, nowMs - lastEndMs))} ago)`;
}

function ageText(pod: Pod, nowMs: number): string {
  const since = pod.metadata.creationTimestamp ?? pod.status?.startTime;
  const ms = Date.parse(since ?? "");
  // A clock that was set back since makes no pod one of the future.
  return Number.isNaN(ms) ? "<unknown>" : formatAge(Math.max(0, nowMs - ms));
}
