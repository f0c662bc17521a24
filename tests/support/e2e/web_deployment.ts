/**
 * A Deployment for tests on a real runtime, whose pods say their version by a label.
 *
 * @module
 */

import type { Pod } from "../../../mod/api/types/mod.ts";
import { runningContainers } from "../../../scripts/lib/pod_views.ts";

/** The manifest of a version with so many replicas. */
export function webDeployment(
  version: string,
  replicas: number,
  {
    annotations = {},
    container = {},
    spec = {},
  }: {
    readonly annotations?: Readonly<Record<string, string>>;
    /** What the container has beside, or instead of, what all have. */
    readonly container?: Readonly<Record<string, unknown>>;
    /** What the Deployment has beside. */
    readonly spec?: Readonly<Record<string, unknown>>;
  } = {},
): Record<string, unknown> {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "shop", annotations },
    spec: {
      replicas,
      selector: { matchLabels: { app: "web" } },
      ...spec,
      template: {
        metadata: { labels: { app: "web", version } },
        spec: {
          terminationGracePeriodSeconds: 1,
          containers: [{
            name: "server",
            image: "localhost/busybox:1.35",
            imagePullPolicy: "Never",
            command: ["sleep", "1d"],
            ...container,
          }],
        },
      },
    },
  };
}

/** A test for pods: these versions run, and nothing else is there. */
export function versionsAre(
  ...wanted: readonly string[]
): (pods: readonly Pod[]) => boolean {
  return (pods) => versionsOf(pods).join() === wanted.toSorted().join();
}

function versionsOf(pods: readonly Pod[]): readonly string[] {
  return pods.map((pod) =>
    runningContainers(pod) === 1
      ? pod.metadata.labels?.["version"] ?? ""
      : `${pod.metadata.name} does not run`
  ).toSorted();
}
