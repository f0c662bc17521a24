/**
 * What the servers show of the core, whichever core is running.
 *
 * @module
 */

import { ANNOTATION_CONFIG_SOURCE } from "../api/vocabulary/mod.ts";
import type { Clock } from "../base/mod.ts";
import type { MetricsRegistry } from "../base/telemetry/mod.ts";
import type { AgentConfig } from "../config/mod.ts";
import type { EventRecorder } from "../events/mod.ts";
import type {
  ControlServerDeps,
  EventFeed,
  HealthProblem,
  HealthSource,
  PodReport,
  SourceState,
} from "../server/mod.ts";
import type { SourceName } from "../source/merge/mod.ts";
import { eventFeed } from "./event_feed.ts";
import { locateLog } from "./locate_log.ts";
import type { ViewedCore } from "./ports.ts";
import { reportPod } from "./report_pod.ts";
import { viewPods } from "./view_pods.ts";
import { viewSource } from "./view_source.ts";

/** Upstream's syncLoopMonitor: an event loop that is stuck this long is not healthy. */
const LOOP_STUCK_MS = 5 * 60_000;

/** Why the agent's disk takes no files; `undefined` while it does. */
export interface DiskHealth {
  readonly problem: string | undefined;
}

/** While no core is there yet. */
const NO_EVENTS: EventFeed = {
  list: () => ({ resourceVersion: "0", items: [] }),
  async *watch() {},
};

/** The lines of the metrics that upstream serves at `/metrics/probes`. */
const PROBE_METRIC = /^(?:# (?:HELP|TYPE) )?prober_/;

/** Answers for the servers from before the first core to after the last. */
export class AgentViews {
  readonly #config: AgentConfig;
  readonly #clock: Clock;
  readonly #metrics: MetricsRegistry;
  readonly #events: EventRecorder | undefined;
  readonly #disk: DiskHealth | undefined;
  #core: ViewedCore | undefined;

  /** Shows the events of each core, or those of all of them that `events` holds. */
  constructor(
    config: AgentConfig,
    deps: {
      readonly clock: Clock;
      readonly metrics: MetricsRegistry;
      readonly events?: EventRecorder;
      readonly disk?: DiskHealth;
    },
  ) {
    this.#config = config;
    this.#clock = deps.clock;
    this.#metrics = deps.metrics;
    this.#events = deps.events;
    this.#disk = deps.disk;
  }

  /** From now on this core is shown. */
  show(core: ViewedCore): void {
    this.#core = core;
  }

  /** What the control server answers from. */
  get control(): Pick<
    ControlServerDeps,
    "pods" | "reports" | "events" | "sources" | "health" | "metrics" | "logs"
  > {
    const pods = () => this.#pods();
    return {
      pods: { pods },
      reports: {
        report: (namespace, name) => this.#report({ namespace, name }),
      },
      events: {
        list: () => this.#feed.list(),
        watch: (signal, options) => this.#feed.watch(signal, options),
      },
      sources: { sources: () => this.#sources() },
      health: this.#health,
      metrics: {
        render: () => this.#metrics.render(),
        renderProbes: () => this.#renderProbes(),
      },
      logs: {
        locate: (request) =>
          locateLog(request, {
            pods,
            podLogsDir: this.#config.runtime.podLogsDir,
          }),
      },
    };
  }

  get #feed(): EventFeed {
    const recorder = this.#events ?? this.#core?.events;
    const { name: nodeName } = this.#config.node;
    return recorder === undefined
      ? NO_EVENTS
      : eventFeed(recorder, { nodeName });
  }

  readonly #health: HealthSource = {
    checks: ["runtime", "pleg", "syncloop", "disk"],
    problems: () => this.#problems(),
  };

  #pods(): ReturnType<typeof viewPods> {
    const core = this.#core;
    if (core === undefined) return [];
    return viewPods({
      workers: core.agent.pods(),
      statusOf: (uid) => core.statuses.get(uid),
      reports: [
        ...core.fileSource.report(),
        ...core.urlSource?.report() ?? [],
      ],
      rolledBack: core.agent.rolledBack(),
      nodeName: this.#config.node.name,
      nowMs: this.#clock.now(),
    });
  }

  #report(
    wanted: { readonly namespace: string; readonly name: string },
  ): PodReport | undefined {
    const core = this.#core;
    return core && reportPod(wanted, {
      core,
      pods: () => this.#pods(),
      clock: this.#clock,
      nodeName: this.#config.node.name,
    });
  }

  #renderProbes(): string {
    return this.#metrics.render().split("\n")
      .filter((line) => PROBE_METRIC.test(line))
      .map((line) => `${line}\n`).join("");
  }

  #sources(): SourceState[] {
    if (this.#core === undefined) return [];
    const { fileSource, urlSource, sourcesReady, storage } = this.#core;
    const facts = (name: SourceName) => ({
      name,
      isReady: sourcesReady.isReady(name),
      pods:
        storage.pods().filter(({ metadata: { annotations = {} } }) =>
          annotations[ANNOTATION_CONFIG_SOURCE] === name
        ).length,
    });
    return [
      viewSource(fileSource, facts("file")),
      ...urlSource === undefined ? [] : [viewSource(urlSource, facts("http"))],
    ];
  }

  #problems(): HealthProblem[] {
    const core = this.#core;
    const disk = this.#disk?.problem;
    const ofDisk = disk === undefined ? [] : [{ check: "disk", reason: disk }];
    if (core === undefined) {
      return [
        { check: "syncloop", reason: "the agent is starting" },
        ...ofDisk,
      ];
    }
    const pleg = core.pleg.health();
    const { runtimeDown } = core.pleg;
    return [
      ...(runtimeDown === undefined
        ? []
        : [{ check: "runtime", reason: runtimeDown }]),
      ...(pleg.healthy ? [] : [{ check: "pleg", reason: pleg.message }]),
      ...(core.agent.idleMs < LOOP_STUCK_MS ? [] : [{
        check: "syncloop",
        reason: "the sync loop has not moved for 5m",
      }]),
      ...ofDisk,
    ];
  }
}
