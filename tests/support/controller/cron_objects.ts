/**
 * CronJobs and looks at them, for tests.
 *
 * @module
 */

import type { CronJob, Job } from "../../../mod/api/workload/mod.ts";
import {
  cronJobController,
  type CronStatus,
} from "../../../mod/controller/cron/mod.ts";
import {
  type Change,
  controllerReference,
  type Wishes,
} from "../../../mod/controller/run/mod.ts";

/** When the CronJob was made: a minute before an hour. */
export const MADE = "2026-05-01T11:59:00Z";

/** An hourly CronJob. */
export function cronJob(
  spec: Partial<CronJob["spec"]> = {},
  status: CronStatus | undefined = undefined,
): CronJob {
  return {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: {
      name: "tidy",
      namespace: "shop",
      uid: "cron",
      creationTimestamp: MADE,
    },
    spec: {
      schedule: "0 * * * *",
      concurrencyPolicy: "Allow",
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
      jobTemplate: {
        spec: {
          parallelism: 1,
          backoffLimit: 6,
          completionMode: "NonIndexed",
          suspend: false,
          template: { spec: { containers: [] } },
        },
      },
      ...spec,
    },
    ...(status !== undefined && { status }),
  };
}

/** What a Job of {@linkcode cronJob} is. */
export interface RunOptions {
  /** When it was due. */
  readonly due?: string;
  readonly over?: "Complete" | "Failed";
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly deleting?: true;
  readonly isForeign?: true;
}

/** A Job of that name; its UID is its name. */
export function runOf(name: string, options: RunOptions = {}): Job {
  const { due, over, startTime, completionTime } = options;
  const key = "batch.kubernetes.io/cronjob-scheduled-timestamp";
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name,
      namespace: "shop",
      uid: name,
      ...(due !== undefined && { annotations: { [key]: due } }),
      ...(options.deleting && { deletionTimestamp: MADE }),
      ...(!options.isForeign &&
        { ownerReferences: [controllerReference(cronJob())] }),
    },
    spec: { ...cronJob().spec.jobTemplate.spec, selector: {} },
    status: {
      ...(startTime !== undefined && { startTime }),
      ...(completionTime !== undefined && { completionTime }),
      ...(over !== undefined &&
        { conditions: [{ type: over, status: "True" }] }),
    },
  };
}

/** How a status names a Job. */
export function activeRun(name: string): NonNullable<
  CronStatus["active"]
>[number] {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    name,
    namespace: "shop",
    uid: name,
  };
}

/** One look. */
export class CronStep {
  readonly wishes: Wishes<CronStatus>;

  constructor(cron: CronJob, jobs: readonly Job[], now: string) {
    this.wishes = cronJobController.step({ cron, jobs }, Date.parse(now));
  }

  /** What is done, as `create:tidy-1` or `delete:tidy-1`. */
  get done(): string {
    return this.wishes.changes.map((change) =>
      `${change.verb}:${nameOf(change)}`
    )
      .join(" ");
  }

  get status(): CronStatus {
    return this.wishes.status?.([]) ?? {};
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

function nameOf(change: Change): string | undefined {
  return change.verb === "create"
    ? change.object.metadata.name
    : change.ref.name;
}

/** What the run is called that is due at a time. */
export function runName(due: string): string {
  return `tidy-${Date.parse(due) / 60_000}`;
}
