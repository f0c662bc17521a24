/**
 * Keeps the logs of running containers within their size and number of files.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import type {
  Counter,
  Logger,
  MetricsRegistry,
} from "../base/telemetry/mod.ts";
import { describeError } from "../base/text/mod.ts";
import type { EventSink } from "../api/types/mod.ts";
import { pauseAfter, SHORTEST_PAUSE_MS, type SizeLook } from "./growth.ts";
import type { LogCompressor } from "./log_compressor.ts";
import { directoryOf, type LogFiles, type LogLook } from "./log_files.ts";
import type { LogParts } from "./log_names.ts";
import type { LogRuntime, RunningLog } from "./ports.ts";
import { rotateLog, type RotationDeps, tidyLog } from "./rotate.ts";

/** When logs are rotated, and how much of them stays. */
export interface RotationOptions {
  /** The directory of all logs. */
  readonly podLogsDir: string;
  /** From this size on a file is rotated; `Infinity` for never. */
  readonly maxSizeBytes: number;
  /** How many files of one container there may be, that which is written to included. */
  readonly maxFiles: number;
  /** How many containers are looked at at the same time. */
  readonly maxWorkers: number;
  /** How often each container is looked at; one that writes fast more often. */
  readonly monitorIntervalMs: number;
}

interface RotatorDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly events: EventSink;
  readonly runtime: LogRuntime;
  /** The logs of the containers that run now. */
  readonly running: () => Iterable<RunningLog>;
  readonly files: LogFiles;
  readonly compressor: LogCompressor;
}

/** The first time the container may just have ended. */
const FAILURES_TO_REPORT = 2;

/** The longest pause after failures, in intervals. */
const MOST_PAUSES = 6;

/** What is remembered of one container. */
interface Watched {
  look: SizeLook | undefined;
  dueMs: number;
  /** On the monotonic clock. */
  rotatedMs: number;
  /** How often in a row it could not be looked at or rotated. */
  failures: number;
  /** The runtime writes it elsewhere. */
  isElsewhere: boolean;
  /** There may be older files that are not compressed. */
  isPlain: boolean;
}

/**
 * Looks at the size of each log, and rotates it.
 *
 * Upstream: pkg/kubelet/logs/container_log_manager.go.
 */
export class LogRotator {
  readonly #deps: RotatorDeps;
  readonly #options: RotationOptions;
  readonly #rotation: RotationDeps;
  /** By the id of the container, as long as it runs. */
  readonly #watched = new Map<string, Watched>();
  readonly #rotations: Counter;
  readonly #failures: Counter;

