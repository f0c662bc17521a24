/**
 * What the servers show of the core, whichever core is running.
 *
 * @module
 */

import { ANNOTATION_CONFIG_SOURCE } from "../api/mod.ts";
import type { Clock, MetricsRegistry } from "../base/mod.ts";
import type { AgentConfig } from "../config/mod.ts";
import type {
  ControlServerDeps,
  HealthProblem,
  HealthSource,
  SourceState,
} from "../server/mod.ts";
import type { SourceName } from "../source/mod.ts";
import type { Core } from "./core.ts";
import { locateLog } from "./log_locator.ts";
import { viewPods } from "./pod_view.ts";
import { viewSource } from "./source_view.ts";

/** Upstream's syncLoopMonitor: an event loop that is stuck this long is not healthy. */
const LOOP_STUCK_MS = 5 * 60_000;

/** Answers for the servers from before the first core to after the last. */
export class AgentViews {
  readonly #config: AgentConfig;
  readonly #metrics: MetricsRegistry;
  #core: Core | undefined;

  constructor(
    config: AgentConfig,
    deps: { clock: Clock; metrics: MetricsRegistry },
  ) {
    this.#config = config;
    this.#metrics = deps.metrics;
  }

  /** From now on this core is shown. */
  show(core: Core): void {
    this.#core = core;
  }

  /** What the control server answers from. */
  get control(): Pick<
    ControlServerDeps,
    "pods" | "sources" | "health" | "metrics" | "logs"
  > {
    const pods = () => this.#pods();
    return {
      pods: { pods },
      sources: { sources: () => this.#sources() },
      health: this.#health,
      metrics: { render: () => this.#metrics.render() },
      logs: {
        locate: (request) =>
          locateLog(request, {
            pods,
            podLogsDir: this.#config.runtime.podLogsDir,
          }),
      },
    };
  }

  readonly #health: HealthSource = {
    checks: ["runtime", "pleg", "syncloop"],
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
    });
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
    if (core === undefined) {
      return [{ check: "syncloop", reason: "the agent is starting" }];
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
    ];
  }
}
