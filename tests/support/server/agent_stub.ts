/**
 * A control server over pods and logs that a test holds in its hands.
 *
 * @module
 */

import type { Pod } from "../../../mod/api/types/mod.ts";
import type { Clock } from "../../../mod/base/mod.ts";
import { type Logger, silentLogger } from "../../../mod/base/telemetry/mod.ts";
import {
  ControlServer,
  type ControlServerDeps,
  type EventFeed,
  type HealthProblem,
  type ImageState,
  type LogLocation,
  type LogRequest,
  type NodeStats,
  type PodReport,
  type SourceState,
} from "../../../mod/server/mod.ts";
import type { NodeObjects } from "../../../mod/server/objects/mod.ts";
import { FakeClock } from "../fake_clock.ts";
import { pod } from "../pods.ts";

/** What the stub answers from; a test changes it at will. */
export class AgentStub {
  pods: readonly Pod[] = [];
  sources: readonly SourceState[] = [];
  /** Or why the runtime does not say. */
  images: readonly ImageState[] | Error = [];
  /** Or why the runtime does not say. */
  stats: (what: "memory" | "all") => NodeStats | Error = () =>
    new Error("no figures");
  problems: readonly HealthProblem[] = [];
  events: EventFeed = {
    list: () => ({ resourceVersion: "1", items: [] }),
    async *watch() {},
  };
  /** Absent as long as the agent starts. */
  objects: NodeObjects | undefined = undefined;
  report: (namespace: string, name: string) => PodReport | undefined = () =>
    undefined;
  locate: (request: LogRequest) => LogLocation = () => ({
    kind: "not_found",
    message: "no log",
  });

  log: Logger = silentLogger;

  readonly #clock: Clock;

  /** Followed logs are looked at by `clock`. */
  constructor(clock: Clock = new FakeClock()) {
    this.#clock = clock;
  }

  /** Listens on `path` until the returned server is disposed. */
  serve(path: string): Promise<ControlServer> {
    const objects = (): NodeObjects | undefined => this.objects;
    const deps: ControlServerDeps = {
      view: {
        get objects() {
          return objects();
        },
        checks: ["ping"],
        pods: () => this.pods,
        report: (namespace, name) => this.report(namespace, name),
        sources: () => this.sources,
        images: () =>
          this.images instanceof Error
            ? Promise.reject(this.images)
            : Promise.resolve(this.images),
        stats: (what) => {
          const stats = this.stats(what);
          return stats instanceof Error
            ? Promise.reject(stats)
            : Promise.resolve(stats);
        },
        events: {
          list: () => this.events.list(),
          watch: (signal, options) => this.events.watch(signal, options),
        },
        problems: () => this.problems,
        metrics: () => "# TYPE up gauge\nup 1\n",
        probeMetrics: () => "# TYPE prober_probe_total counter\n",
        locateLog: (request) => this.locate(request),
      },
      version: { version: "0.0.0-test" },
      clock: this.#clock,
      log: this.log,
    };
    return ControlServer.start({ path, stagingPath: `${path}.new` }, deps);
  }
}

/** A pod of namespace `default` on node `n1` with one container `c`. */
export function stubPod(name: string, namespace: string = "default"): Pod {
  return pod({
    name,
    namespace,
    uid: `uid-${namespace}-${name}`,
    nodeName: "n1",
    status: { phase: "Running" },
  });
}
