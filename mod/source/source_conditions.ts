/**
 * How well a source does, as conditions.
 *
 * @module
 */

import { type Moment, wallTimeOf } from "../base/mod.ts";
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
export interface ToldReport {
  readonly kind: FileReport["kind"];
  readonly text: string;
  readonly fault?: OutageFault | undefined;
}

/** Remembers since when a source does well, or does not. Empty before the first look. */
export class SourceConditions {
  #held: readonly HeldCondition[] = [];

  /** The conditions as they were at the last look. */
  list(now: Moment): readonly SourceCondition[] {
    return this.#held.map(({ since, ...condition }) => ({
      ...condition,
      sinceMs: wallTimeOf(since, now),
    }));
  }

  /** Takes all that is wrong with the source at one look. */
  update(reports: readonly ToldReport[], now: Moment): void {
    const { outages, faults } = sort(reports);
    this.#held = [
      this.#next("Reachable", outages, now),
      this.#next("ManifestsValid", faults, now),
    ];
  }

  #next(
    type: SourceCondition["type"],
    reports: readonly ToldReport[],
    now: Moment,
  ): HeldCondition {
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
      since: before?.status === status ? before.since : now,
    };
  }
}

type HeldCondition = Omit<SourceCondition, "sinceMs"> & {
  readonly since: Moment;
};

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
