/**
 * What operators are told of records.
 *
 * @module
 */

import type { EventSink, Pod, PodEvent } from "../../api/types/mod.ts";
import { podRef } from "../../api/objects/mod.ts";
import {
  type Clock,
  type Moment,
  momentOf,
  wallTimeOf,
} from "../../base/mod.ts";
import type {
  Counter,
  Gauge,
  Logger,
  MetricsRegistry,
} from "../../base/telemetry/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import type { CheckpointFailure } from "../mod.ts";
import type { SourceName } from "../merge/mod.ts";

/** Where it is told. */
export interface RecordReportsDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly events: EventSink;
}

/** Tells of records of one source that cannot be written, read or believed. */
export class RecordReports {
  readonly #source: SourceName;
  readonly #deps: RecordReportsDeps;
  readonly #failing: Gauge;
  readonly #corrupt: Counter;
  readonly #locked: Gauge;
  #failure: { readonly message: string; readonly since: Moment } | undefined;
  /** What was said last of Secrets that cannot be read. */
  #lockedWords: string | undefined;

  constructor(source: SourceName, deps: RecordReportsDeps) {
    this.#source = source;
    this.#deps = deps;
    const { metrics } = deps;
    this.#failing = metrics.gauge(
      "skerry_checkpoint_failing",
      "1 while accepted pods of a source cannot be written to disk.",
      ["source"],
    );
    this.#failing.set(0, { source });
    this.#corrupt = metrics.counter(
      "skerry_checkpoint_corrupt_total",
      "Records of accepted pods that were set aside as corrupt.",
      ["source"],
    );
    this.#locked = metrics.gauge(
      "skerry_kept_secrets_locked",
      "1 while Secrets that were kept of a source cannot be read.",
      ["source"],
    );
  }

  /** Why the disk does not take what was asked for; `undefined` when it does. */
  get failure(): CheckpointFailure | undefined {
    if (this.#failure === undefined) return undefined;
    const { message, since } = this.#failure;
    const sinceMs = wallTimeOf(since, momentOf(this.#deps.clock));
    return { message, sinceMs };
  }

  /** A write failed, or none does any more. */
  setFailure(error: unknown): void {
    const { log, clock } = this.#deps;
    const isFailing = error !== undefined;
    this.#failure = isFailing
      ? { message: describeError(error), since: momentOf(clock) }
      : undefined;
    this.#failing.set(isFailing ? 1 : 0, { source: this.#source });
    if (isFailing) log.error("checkpoint_write_failed", { error });
    else log.info("checkpoint_write_recovered");
  }

  /** A record was set aside. */
  corrupt(where: { readonly file?: string; readonly movedTo: string }): void {
    this.#corrupt.inc({ source: this.#source });
    this.#deps.log.error("checkpoint_corrupt", where);
  }

  /** What holds Secrets that cannot be read is kept beside what takes its place. */
  setAside(error: Error, movedTo: string): void {
    this.#deps.log.warn("kept_secrets_set_aside", { error, movedTo });
  }

  /** Secrets that were kept cannot be read, or can be again. Told once for each reason. */
  setLocked(
    error: Error | undefined,
    pods: readonly Pod[],
  ): void {
    this.#locked.set(error === undefined ? 0 : 1, { source: this.#source });
    const words = error?.message;
    if (words === this.#lockedWords) return;
    this.#lockedWords = words;
    if (words === undefined) {
      return this.#deps.log.info("kept_secrets_unlocked");
    }
    this.#deps.log.error("kept_secrets_locked", { error });
    this.tell(pods, {
      type: "Warning",
      reason: "KeptSecretsLocked",
      message:
        `${words}; what the pod needs of them comes with the API server, or with the key`,
    });
  }

  /** Records an event of each pod. */
  tell(pods: readonly Pod[], event: PodEvent): void {
    for (const pod of pods) this.#deps.events.record(podRef(pod), event);
  }
}
