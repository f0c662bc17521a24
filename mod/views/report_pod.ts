/**
 * The report on one pod: all that is known of it.
 *
 * @module
 */

import { ANNOTATION_CONFIG_SOURCE, lastingPod } from "../api/vocabulary/mod.ts";
import { formatFault } from "../api/fault/mod.ts";
import type { Pod } from "../api/types/mod.ts";
import type { WorkerView } from "../agent/workers/mod.ts";
import type { Clock } from "../base/mod.ts";
import { toWireEvent } from "../events/mod.ts";
import {
  type BrokenManifest,
  type ExplainFacts,
  explainPlan,
  explainPod,
} from "../explain/mod.ts";
import { describePlan } from "../pod/plan/mod.ts";
import { formatTime } from "../pod/status/mod.ts";
import type {
  PodOrigin,
  PodReport,
  ReportedActivity,
  ReportedDecision,
  ReportedProbe,
} from "../server/mod.ts";
import type { SourceName } from "../source/merge/mod.ts";
import type { ViewedCore, ViewedSource } from "./ports.ts";
import { stoppedContainers } from "./stopped_containers.ts";

/** What a report is put together from. */
export interface PodReportDeps {
  readonly core: ViewedCore;
  /** The pods as clients see them. */
  readonly pods: () => readonly Pod[];
  readonly clock: Clock;
  /** Ends the names of the pods of this node. */
  readonly nodeName: string;
}

/**
 * Reports on the pod of a name, which may be that of its manifest or the full one.
 *
 * Of a pod that ends and one that takes its place the latter is meant.
 *
 * @returns `undefined` when there is no such pod
 */
export function reportPod(
  wanted: { readonly namespace: string; readonly name: string },
  deps: PodReportDeps,
): PodReport | undefined {
  const pod = findPod(wanted, deps);
  if (pod === undefined) return undefined;
  const { core, clock } = deps;
  const { uid } = pod.metadata;
  const nowMs = clock.now();
  const facts = gatherFacts(pod, deps, nowMs);
  return {
    apiVersion: "skerry.dev/v1alpha1",
    kind: "PodReport",
    time: formatTime(nowMs),
    pod,
    explanation: explainPod(facts),
    source: originOf(pod, core),
    decision: facts.decision && reportDecision(facts.decision),
    activities: facts.activities.map((each) => reportActivity(each, nowMs)),
    probes: facts.probes.map(reportProbe),
    events: core.events.list({ uid })
      .filter((event) => isAbout(event.pod, pod))
      .map((event) => toWireEvent(event, deps)),
  };
}

