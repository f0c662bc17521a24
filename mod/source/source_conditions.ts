/**
 * How well a source does, as conditions.
 *
 * @module
 */

import { type Moment, wallTimeOf } from "../base/mod.ts";
import type { FileReport } from "./file_state.ts";

/** One thing that is well with a source, or not. */
export interface SourceCondition {
  /**
   * Whether the source gives anything that counts, whether all of that can be used,
   * and whether it is kept for a restart.
   */
  readonly type: "Reachable" | "ManifestsValid" | "Checkpointed";
  readonly status: "True" | "False";
  /** One word in CamelCase. */
  readonly reason: string;
  /** Empty when all is well. */
  readonly message: string;
  /** Since when the status is what it is, by the wall clock as it goes now. */
  readonly sinceMs: number;
}

/** Why a checkpoint cannot be written. */
export interface CheckpointFailure {
  readonly message: string;
  /** When it was refused first, by the wall clock as it goes now. */
  readonly sinceMs: number;
}

/** A report and what it says in words. */
export interface DescribedReport {
  readonly report: FileReport;
  readonly text: string;
}

/** Remembers since when a source does well, or does not. Empty before the first look. */
export class SourceConditions {
  readonly #start: Moment;
  #held: readonly HeldCondition[] = [];

  /** @param start From then on the source is kept, if nothing fails. */
  constructor(start: Moment) {
    this.#start = start;
  }

  /** The conditions as they were at the last look, and whether what it gave is kept. */
  list(
    now: Moment,
    failure: CheckpointFailure | undefined,
  ): readonly SourceCondition[] {
    if (this.#held.length === 0) return [];
    const kept = this.#held.map(({ since, ...condition }) => ({
      ...condition,
      sinceMs: wallTimeOf(since, now),
    }));
    const type = "Checkpointed";
    const sinceMs = wallTimeOf(this.#start, now);
    return [
      ...kept,
      failure === undefined
        ? { type, status: "True", reason: "Kept", message: "", sinceMs }
        : { type, status: "False", reason: "FailedCheckpoint", ...failure },
    ];
  }

  /** Takes all that is wrong with the source at one look. */
  update(reports: readonly DescribedReport[], now: Moment): void {
    const { outages = [], faults = [] } = Object.groupBy(
      reports,
      ({ report }) => report.kind === "unreachable" ? "outages" : "faults",
    );
    this.#held = [
      this.#next({ type: "Reachable", well: "Answers" }, outages, now),
      this.#next({ type: "ManifestsValid", well: "Valid" }, faults, now),
    ];
  }

  #next(
    { type, well }: Pick<HeldCondition, "type"> & { readonly well: string },
    reports: readonly DescribedReport[],
    now: Moment,
  ): HeldCondition {
    const [first] = reports;
    const status = first === undefined ? "True" : "False";
    const before = this.#held.find((condition) => condition.type === type);
    const since = before?.status === status ? before.since : now;
    const reason = first === undefined ? well : reasonOf(first.report);
    return { type, status, reason, message: textOf(reports), since };
  }
}

type HeldCondition = Omit<SourceCondition, "sinceMs"> & {
  readonly since: Moment;
};

const REASONS: Readonly<Record<FileReport["kind"], string>> = {
  refused: "InvalidManifest",
  last_good: "InvalidManifest",
  duplicate: "DuplicatePod",
  duplicate_object: "DuplicateObject",
  unreachable: "Unreachable",
};

function reasonOf(report: FileReport): string {
  const fault = report.kind === "unreachable" ? report.fault : undefined;
  return fault ?? REASONS[report.kind];
}

// A thousand manifests may be bad at once; the log and events name each.
const SHOWN = 3;

function textOf(reports: readonly DescribedReport[]): string {
  const more = reports.length - SHOWN;
  return [
    // What is said of the source itself names it already.
    ...reports.slice(0, SHOWN).map(({ report: { kind, file }, text }) =>
      kind === "unreachable" ? text : `${file}: ${text}`
    ),
    ...more > 0 ? [`and ${more} more`] : [],
  ].join("; ");
}
