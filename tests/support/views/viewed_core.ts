/**
 * A core to look at: nothing runs in it but what a test puts there.
 *
 * @module
 */

import type { Pod } from "../../../mod/api/types/mod.ts";
import type { WorkerView } from "../../../mod/agent/workers/mod.ts";
import type { Clock } from "../../../mod/base/mod.ts";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import { EventRecorder } from "../../../mod/events/mod.ts";
import type { ViewedCore, ViewedSource } from "../../../mod/views/ports.ts";
import { FakeClock } from "../fake_clock.ts";
import { workerView } from "../agent/worker_view.ts";

type Part = Exclude<
  keyof ViewedCore,
  "sources" | "events" | "connection" | "meters"
>;

/** What is there; all else is empty, ready and quiet. */
export type CoreDraft =
  & { readonly [K in Part]?: Partial<ViewedCore[K]> }
  & Partial<Pick<ViewedCore, "sources" | "events">>
  & {
    readonly images?: Partial<ViewedCore["connection"]["images"]>;
    readonly runtime?: Partial<ViewedCore["connection"]["runtime"]>;
    readonly meters?: Partial<ViewedCore["meters"]>;
  };

/** Nothing is known of what the node has left. */
const NO_FIGURES = {
  memory: undefined,
  swap: undefined,
  processes: undefined,
  cpuNanos: undefined,
  nodeFs: undefined,
  imageFs: undefined,
  containerFs: undefined,
  podsMemory: undefined,
};

/** A core with what the draft says, and nothing else. */
export function viewedCore(draft: CoreDraft = {}): ViewedCore {
  const none = () => undefined;
  return {
    agent: {
      evicted: { review: none, stateOf: none },
      pods: () => [],
      rolledBack: () => new Map(),
      outcome: none,
      pendingVerdict: none,
      resizes: { judge: none, refusalOf: none },
      idleMs: 0,
      isGoingDown: false,
      ...draft.agent,
    },
    prober: { report: () => [], ...draft.prober },
    watch: {
      health: () => ({ healthy: true, message: "" }),
      runtimeDown: undefined,
      downSince: undefined,
      ...draft.watch,
    },
    statuses: { eviction: none, get: none, ...draft.statuses },
    events: draft.events ?? recorderOn(new FakeClock()),
    sources: draft.sources ?? new Map(),
    storage: { pods: () => [], ...draft.storage },
    sourcesReady: { isReady: () => true, ...draft.sourcesReady },
    activities: { list: () => [], ...draft.activities },
    meters: {
      node: { measure: () => Promise.resolve(NO_FIGURES) },
      pods: { measure: () => Promise.resolve(new Map()) },
      ...draft.meters,
    },
    connection: {
      images: {
        listImages: () => Promise.resolve([]),
        imageFsInfo: () => Promise.resolve({ images: [], layers: [] }),
        ...draft.images,
      },
      runtime: {
        listContainers: () => Promise.resolve([]),
        listNetworkStats: () => Promise.resolve([]),
        ...draft.runtime,
      },
    },
    executor: { imageHolds: () => [], ...draft.executor },
  };
}

/** A recorder of events that writes no log. */
export function recorderOn(clock: Clock): EventRecorder {
  const metrics = new MetricsRegistry();
  return new EventRecorder({ clock, log: silentLogger, metrics });
}

/** A source that has found nothing wrong. */
export function viewedSource(rest: Partial<ViewedSource> = {}): ViewedSource {
  return { location: "/m", conditions: () => [], report: () => [], ...rest };
}

/** The workers of pods that are made to run. */
export function workersOf(...pods: readonly Pod[]): () => WorkerView[] {
  return () => pods.map((each) => workerView(each));
}