  constructor(deps: RotatorDeps, options: RotationOptions) {
    const { metrics } = deps;
    this.#deps = deps;
    this.#options = options;
    this.#rotation = { ...deps, root: options.podLogsDir };
    this.#rotations = metrics.counter(
      "skerry_log_rotations_total",
      "Logs of containers that were rotated",
    );
    this.#failures = metrics.counter(
      "skerry_log_rotation_failures_total",
      "Tries to rotate the log of a container that failed",
    );
  }

  /**
   * Works until `signal` aborts.
   *
   * @throws {unknown} Its reason.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    const { monitorIntervalMs, maxSizeBytes } = this.#options;
    let pauseMs = maxSizeBytes === Infinity ? Infinity : monitorIntervalMs;
    for (;;) {
      await clock.sleep(pauseMs, signal);
      pauseMs = await this.check(signal);
    }
  }

  /**
   * Looks once at all logs that are due.
   *
   * @returns how long to wait for the next
   */
  async check(signal: AbortSignal): Promise<number> {
    const { clock } = this.#deps;
    const { monitorIntervalMs, maxWorkers } = this.#options;
    const running = new Map(
      [...this.#deps.running()].map((log) => [log.containerId, log]),
    );
    for (const id of this.#watched.keys()) {
      if (!running.has(id)) this.#watched.delete(id);
    }
    // Those that are due soon are looked at with the others.
    const untilMs = clock.monotonic() + SHORTEST_PAUSE_MS / 2;
    const due = running.values().filter(({ containerId }) =>
      (this.#watched.get(containerId)?.dueMs ?? -Infinity) <= untilMs
    );
    const work = async (): Promise<void> => {
      for (const log of due) if (!signal.aborted) await this.#tend(log, signal);
    };
    const length = Math.min(maxWorkers, running.size);
    await Promise.all(Array.from({ length }, work));
    const dueMs = Math.min(...this.#watched.values().map((each) => each.dueMs));
    const leftMs = Math.max(SHORTEST_PAUSE_MS, dueMs - clock.monotonic());
    return Math.min(monitorIntervalMs, leftMs);
  }

  async #tend(log: RunningLog, signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    const { monitorIntervalMs } = this.#options;
    const watched = this.#watchedOf(log);
    const before = watched.look;
    try {
      const found = await this.#rotation.files.look(this.#rotation.root, log);
      const { now, isRotated } = await this.#act(log, found, signal);
      watched.failures = 0;
      const pace = { ...this.#options, isRotated };
      watched.dueMs = now.atMs + pauseAfter(before, now, pace);
      watched.look = isRotated ? { ...now, bytes: 0 } : now;
    } catch (error) {
      // Every try renames a file, for nothing while the runtime is away.
      const pauses = Math.min(++watched.failures, MOST_PAUSES);
      watched.dueMs = clock.monotonic() + monitorIntervalMs * pauses;
      if (!signal.aborted) this.#report(log, watched, error);
    }
  }

  #watchedOf({ containerId }: RunningLog): Watched {
    const found = this.#watched.get(containerId);
    if (found !== undefined) return found;
    const watched: Watched = {
      look: undefined,
      dueMs: 0,
      rotatedMs: -Infinity,
      failures: 0,
      isElsewhere: false,
      isPlain: true,
    };
    this.#watched.set(containerId, watched);
    return watched;
  }

  async #act(
    log: RunningLog,
    found: LogLook,
    signal: AbortSignal,
  ): Promise<{ readonly now: SizeLook; readonly isRotated: boolean }> {
    const watched = this.#watchedOf(log);
    const atMs = this.#deps.clock.monotonic();
    switch (found.kind) {
      case "unfit":
        throw new Error(found.message);
      case "missing":
        if (!watched.isElsewhere && this.#isRunning(log)) {
          await this.#begin(log, signal);
        }
        return { now: { bytes: 0, atMs }, isRotated: false };
      case "file": {
        watched.isElsewhere = false;
        const now = { bytes: found.bytes, atMs };
        if (found.bytes >= this.#options.maxSizeBytes) {
          await this.#checkWay(log);
          await this.#rotate(log, found, signal);
          return { now, isRotated: true };
        }
        // An earlier agent may not have come to its end, or the log is fast no more.
        if (watched.isPlain && !this.#isFast(watched)) {
          await this.#checkWay(log);
          const rotated = await tidyLog(log, found, this.#rotation);
          this.#compress(log, rotated.slice(0, -1));
          watched.isPlain = false;
        }
        return { now, isRotated: false };
      }
    }
  }

  /** Others may have taken minutes, in which it ended and its logs were removed. */
  #isRunning({ containerId }: RunningLog): boolean {
    return [...this.#deps.running()].some((log) =>
      log.containerId === containerId
    );
  }

  /** Nothing is changed behind a link. */
  async #checkWay(log: RunningLog): Promise<void> {
    const { root, files } = this.#rotation;
    const fault = await files.wayFault(root, log);
    if (fault !== undefined) throw new Error(fault);
  }

  /** An earlier agent ended in the middle of a rotation, or somebody removed the file. */
  async #begin(log: RunningLog, signal: AbortSignal): Promise<void> {
    const { root, files, runtime } = this.#rotation;
    await this.#checkWay(log);
    await files.makeDirectory(directoryOf(root, log));
    await runtime.reopenContainerLog(log.containerId, { signal });
    const found = await files.look(root, log);
    if (found.kind !== "missing") return;
    const watched = this.#watchedOf(log);
    watched.isElsewhere = true;
    // Another try would come to the same.
    watched.failures = Math.max(watched.failures, FAILURES_TO_REPORT - 1);
    throw new Error(
      `Cannot find the log: the runtime does not write it below "${root}"`,
    );
  }

  async #rotate(
    log: RunningLog,
    found: Extract<LogLook, { readonly kind: "file" }>,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock } = this.#deps;
    const rotated = await rotateLog(log, found, {
      ...this.#rotation,
      maxFiles: this.#options.maxFiles,
      nowMs: clock.now(),
      signal,
    });
    this.#rotations.inc();
    const watched = this.#watchedOf(log);
    watched.isPlain = this.#isFast(watched);
    watched.rotatedMs = clock.monotonic();
    if (!watched.isPlain) this.#compress(log, rotated);
  }

  /** The files of a log that rotates all the time do not live long enough to be compressed. */
  #isFast({ rotatedMs }: Watched): boolean {
    const sinceMs = this.#deps.clock.monotonic() - rotatedMs;
    return sinceMs < this.#options.monitorIntervalMs;
  }

  #compress(log: RunningLog, rotated: LogParts["rotated"]): void {
    const directory = directoryOf(this.#rotation.root, log);
    for (const { name, isCompressed } of rotated) {
      if (!isCompressed) this.#deps.compressor.add(`${directory}/${name}`);
    }
  }

  #report(log: RunningLog, watched: Watched, error: unknown): void {
    this.#failures.inc();
    const { pod, container } = log;
    const message = describeError(error);
    const fields = { ...pod, container, error: message };
    if (watched.failures !== FAILURES_TO_REPORT) {
      this.#deps.log.debug("log_not_rotated", fields);
      return;
    }
    this.#deps.log.warn("log_not_rotated", fields);
    this.#deps.events.record(pod, {
      type: "Warning",
      reason: "LogRotationFailed",
      message: `Cannot rotate the log of container ${container}: ${message}`,
    });
  }
}
