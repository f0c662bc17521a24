/**
 * What a look at a Job wishes, in words.
 *
 * @module
 */

import type { ApiFailure } from "../../../mod/api/access/mod.ts";
import type { Pod } from "../../../mod/api/types/mod.ts";
import type { Job } from "../../../mod/api/workload/mod.ts";
import { isRecord } from "../../../mod/base/mod.ts";
import type {
  Change,
  ChangeFailure,
  Wishes,
} from "../../../mod/controller/run/mod.ts";
import {
  jobController,
  type JobStatus,
} from "../../../mod/controller/job/mod.ts";
import { JOB_NOW_MS } from "./job_objects.ts";

/** One look. */
export class JobStep {
  readonly wishes: Wishes<JobStatus>;

  constructor(job: Job, pods: readonly Pod[], nowMs: number = JOB_NOW_MS) {
    const seen = { job, candidates: pods, strays: [] };
    this.wishes = jobController.step(seen, nowMs);
  }

  /** What is done, as `create 2` or `untrack a`. */
  get done(): string {
    return this.wishes.changes.map(wordsOf).join(" ");
  }

  /** The status when all is done. */
  get status(): JobStatus {
    return this.statusAfter([]);
  }

  statusAfter(failures: readonly ChangeFailure[]): JobStatus {
    return this.wishes.status?.(failures) ?? {};
  }

  /** The status after the changes of a verb failed. */
  statusWithout(verb: Change["verb"], failure: ApiFailure): JobStatus {
    return this.statusAfter(
      this.wishes.changes.filter((change) => change.verb === verb)
        .map((change) => ({ change, failure })),
    );
  }

  /** The conditions as `Complete=True:CompletionsReached`. */
  get conditions(): string {
    return (this.status.conditions ?? []).map(({ type, status, reason }) =>
      `${type}=${status}:${reason}`
    ).join(" ");
  }

  get events(): string {
    return (this.wishes.events ?? []).map(({ reason }) => reason).join(" ");
  }

  /** When it looks again, in seconds. */
  get againAfter(): number | undefined {
    const { againAfterMs } = this.wishes;
    return againAfterMs === undefined ? undefined : againAfterMs / 1000;
  }
}

function wordsOf(change: Change): string {
  if (change.verb === "create") {
    const { annotations = {} } = change.object.metadata;
    const index = annotations["batch.kubernetes.io/job-completion-index"];
    return index === undefined ? "create" : `create:${index}`;
  }
  const { name } = change.ref;
  if (change.verb === "delete") return `delete:${name}`;
  if (change.isAdoption) return `adopt:${name}`;
  const { metadata } = change.patch;
  const isRelease = isRecord(metadata) && "ownerReferences" in metadata;
  return `${isRelease ? "release" : "untrack"}:${name}`;
}