function findPod(
  wanted: { readonly namespace: string; readonly name: string },
  { pods, nodeName }: PodReportDeps,
): Pod | undefined {
  const { namespace, name } = wanted;
  const here = pods().filter(({ metadata }) =>
    metadata.namespace === namespace
  );
  for (const full of [name, `${name}-${nodeName.toLowerCase()}`]) {
    const found = lastingPod(
      here.filter(({ metadata }) => metadata.name === full),
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

function gatherFacts(
  pod: Pod,
  deps: PodReportDeps,
  nowMs: number,
): ExplainFacts {
  const { core } = deps;
  const { uid } = pod.metadata;
  const workers = core.agent.pods();
  const worker = workers.find((each) => each.uid === uid);
  const hold = core.agent.pendingVerdict(uid);
  const decision = decisionOf(uid, deps, nowMs);
  const namesake = worker && namesakeOf(worker, workers);
  const events = core.events.list({ uid });
  const shortage = core.agent.resizes.refusalOf(uid)?.shortage;
  const endFailure = core.agent.endFailure(uid);
  const outage = core.watch.downSince;
  const broken = brokenManifestOf(pod, core);
  const silent = silentSourceOf(pod, core);
  return {
    pod,
    stage: worker?.state,
    ...(hold !== undefined && { hold }),
    ...(decision !== undefined && { decision }),
    activities: core.activities.list(uid),
    probes: core.agent.probes(uid),
    ...(namesake !== undefined && { namesake }),
    others: othersOf(uid, workers, core),
    stops: stoppedContainers(events),
    ...(shortage !== undefined && { resizeShortage: shortage }),
    ...(endFailure !== undefined && { endFailure }),
    ...(outage !== undefined && { runtimeDown: outage }),
    ...(broken !== undefined && { brokenManifest: broken }),
    ...(silent !== undefined && { silentSource: silent }),
    nowMs,
    utcOffsetMs: -new Date(nowMs).getTimezoneOffset() * 60_000,
  };
}

/** The decision with its times by the wall clock. */
function decisionOf(
  uid: string,
  { core, clock }: PodReportDeps,
  nowMs: number,
): ExplainFacts["decision"] {
  const decision = core.agent.decision(uid);
  if (decision === undefined) return undefined;
  const wall = (ms: number): number => nowMs + ms - clock.monotonic();
  const { dueMs } = decision.next;
  return {
    ...decision,
    failures: decision.failures.map(({ retryAtMs, ...failure }) => ({
      ...failure,
      ...(retryAtMs !== undefined && { retryMs: wall(retryAtMs) }),
    })),
    next: {
      kind: decision.next.kind,
      ...(dueMs !== undefined && { dueMs: wall(dueMs) }),
    },
  };
}

/** The other pod that has the name of a pod that is to run. */
function namesakeOf(
  worker: WorkerView,
  workers: readonly WorkerView[],
): ExplainFacts["namesake"] {
  const other = workers.find(({ uid, fullName, state }) =>
    uid !== worker.uid && fullName === worker.fullName &&
    state.kind !== "finished"
  );
  return other &&
    { uid: other.uid, isEnding: other.state.kind !== "syncing" };
}

/** The other pods that have a share of the node. */
function othersOf(
  uid: string,
  workers: readonly WorkerView[],
  core: ViewedCore,
): readonly Pod[] {
  return workers.flatMap((worker) => {
    const { pod, state } = worker;
    const isHolder = state.kind === "syncing" || state.kind === "terminating";
    return pod === undefined || worker.uid === uid || !isHolder ||
        core.agent.pendingVerdict(worker.uid) !== undefined
      ? []
      : [pod];
  });
}

function brokenManifestOf(
  pod: Pod,
  core: ViewedCore,
): BrokenManifest | undefined {
  const { uid } = pod.metadata;
  for (const source of sourcesOf(core)) {
    for (const report of source.report()) {
      if (report.kind !== "last_good") continue;
      if (!report.pods.some(({ metadata }) => metadata.uid === uid)) continue;
      const sinceMs = brokenSince(report.file, { uid, source, core });
      return {
        file: report.file,
        text: report.faults.map(formatFault).join("; "),
        ...(sinceMs !== undefined && { sinceMs }),
      };
    }
  }
  return undefined;
}

/**
 * Since when a manifest has been broken: since the event of its pod, but no longer than
 * the source has had any broken manifest.
 */
function brokenSince(
  file: string,
  of: {
    readonly uid: string;
    readonly source: ViewedSource;
    readonly core: ViewedCore;
  },
): number | undefined {
  const { uid, source, core } = of;
  const condition = source.conditions().find(({ type, status }) =>
    type === "ManifestsValid" && status === "False"
  );
  const event = core.events.list({ uid }).findLast(({ facts }) =>
    facts?.kind === "broken_manifest" && facts.file === file
  );
  if (condition === undefined) return event?.firstMs;
  return Math.max(condition.sinceMs, event?.firstMs ?? 0);
}

function sourcesOf(
  { fileSource, urlSource }: ViewedCore,
): readonly ViewedSource[] {
  return urlSource === undefined ? [fileSource] : [fileSource, urlSource];
}

function sourceNameOf({ metadata }: Pod): SourceName | undefined {
  const name = metadata.annotations?.[ANNOTATION_CONFIG_SOURCE];
  return name === "file" || name === "http" || name === "api"
    ? name
    : undefined;
}

function originOf(pod: Pod, core: ViewedCore): PodOrigin | undefined {
  const name = sourceNameOf(pod);
  switch (name) {
    case "file":
      return { name, location: core.fileSource.location };
    case "http":
      return { name, location: core.urlSource?.location ?? "" };
    case "api":
    case undefined:
      return undefined;
  }
}

function silentSourceOf(pod: Pod, core: ViewedCore): string | undefined {
  const name = sourceNameOf(pod);
  if (name === undefined || core.sourcesReady.isReady(name)) return undefined;
  return originOf(pod, core)?.location ?? name;
}

function reportDecision(
  decision: NonNullable<ExplainFacts["decision"]>,
): ReportedDecision {
  const { atMs, plan, pod, observed, failures, next } = decision;
  return {
    time: formatTime(atMs),
    plan: plan && describePlan(plan),
    why: explainPlan(plan, pod, observed),
    failures: failures.map(({ retryMs, cause: _cause, ...failure }) => ({
      ...failure,
      retryTime: timeOf(retryMs),
    })),
    next: { kind: next.kind, time: timeOf(next.dueMs) },
  };
}

function timeOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : formatTime(ms);
}

function reportActivity(
  activity: ExplainFacts["activities"][number],
  nowMs: number,
): ReportedActivity {
  const { kind, forMs } = activity;
  return {
    kind,
    container: "container" in activity ? activity.container : undefined,
    image: "image" in activity ? activity.image : undefined,
    since: formatTime(nowMs - forMs),
    seconds: Math.round(forMs / 1000),
  };
}

function reportProbe(fact: ExplainFacts["probes"][number]): ReportedProbe {
  const { container, kind, probe, verdict, consecutive, last, paused } = fact;
  return {
    container,
    kind,
    probe,
    verdict,
    consecutive,
    last: last &&
      { kind: last.kind, message: last.message, time: formatTime(last.atMs) },
    paused,
  };
}

function isAbout(
  ref: { readonly uid: string; readonly namespace: string; name: string },
  { metadata }: Pod,
): boolean {
  const { uid, name, namespace } = metadata;
  return ref.uid === uid && ref.name === name && ref.namespace === namespace;
}
