/**
 * Attempts of probes against servers on loopback.
 *
 * @module
 */

import type { ContainerSpec, Probe } from "../../../mod/api/types/mod.ts";
import type { Clock } from "../../../mod/base/mod.ts";
import type { ExecResult, RuntimeService } from "../../../mod/cri/model/mod.ts";
import {
  type ProbeResult,
  type ProbeTarget,
  TargetProber,
} from "../../../mod/prober/mod.ts";
import { FakeClock } from "../fake_clock.ts";
import { container, pod } from "../pods.ts";

/** What an attempt differs in. */
export interface AttemptOptions {
  /** @default a clock that stands still */
  readonly clock?: Clock;
  readonly container?: Partial<ContainerSpec>;
  /** @default 127.0.0.1 */
  readonly podIps?: readonly string[];
  readonly execSync?: RuntimeService["execSync"];
  /** @default one that answers at once */
  readonly version?: RuntimeService["version"];
  readonly signal?: AbortSignal;
  /** @default 0 */
  readonly hung?: number;
}

/** Makes one attempt. */
export function attempt(
  probe: Probe,
  options: AttemptOptions = {},
): Promise<ProbeResult> {
  const { clock = new FakeClock(), podIps = ["127.0.0.1"], hung = 0 } = options;
  const execSync = options.execSync ??
    (() => Promise.reject(new Error("no command was expected")));
  const asked = container("web", options.container);
  const target: ProbeTarget = {
    pod: pod({ containers: [asked] }),
    container: asked,
    containerId: "c1",
    podIps,
    hung,
  };
  const version = options.version ?? (() => Promise.resolve(VERSION));
  return new TargetProber({ clock, runtime: { execSync, version } })
    .run(probe, target, options.signal ?? new AbortController().signal);
}

const VERSION = {
  runtimeName: "fake",
  runtimeVersion: "1.0",
};

/** How a command ended. */
export function execResult(
  exitCode: number,
  output: { readonly stdout?: string; readonly stderr?: string } = {},
): ExecResult {
  const encoder = new TextEncoder();
  return {
    exitCode,
    stdout: encoder.encode(output.stdout ?? ""),
    stderr: encoder.encode(output.stderr ?? ""),
  };
}

/** A clock whose timers all fire so much too late, as those of an agent that stood still do. */
export class LateClock extends FakeClock {
  readonly #lateMs: number;
  #isLate = false;

  constructor(lateMs: number) {
    super();
    this.#lateMs = lateMs;
  }

  override monotonic(): number {
    return super.monotonic() + (this.#isLate ? this.#lateMs : 0);
  }

  override after(delayMs: number, callback: () => void): Disposable {
    return super.after(delayMs, () => {
      this.#isLate = true;
      callback();
    });
  }
}
