/**
 * Builds what joins a cluster, if one is configured.
 *
 * @module
 */

import { deadline } from "../../base/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import type { AgentConfig } from "../../config/mod.ts";
import type { WorkerView } from "../../agent/workers/mod.ts";
import type { KnownNode } from "../../node/mod.ts";
import type { NodePressure } from "../../pod/admission/mod.ts";
import type { RuntimePicture } from "../../picture/mod.ts";
import type { NodeFacts } from "../../runtime/spec/mod.ts";
import type { ApiPodSource } from "../../source/api/mod.ts";
import type { SourceName } from "../../source/merge/mod.ts";
import type { ViewedSource } from "../../views/mod.ts";
import { endingHere } from "./ending_here.ts";
import { JoinedCluster, type JoinedClusterDeps } from "./joined_cluster.ts";

/** What the core has of it. */
export interface JoiningDeps extends
  Omit<
    JoinedClusterDeps,
    | "allocatable"
    | "ending"
    | "hasPod"
    | "isGoingDown"
    | "mayRun"
    | "nodeName"
    | "pressures"
  > {
  readonly owned: { has(uid: string): boolean };
  readonly node: Pick<NodeFacts, "allocatable">;
  readonly picture: Pick<RuntimePicture, "listedMs" | "listing">;
  readonly agent: () => {
    readonly isGoingDown: boolean;
    pods(): readonly WorkerView[];
    pendingVerdict(uid: string): unknown;
  };
}

/** What the core has to run; nothing without a cluster. */
export interface ClusterParts {
  readonly background: readonly { run(signal: AbortSignal): Promise<void> }[];
  readonly sources: readonly Pick<ApiPodSource, "run">[];
  /** What clients see of it, among the sources of pods. */
  readonly views: readonly (readonly [SourceName, ViewedSource])[];
  /**
   * The pods that sources had which have not spoken; `undefined` while those are not known.
   *
   * @param others those of the other sources
   */
  expected(others: readonly Pod[] | undefined): readonly Pod[] | undefined;
  /** What the cluster says of the node; `undefined` when it is not known, or there is none. */
  knownNode(): KnownNode | undefined;
  /** Has a listener called when that may have changed. */
  whenNodeChanges(listener: () => void): void;
  /** Has the cluster told of shortages; gives what it was given. */
  watchPressure<T extends PressureView>(manager: T): T;
  /** Has the cluster told of the node now; waits for that, 2 s at most, and never rejects. */
  tellNode(signal: AbortSignal): Promise<void>;
}

/** Knows what the node runs short of. */
interface PressureView {
  readonly conditions: readonly NodePressure[];
  whenChanged(listener: () => void): void;
}

/** A machine that goes down does not wait longer for an API server. */
const TELL_LIMIT_MS = 2_000;

/** Joins the cluster that the settings name; nothing is asked yet. */
export async function joinCluster(
  config: AgentConfig,
  deps: JoiningDeps,
): Promise<ClusterParts> {
  const { owned, agent, node: { allocatable } } = deps;
  const viewOf = (uid: string): WorkerView | undefined =>
    agent().pods().find((each) => each.uid === uid);
  let pressure: PressureView | undefined;
  const cluster = await JoinedCluster.build(config, {
    ...deps,
    nodeName: config.node.name,
    allocatable,
    isGoingDown: () => agent().isGoingDown,
    pressures: () => pressure?.conditions ?? [],
    ending: () => endingHere({ ...deps, workers: agent().pods() }),
    hasPod: (uid) => owned.has(uid) || viewOf(uid) !== undefined,
    mayRun: (uid) => {
      // What the node does not take never ran.
      if (agent().pendingVerdict(uid) !== undefined) return false;
      const kind = viewOf(uid)?.state.kind;
      return kind === "syncing" || kind === "terminating";
    },
  });
  const parts = cluster === undefined ? [] : [cluster];
  return {
    background: parts,
    sources: parts.map(({ source }) => source),
    views: parts.map(({ view }) => ["api", view]),
    expected: (others) =>
      together(others, cluster === undefined ? [] : cluster.source.expected),
    knownNode: () => cluster?.knownNode,
    whenNodeChanges: (listener) => cluster?.whenNodeChanges(listener),
    watchPressure: (manager) => {
      pressure = manager;
      if (cluster !== undefined) manager.whenChanged(() => cluster.wakeNode());
      return manager;
    },
    tellNode: async (signal) => {
      using limit = deadline(deps.clock, TELL_LIMIT_MS, signal);
      await cluster?.tellNode(limit.signal);
    },
  };
}

/** Mostly one of them is empty; the list stays the same as long as it says the same. */
function together(
  one: readonly Pod[] | undefined,
  other: readonly Pod[] | undefined,
): readonly Pod[] | undefined {
  if (one === undefined || other === undefined) return undefined;
  if (other.length === 0) return one;
  return one.length === 0 ? other : [...one, ...other];
}
