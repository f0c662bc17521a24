/**
 * Jobs and CronJobs for tests on a real runtime.
 *
 * @module
 */

import type { Pod } from "../../../mod/api/types/mod.ts";
import { BUSYBOX_IMAGE } from "../../../scripts/lib/containerd_rig.ts";

/** What a Job has beside its command. */
export interface JobDraft {
  /** Fields of the Job. */
  readonly spec?: Readonly<Record<string, unknown>>;
  /** Fields of its pods. */
  readonly pod?: Readonly<Record<string, unknown>>;
  /** Fields of their container. */
  readonly container?: Readonly<Record<string, unknown>>;
}

/** The manifest of a Job whose pods run a command once. */
export function jobManifest(
  name: string,
  command: readonly string[],
  draft: JobDraft = {},
): Record<string, unknown> {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name },
    spec: jobSpec(command, draft),
  };
}

/** The manifest of a CronJob whose Jobs run a command. */
export function cronJobManifest(
  name: string,
  { schedule, command, draft = {} }: {
    readonly schedule: string;
    readonly command: readonly string[];
    /** What its Jobs have beside. */
    readonly draft?: JobDraft;
  },
): Record<string, unknown> {
  return {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name },
    spec: { schedule, jobTemplate: { spec: jobSpec(command, draft) } },
  };
}

function jobSpec(
  command: readonly string[],
  { spec = {}, pod = {}, container = {} }: JobDraft,
): Record<string, unknown> {
  return {
    ...spec,
    template: {
      spec: {
        restartPolicy: "Never",
        terminationGracePeriodSeconds: 1,
        ...pod,
        containers: [{
          name: "work",
          image: BUSYBOX_IMAGE,
          imagePullPolicy: "Never",
          command,
          ...container,
        }],
      },
    },
  };
}

/** The phases of pods, in order. */
export function phasesOf(pods: readonly Pod[]): string {
  return pods.map(({ status }) => status?.phase ?? "").toSorted().join();
}
