/**
 * Manifests of workloads at random.
 *
 * @module
 */

import type { Random } from "../../../mod/base/mod.ts";
import { below, pick } from "../fuzz/fuzz.ts";

const KINDS = [
  "Deployment",
  "Deployment",
  "Deployment",
  "StatefulSet",
  "StatefulSet",
  "DaemonSet",
  "ReplicaSet",
  "ReplicationController",
  "Job",
  "Job",
  "CronJob",
] as const;

/** What they are called. */
export const WISHED_NAMES = ["a", "b", "c"] as const;

/** What a manifest says. */
export interface Wish {
  readonly kind: typeof KINDS[number];
  readonly name: string;
  readonly size: number;
  readonly image: string;
  readonly isPaused: boolean;
  /** Which of the ways in which such a thing can be set up, from 0 to 7. */
  readonly way: number;
  readonly ttl?: number;
}

/** Which kinds are wished. */
export type WishedKinds = readonly [Wish["kind"], ...Wish["kind"][]];

/** A wish for one of three names. */
export function wishFor(
  random: Random,
  kinds: WishedKinds = KINDS,
): Wish {
  const kind = pick(random, kinds);
  const size = below(random, 4);
  return {
    kind,
    name: pick(random, WISHED_NAMES),
    size: kind === "Job" ? size + 1 : size,
    image: pick(random, ["good:1", "good:2", "bad:1"]),
    isPaused: random.next() < 0.1,
    way: below(random, 8),
    ...(kind === "Job" && random.next() < 0.3 && { ttl: below(random, 60) }),
  };
}

const VERSIONS: Readonly<Record<Wish["kind"], string>> = {
  Deployment: "apps/v1",
  StatefulSet: "apps/v1",
  DaemonSet: "apps/v1",
  ReplicaSet: "apps/v1",
  ReplicationController: "v1",
  Job: "batch/v1",
  CronJob: "batch/v1",
};

/** The manifest of a wish, as JSON. */
export function manifestOf(wish: Wish): string {
  const { kind, name, way } = wish;
  const goesBack = kind === "Deployment" && way % 2 === 0;
  const annotations = { "skerry.dev/rollback-on-deadline": `${goesBack}` };
  return JSON.stringify({
    apiVersion: VERSIONS[kind],
    kind,
    metadata: { name, namespace: "shop", ...(goesBack && { annotations }) },
    spec: specOf(wish),
  });
}

function specOf(wish: Wish): unknown {
  const { kind, way, name, size: replicas, image } = wish;
  const labels = { app: name };
  const containers = [{ name: "main", image }];
  const pods = {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers } },
  };
  switch (kind) {
    case "Deployment":
      return { replicas, ...pods, ...rolloutOf(wish) };
    case "StatefulSet":
      return {
        replicas,
        ...pods,
        serviceName: "s",
        // It cannot change: by the way, a set of a broken template could not be mended.
        podManagementPolicy: name === "a" ? "Parallel" : "OrderedReady",
        updateStrategy: {
          type: "RollingUpdate",
          rollingUpdate: { maxUnavailable: 1 + way % 2 },
        },
        ...(way > 5 && { minReadySeconds: 3 }),
        volumeClaimTemplates: [CLAIM],
      };
    case "DaemonSet": {
      const rollingUpdate = way % 2 === 0
        ? { maxSurge: 1, maxUnavailable: 0 }
        : { maxUnavailable: 1 };
      const updateStrategy = { type: "RollingUpdate", rollingUpdate };
      return { ...pods, updateStrategy };
    }
    case "ReplicaSet":
      return { replicas, ...pods };
    case "ReplicationController":
      return { replicas, ...pods, selector: labels };
    case "Job":
      return jobOf(wish);
    case "CronJob":
      return {
        schedule: "* * * * *",
        concurrencyPolicy: ["Allow", "Forbid", "Replace"][way % 3],
        successfulJobsHistoryLimit: way % 3,
        jobTemplate: {
          spec: { ...jobOf(wish), completions: 1, parallelism: 1 },
        },
      };
  }
}

function rolloutOf({ way, isPaused }: Wish): object {
  const rollingUpdate = { maxSurge: way % 2, maxUnavailable: 1 };
  return {
    paused: isPaused,
    revisionHistoryLimit: way % 3,
    progressDeadlineSeconds: 20,
    ...(way > 5 && { minReadySeconds: 3 }),
    strategy: way % 4 === 0
      ? { type: "Recreate" }
      : { type: "RollingUpdate", rollingUpdate },
  };
}

function jobOf({ way, size, ttl, image }: Wish): object {
  return {
    completions: Math.max(1, size),
    parallelism: 1 + way % 3,
    // It fails often, and succeeds in the end.
    backoffLimit: 1000,
    ...(way > 4 && { completionMode: "Indexed" }),
    ...(way === 7 && { backoffLimitPerIndex: 1000 }),
    ...(way === 3 && { podReplacementPolicy: "Failed" }),
    ...(ttl !== undefined && { ttlSecondsAfterFinished: ttl }),
    template: {
      spec: {
        restartPolicy: "Never",
        containers: [{ name: "main", image }],
      },
    },
  };
}

const CLAIM = {
  metadata: { name: "data" },
  spec: {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "1Mi" } },
  },
};
