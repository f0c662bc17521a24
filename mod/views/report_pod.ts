/**
 * The report on one pod: all that is known of it.
 *
 * @module
 */

import { formatFault } from "../api/fault/mod.ts";
import { podKey } from "../api/objects/mod.ts";
import type { Pod } from "../api/types/mod.ts";
import { sourceOf } from "../agent/desired/mod.ts";
import { stopOf, type WorkerView } from "../agent/workers/mod.ts";
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
import type { ViewedCore, ViewedSource } from "./ports.ts";
import { stoppedContainers } from "./stopped_containers.ts";
import { type PodName, podNamed } from "./view_pods.ts";

interface PodReportDeps {
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
 * If one pod ends and another takes its place, the report is about the latter.
 *
 * @returns `undefined` when there is no such pod
 */
export function reportPod(
  wanted: PodName,
  deps: PodReportDeps,
): PodReport | undefined {
  const pod = findPod(wanted, deps);
  if (pod === undefined) return undefined;
  const { core, clock } = deps;
  const { uid } = pod.metadata;
  const nowMs = clock.now();
  const facts = gatherFacts(pod, deps, nowMs);
  const sentences = explainPod(facts);
  return {
    apiVersion: "skerry.dev/v1alpha1",
    kind: "PodReport",
    time: formatTime(nowMs),
    pod,
    explanation: sentences.map(({ text }) => text),
    findings: sentences.map(({ text: _text, ...finding }) => finding),
    source: originOf(pod, core),
    decision: facts.decision && reportDecision(facts.decision),
    activities: facts.activities.map((each) => reportActivity(each, nowMs)),
    probes: facts.probes.map(reportProbe),
    events: core.events.list({ uid })
      .filter((event) => podKey(event.pod) === podKey(pod.metadata))
      .map((event) => toWireEvent(event, deps)),
  };
}

function findPod(
  { namespace, name }: PodName,
  { pods, nodeName }: PodReportDeps,
): Pod | undefined {
  const all = pods();
  return podNamed(all, { namespace, name }) ??
    podNamed(all, { namespace, name: `${name}-${nodeName.toLowerCase()}` });
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
  return {
    pod,
    stage: worker?.state,
    pendingVerdict: core.agent.pendingVerdict(uid),
    decision: decisionOf(uid, deps, nowMs),
    activities: core.activities.list(uid),
    probes: core.prober.report(uid),
    namesake: worker && namesakeOf(worker, workers),
    clash: worker && clashOf(worker, workers),
    others: othersOf(uid, workers, core),
    stops: stoppedContainers(core.events.list({ uid })),
    resizeShortage: core.agent.resizes.refusalOf(uid)?.shortage,
    endFailure: core.agent.outcome(uid)?.endFailure,
    eviction: evictionOf(uid, deps, nowMs),
    runtimeDown: core.watch.downSince,
    isGoingDown: core.agent.isGoingDown,
    brokenManifest: brokenManifestOf(pod, core),
    silentSource: silentSourceOf(pod, core),
    silentServer: silentServerOf(pod, core),
    lacksToken: core.events.list({ uid })
      .some(({ reason }) => reason === "TokenNotKept"),
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
  const decision = core.agent.outcome(uid)?.decision;
  if (decision === undefined) return undefined;
  const wall = (ms: number | undefined): number | undefined =>
    ms === undefined ? undefined : nowMs + ms - clock.monotonic();
  const { kind, dueMs } = decision.next;
  return {
    ...decision,
    failures: decision.failures.map(({ retryAtMs, ...failure }) => ({
      ...failure,
      retryMs: wall(retryAtMs),
    })),
    next: { kind, dueMs: wall(dueMs) },
  };
}

/** How the node ended the pod, with its times by the wall clock. */
function evictionOf(
  uid: string,
  { core, clock }: PodReportDeps,
  nowMs: number,
): ExplainFacts["eviction"] {
  const note = core.statuses.eviction(uid);
  if (note === undefined) return undefined;
  const state = core.agent.evicted.stateOf(uid);
  if (state?.kind !== "pauses") return { ...note, returns: state };
  const dueMs = nowMs + state.untilMs - clock.monotonic();
  return { ...note, returns: { kind: "pauses", dueMs } };
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
  return other && {
    uid: other.uid,
    isEnding: other.state.kind !== "syncing",
    isKept: stopOf(other.state)?.kind === "deferred",
  };
}

/** The pod that wants the name of another one, of which one is the cluster's. */
function clashOf(
  worker: WorkerView,
  workers: readonly WorkerView[],
): ExplainFacts["clash"] {
  const isOfCluster = ({ state: { pod } }: WorkerView): boolean =>
    sourceOf(pod?.metadata.annotations) === "api";
  const isOwn = !isOfCluster(worker);
  const other = workers.find((each) =>
    each.uid !== worker.uid && each.fullName === worker.fullName &&
    each.state.kind === "syncing" && isOfCluster(each) === isOwn
  );
  return other && { uid: other.uid, isOwn };
}

/** The other pods that have a share of the node. */
function othersOf(
  uid: string,
  workers: readonly WorkerView[],
  core: ViewedCore,
): readonly Pod[] {
  return workers.flatMap((worker) => {
    const { state } = worker;
    const isHolder = state.kind === "syncing" || state.kind === "terminating";
    return state.pod === undefined || worker.uid === uid || !isHolder ||
        core.agent.pendingVerdict(worker.uid) !== undefined
      ? []
      : [state.pod];
  });
}

function brokenManifestOf(
  pod: Pod,
  core: ViewedCore,
): BrokenManifest | undefined {
  const { uid } = pod.metadata;
  for (const source of core.sources.values()) {
    for (const report of source.report()) {
      if (report.kind !== "last_good") continue;
      if (!report.pods.some(({ metadata }) => metadata.uid === uid)) continue;
      return {
        file: report.file,
        text: report.faults.map(formatFault).join("; "),
        sinceMs: brokenSince(report.file, { uid, source, core }),
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
  { uid, source, core }: {
    readonly uid: string;
    readonly source: ViewedSource;
    readonly core: ViewedCore;
  },
): number | undefined {
  const condition = source.conditions().find(({ type, status }) =>
    type === "ManifestsValid" && status === "False"
  );
  const event = core.events.list({ uid }).findLast(({ facts }) =>
    facts?.kind === "broken_manifest" && facts.file === file
  );
  if (condition === undefined) return event?.firstMs;
  const { sinceMs } = condition;
  return Math.max(sinceMs, event?.firstMs ?? sinceMs);
}

function originOf(pod: Pod, core: ViewedCore): PodOrigin | undefined {
  const name = sourceOf(pod.metadata.annotations);
  const source = name === undefined ? undefined : core.sources.get(name);
  // Of a cluster that was left its server is not known any more.
  if (name === undefined || name === "api" && source === undefined) {
    return undefined;
  }
  return { name, location: source?.location ?? "" };
}

function silentSourceOf(pod: Pod, core: ViewedCore): string | undefined {
  const name = sourceOf(pod.metadata.annotations);
  if (name === undefined || core.sourcesReady.isReady(name)) return undefined;
  return originOf(pod, core)?.location ?? name;
}

function silentServerOf(
  pod: Pod,
  core: ViewedCore,
): ExplainFacts["silentServer"] {
  const { server, location = "" } =
    core.sources.get(sourceOf(pod.metadata.annotations) ?? "file") ?? {};
  return server?.silence && { location, ...server.silence };
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
