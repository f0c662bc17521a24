/**
 * How well a source does, as conditions.
 *
 * @module
 */

import type { FileReport, OutageFault } from "./file_state.ts";

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
  /** Wall time since which the status is what it is. */
  readonly sinceMs: number;
}

/** Why a checkpoint cannot be written. */
export interface CheckpointFailure {
  readonly message: string;
  /** Wall time of the first refusal. */
  readonly sinceMs: number;
}

/** A report and what it says in words. */
export interface ToldReport {
  readonly kind: FileReport["kind"];
  readonly text: string;
  readonly fault?: OutageFault | undefined;
}

/** Remembers since when a source does well, or does not. Empty before the first look. */
export class SourceConditions {
  #held: readonly SourceCondition[] = [];

  /** The conditions as they were at the last look. */
  list(): readonly SourceCondition[] {
    return this.#held;
  }

  /** Takes all that is wrong with the source at one look, at wall time `nowMs`. */
  update(reports: readonly ToldReport[], nowMs: number): void {
    const { outages, faults } = sort(reports);
    this.#held = [
      this.#next("Reachable", outages, nowMs),
      this.#next("ManifestsValid", faults, nowMs),
    ];
  }

  #next(
    type: SourceCondition["type"],
    reports: readonly ToldReport[],
    nowMs: number,
  ): SourceCondition {
    const [first] = reports;
    const status = first === undefined ? "True" : "False";
    const before = this.#held.find((condition) => condition.type === type);
    return {
      type,
      status,
      reason: first === undefined
        ? WELL[type]
        : first.fault ?? REASONS[first.kind],
      message: textOf(reports),
      sinceMs: before?.status === status ? before.sinceMs : nowMs,
    };
  }
}

/** The condition that says whether what a source gave is kept. */
export function checkpointCondition(
  failure: CheckpointFailure | undefined,
  startMs: number,
): SourceCondition {
  const type = "Checkpointed";
  return failure === undefined
    ? {
      type,
      status: "True",
      reason: WELL[type],
      message: "",
      sinceMs: startMs,
    }
    : { type, status: "False", reason: "FailedCheckpoint", ...failure };
}

const WELL: Readonly<Record<SourceCondition["type"], string>> = {
  Reachable: "Answers",
  ManifestsValid: "Valid",
  Checkpointed: "Kept",
};

const REASONS: Readonly<Record<FileReport["kind"], string>> = {
  refused: "InvalidManifest",
  last_good: "InvalidManifest",
  duplicate: "DuplicatePod",
  duplicate_object: "DuplicateObject",
  unreachable: "Unreachable",
};

function sort(
  reports: readonly ToldReport[],
): { outages: readonly ToldReport[]; faults: readonly ToldReport[] } {
  return {
    outages: reports.filter(({ kind }) => kind === "unreachable"),
    faults: reports.filter(({ kind }) => kind !== "unreachable"),
  };
}

// A thousand manifests may be bad at once; the log and events tell of each.
const SHOWN = 3;

function textOf(reports: readonly ToldReport[]): string {
  const more = reports.length - SHOWN;
  return [
    ...reports.slice(0, SHOWN).map(({ text }) => text),
    ...more > 0 ? [`and ${more} more`] : [],
  ].join("; ");
}
