/**
 * What the servers show of the core, whichever core is running.
 *
 * @module
 */

import type { Pod } from "../api/types/mod.ts";
import type { Clock } from "../base/mod.ts";
import type { MetricsRegistry } from "../base/telemetry/mod.ts";
import type { EventRecorder } from "../events/mod.ts";
import type {
  AgentView,
  EventFeed,
  HealthProblem,
  ImageState,
  LogLocation,
  LogRequest,
  NodeStats,
  PodReport,
  SourceState,
} from "../server/mod.ts";
import type { NodeObjects } from "../server/objects/mod.ts";
import { eventFeed } from "./event_feed.ts";
import { locateLog } from "./locate_log.ts";
import { formatTime } from "../pod/status/mod.ts";
import type { ViewedCore } from "./ports.ts";
import { reportPod } from "./report_pod.ts";
import { viewImages } from "./view_images.ts";
import { viewPods } from "./view_pods.ts";
import { viewStats } from "./view_stats.ts";
import { viewSources } from "./view_sources.ts";

/** Upstream's syncLoopMonitor: an event loop that is stuck this long is not healthy. */
const LOOP_STUCK_MS = 5 * 60_000;

/** The lines of the metrics that upstream serves at `/metrics/probes`. */
const PROBE_METRIC = /^(?:# (?:HELP|TYPE) )?prober_/;

/** What of the agent's settings is shown; they have it under these names. */
interface AgentViewsOptions {
  readonly node: { readonly name: string };
  readonly runtime: { readonly podLogsDir: string };
}

interface AgentViewsDeps {
  readonly clock: Clock;
  readonly metrics: MetricsRegistry;
  readonly events: EventRecorder;
  /** Why the agent's disk takes no files; `undefined` while it does. */
  readonly disk: { readonly problem: string | undefined };
}

/** Answers for the servers from before the first core to after the last. */
export class AgentViews implements AgentView {
  readonly checks: readonly string[] = ["runtime", "pleg", "syncloop", "disk"];
  /** The events of all cores. */
  readonly events: EventFeed;
  readonly #config: AgentViewsOptions;
  readonly #deps: AgentViewsDeps;
  #core: ViewedCore | undefined;

  constructor(config: AgentViewsOptions, deps: AgentViewsDeps) {
    this.#config = config;
    this.#deps = deps;
    this.events = eventFeed(deps.events, { nodeName: config.node.name });
  }

  /** The objects that the core keeps; none before the first. */
  get objects(): NodeObjects | undefined {
    return this.#core?.store;
  }

  /** From now on this core is shown. */
  show(core: ViewedCore): void {
    this.#core = core;
  }

  /** The pods as clients see them. */
  pods(): readonly Pod[] {
    const core = this.#core;
    if (core === undefined) return [];
    return viewPods({
      workers: core.agent.pods(),
      statusOf: (uid) => core.statuses.get(uid),
      reports: [...core.sources.values()].flatMap((each) => each.report()),
      rolledBack: core.agent.rolledBack(),
      nodeName: this.#config.node.name,
      nowMs: this.#deps.clock.now(),
    });
  }

  /** All that is known of one pod. */
  report(namespace: string, name: string): PodReport | undefined {
    const core = this.#core;
    return core && reportPod({ namespace, name }, {
      core,
      pods: () => this.pods(),
      clock: this.#deps.clock,
      nodeName: this.#config.node.name,
    });
  }

  /** Finds the log of a container. */
  locateLog(request: LogRequest): LogLocation {
    return locateLog(request, {
      pods: () => this.pods(),
      statusOf: (uid) => this.#core?.statuses.get(uid),
      podLogsDir: this.#config.runtime.podLogsDir,
    });
  }

  /** All metrics. */
  metrics(): string {
    return this.#deps.metrics.render();
  }

  /** The metrics of probes. */
  probeMetrics(): string {
    return this.metrics().split("\n")
      .filter((line) => PROBE_METRIC.test(line))
      .map((line) => `${line}\n`).join("");
  }

  /** The sources of pods; none before the first core. */
  sources(): readonly SourceState[] {
    return this.#core === undefined ? [] : viewSources(this.#core);
  }

  /** The images on the node; none before the first core. */
  async images(): Promise<readonly ImageState[]> {
    const core = this.#core;
    const { clock } = this.#deps;
    const pods = () => this.pods();
    return core === undefined ? [] : await viewImages(core, { pods, clock });
  }

  /** What the node and its pods use. @throws {Error} When the agent starts, or nobody says */
  async stats(what: "memory" | "all"): Promise<NodeStats> {
    const core = this.#core;
    if (core === undefined) {
      throw new Error("Cannot measure pods: the agent is starting");
    }
    const { clock } = this.#deps;
    const { name: nodeName } = this.#config.node;
    return await viewStats(what, { core, pods: this.pods(), clock, nodeName });
  }

  /** What a reader of its health should know besides. */
  notes(): readonly string[] {
    const core = this.#core;
    const damage = core?.store?.damage;
    // Anybody may ask: of the server it is said that it is away, and no more.
    const { silence } = core?.sources.get("api")?.server ?? {};
    return [
      ...core?.agent.isGoingDown
        ? [
          "the node is shutting down: its pods are stopped, and start again with it",
        ]
        : [],
      ...silence === undefined ? [] : [
        `the API server has not answered since ${
          formatTime(silence.sinceMs)
        }: what it had last runs on`,
      ],
      ...damage === undefined ? [] : [
        `some objects of this node cannot be read: what belongs to one of them stays until "objects/${damage.file}" is removed and the agent started again`,
      ],
    ];
  }

  /** Why the agent is not healthy. */
  problems(): readonly HealthProblem[] {
    const core = this.#core;
    const ofCore = core === undefined
      ? { syncloop: "the agent is starting" }
      : problemsOf(core);
    const all = { ...ofCore, disk: this.#deps.disk.problem };
    return Object.entries(all).flatMap(([check, reason]) =>
      reason === undefined ? [] : [{ check, reason }]
    );
  }
}

function problemsOf({ watch, agent }: ViewedCore) {
  const pleg = watch.health();
  return {
    runtime: watch.runtimeDown,
    pleg: pleg.healthy ? undefined : pleg.message,
    syncloop: agent.idleMs < LOOP_STUCK_MS
      ? undefined
      : "the sync loop has not moved for 5m",
  };
}
