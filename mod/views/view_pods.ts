/**
 * The pods as clients see them: specs and statuses put together.
 *
 * @module
 */

import { formatFault } from "../api/fault/mod.ts";
import { podKey } from "../api/objects/mod.ts";
import type { Pod, PodCondition, PodRef, PodStatus } from "../api/types/mod.ts";
import { lastingPod } from "../api/vocabulary/mod.ts";
import type { FileReport } from "../source/mod.ts";
import { stopOf, type WorkerView } from "../agent/workers/mod.ts";
import {
  type BadRevision,
  describeRollback,
  ROLLED_BACK_CONDITION,
} from "../pod/recovery/mod.ts";
import { formatTime, parseTime } from "../pod/status/mod.ts";

/** What the view is put together from. */
export interface PodViewInput {
  readonly workers: readonly WorkerView[];
  readonly statusOf: (uid: string) => PodStatus | undefined;
  readonly reports: readonly FileReport[];
  /** What was rolled back, by the UID of the pod that runs in its place. */
  readonly rolledBack: ReadonlyMap<string, BadRevision>;
  /** Ends the names of the pods of this node. */
  readonly nodeName: string;
  /** Wall time. */
  readonly nowMs: number;
}

/** The reason of everything that says a manifest is not valid. */
const INVALID_MANIFEST = "InvalidManifest";

/** The reason of a pod whose name or UID another manifest has. */
const DUPLICATE = "DuplicatePod";

/** The condition by which a pod says that its manifest has been broken since. */
const MANIFEST_CONDITION = "skerry.dev/ManifestAccepted";

/**
 * Lists every pod that the node knows of, by namespace and name: running, ending,
 * kept from a last good manifest, and those of refused manifests that could be named.
 */
export function viewPods(input: PodViewInput): Pod[] {
  const broken = new Map(
    input.reports.flatMap((report) =>
      report.kind === "last_good"
        ? report.pods.map((pod) => [pod.metadata.uid, report] as const)
        : []
    ),
  );
  const known = input.workers.flatMap((worker) =>
    worker.state.pod === undefined ? [] : [
      viewPod(worker.state, worker.state.pod, {
        status: input.statusOf(worker.uid),
        broken: broken.get(worker.uid),
        bad: input.rolledBack.get(worker.uid),
        nowMs: input.nowMs,
      }),
    ]
  );
  const refused = new Map(
    input.reports.flatMap((report) => refusedPods(report, input.nodeName))
      .map((pod) => [keyOf(pod), pod]),
  );
  for (const pod of known) refused.delete(keyOf(pod));
  return [...known, ...refused.values()].sort((a, b) =>
    keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0
  );
}

/** A pod as it is asked for. */
export type PodName = Pick<PodRef, "namespace" | "name">;

/** The pod of a full name; of one that ends and one in its place the latter. */
export function podNamed(
  pods: readonly Pod[],
  wanted: PodName,
): Pod | undefined {
  const key = podKey(wanted);
  return lastingPod(pods.filter((pod) => keyOf(pod) === key));
}

function viewPod(
  state: WorkerView["state"],
  pod: Pod,
  shown: {
    status: PodStatus | undefined;
    broken: (FileReport & { kind: "last_good" }) | undefined;
    bad: BadRevision | undefined;
    nowMs: number;
  },
): Pod {
  const { requestedMs } = stopOf(state) ?? {};
  const { status = { phase: "Pending" }, broken, bad, nowMs } = shown;
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      ...(requestedMs !== undefined && {
        deletionTimestamp: new Date(requestedMs).toISOString(),
        deletionGracePeriodSeconds: state.kind === "terminating"
          ? state.graceSeconds
          : pod.spec.terminationGracePeriodSeconds ?? 0,
      }),
    },
    status: withoutFuture(
      withConditions(status, [
        ...broken === undefined ? [] : [brokenManifest(broken)],
        ...bad === undefined ? [] : [rolledBack(bad)],
      ]),
      nowMs,
    ),
  };
}

function withConditions(
  status: PodStatus,
  more: readonly PodCondition[],
): PodStatus {
  return more.length === 0
    ? status
    : { ...status, conditions: [...status.conditions ?? [], ...more] };
}

/**
 * A pod that has ended or was rolled back gets no new status, so its times may be ahead of
 * a clock that was set back.
 */
function withoutFuture(status: PodStatus, nowMs: number): PodStatus {
  const { conditions = [] } = status;
  const isAhead = ({ lastTransitionTime }: PodCondition): boolean =>
    (parseTime(lastTransitionTime) ?? nowMs) > nowMs;
  if (!conditions.some(isAhead)) return status;
  const lastTransitionTime = formatTime(nowMs);
  return {
    ...status,
    conditions: conditions.map((each) =>
      isAhead(each) ? { ...each, lastTransitionTime } : each
    ),
  };
}

function brokenManifest(
  report: FileReport & { kind: "last_good" },
): PodCondition {
  return {
    type: MANIFEST_CONDITION,
    status: "False",
    reason: INVALID_MANIFEST,
    message:
      `The manifest "${report.file}" is not valid, its last good content runs on: ${
        report.faults.map(formatFault).join("; ")
      }`,
  };
}

function rolledBack(bad: BadRevision): PodCondition {
  return {
    type: ROLLED_BACK_CONDITION,
    status: "True",
    reason: "NotReadyInTime",
    message: describeRollback(bad),
    lastTransitionTime: formatTime(bad.atMs),
  };
}

/** The pods of a report that do not run; of one that is the other's double all is known. */
function refusedPods(report: FileReport, nodeName: string): Pod[] {
  if (report.kind === "duplicate") {
    const { pod, file, of, field } = report;
    const message =
      `The pod of "${file}" has the same ${field} as one of "${of}"`;
    return [{
      ...pod,
      metadata: { ...pod.metadata, uid: "" },
      status: { phase: "Failed", reason: DUPLICATE, message },
    }];
  }
  if (report.kind !== "refused") return [];
  const message = `The manifest "${report.file}" is not valid: ${
    report.faults.map(formatFault).join("; ")
  }`;
  return report.named.map(({ name, namespace = "default" }) => ({
    apiVersion: "v1",
    kind: "Pod",
    // It was never given an identity: nothing of it exists but its name.
    metadata: { name: `${name}-${nodeName}`, namespace, uid: "" },
    spec: { containers: [], nodeName },
    status: { phase: "Failed", reason: INVALID_MANIFEST, message },
  }));
}

function keyOf({ metadata }: Pod): string {
  return podKey(metadata);
}
