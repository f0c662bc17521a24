/**
 * A control server over pods and logs that a test holds in its hands.
 *
 * @module
 */

import type { Pod } from "../../../mod/api/mod.ts";
import {
  type Clock,
  silentLogger,
  systemClock,
} from "../../../mod/base/mod.ts";
import {
  ControlServer,
  type ControlServerDeps,
  type HealthProblem,
  type LogLocation,
  type LogRequest,
  type SourceState,
} from "../../../mod/server/mod.ts";

/** What the stub answers from; a test changes it at will. */
export class AgentStub {
  pods: readonly Pod[] = [];
  sources: readonly SourceState[] = [];
  problems: readonly HealthProblem[] = [];
  locate: (request: LogRequest) => LogLocation = () => ({
    kind: "not_found",
    message: "no log",
  });

  readonly #clock: Clock;

  /** Followed logs are looked at by `clock`. */
  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Listens on `path` until the returned server is disposed. */
  serve(path: string): Promise<ControlServer> {
    const deps: ControlServerDeps = {
      pods: { pods: () => this.pods },
      sources: { sources: () => this.sources },
      health: { checks: ["ping"], problems: () => this.problems },
      metrics: { render: () => "# TYPE up gauge\nup 1\n" },
      logs: { locate: (request) => this.locate(request) },
      version: { version: "0.0.0-test" },
      clock: this.#clock,
      log: silentLogger,
    };
    return ControlServer.start({ path, stagingPath: `${path}.new` }, deps);
  }
}

/** A pod of namespace `default` on node `n1` with one container `c`. */
export function stubPod(name: string, namespace: string = "default"): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, uid: `uid-${namespace}-${name}` },
    spec: { nodeName: "n1", containers: [{ name: "c", image: "i" }] },
    status: { phase: "Running" },
  };
}
