/**
 * What the servers show of the core, whichever core is running.
 *
 * @module
 */

import type { Clock, MetricsRegistry } from "../base/mod.ts";
import type { AgentConfig } from "../config/mod.ts";
import type {
  ControlServerDeps,
  HealthProblem,
  HealthSource,
} from "../server/mod.ts";
import type { Core } from "./core.ts";
import { locateLog } from "./log_locator.ts";
import { viewPods } from "./pod_view.ts";

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
    "pods" | "health" | "metrics" | "logs"
  > {
    const pods = () => this.#pods();
    return {
      pods: { pods },
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
      workers: core.agent.workers.list(),
      statusOf: (uid) => core.statuses.get(uid),
      reports: core.fileSource.report(),
      nodeName: this.#config.node.name,
    });
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
