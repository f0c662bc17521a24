/**
 * A Deployment for tests on a real runtime, whose pods say their version by a label.
 *
 * @module
 */

import type { Pod } from "../../../mod/api/types/mod.ts";
import { BUSYBOX_IMAGE } from "../../../scripts/lib/containerd_rig.ts";
import { runningContainers } from "../../../scripts/lib/pod_views.ts";

/** The manifest of a version with so many replicas. */
export function webDeployment(
  version: string,
  replicas: number,
  {
    annotations = {},
    container = {},
    name = "web",
    pod = {},
    spec = {},
  }: {
    readonly annotations?: Readonly<Record<string, string>>;
    /** What the container has beside, or instead of, what all have. */
    readonly container?: Readonly<Record<string, unknown>>;
    readonly name?: string;
    /** What its pods have beside. */
    readonly pod?: Readonly<Record<string, unknown>>;
    /** What the Deployment has beside. */
    readonly spec?: Readonly<Record<string, unknown>>;
  } = {},
): Record<string, unknown> {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "shop", annotations },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      ...spec,
      template: {
        metadata: { labels: { app: name, version } },
        spec: {
          terminationGracePeriodSeconds: 1,
          ...pod,
          containers: [{
            name: "server",
            image: BUSYBOX_IMAGE,
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

/** A test for pods: of one Deployment these versions run, whatever else is there. */
export function versionsOfAre(
  name: string,
  ...wanted: readonly string[]
): (pods: readonly Pod[]) => boolean {
  const are = versionsAre(...wanted);
  return (pods) =>
    are(pods.filter(({ metadata }) => metadata.labels?.["app"] === name));
}

function versionsOf(pods: readonly Pod[]): readonly string[] {
  return pods.map((pod) =>
    runningContainers(pod) === 1
      ? pod.metadata.labels?.["version"] ?? ""
      : `${pod.metadata.name} does not run`
  ).toSorted();
}
