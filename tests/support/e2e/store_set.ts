/**
 * A StatefulSet for tests on a real runtime, each of whose pods notes its starts in its claim.
 *
 * @module
 */

import type { Pod } from "../../../mod/api/types/mod.ts";
import { BUSYBOX_IMAGE } from "../../../scripts/lib/containerd_rig.ts";
import { runningContainers } from "../../../scripts/lib/pod_views.ts";
import { claim } from "../local_objects.ts";

/** The manifest of a version with so many replicas. */
export function storeSet(
  replicas: number,
  version: string,
): Record<string, unknown> {
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "store" },
    spec: {
      serviceName: "store",
      replicas,
      selector: { matchLabels: { app: "store" } },
      template: {
        metadata: { labels: { app: "store", version } },
        spec: {
          terminationGracePeriodSeconds: 1,
          containers: [{
            name: "database",
            image: BUSYBOX_IMAGE,
            imagePullPolicy: "Never",
            command: [
              "sh",
              "-c",
              "echo $HOSTNAME >> /data/starts; cat /data/starts; exec sleep 1d",
            ],
            volumeMounts: [{ name: "data", mountPath: "/data" }],
          }],
        },
      },
      volumeClaimTemplates: [claim("data")],
    },
  };
}

/** Which of its pods run in a version, by name. */
export function storesOf(pods: readonly Pod[], version: string): string {
  return pods.filter((pod) =>
    runningContainers(pod) === 1 &&
    pod.metadata.labels?.["app"] === "store" &&
    pod.metadata.labels["version"] === version
  ).map(({ metadata }) => metadata.name).toSorted().join();
}
