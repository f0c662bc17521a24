/**
 * Sets of pods that tell from their inside whether they are whole.
 *
 * @module
 */

import type { SourceContent } from "../../../mod/source/merge/mod.ts";
import { container, pod } from "../pods.ts";

/** The set of a number: so many pods, each with the number in it. */
export function checkpointContent(round: number): SourceContent {
  const count = 1 + round % 50;
  const pods = Array.from({ length: count }, (_, at) =>
    pod({
      name: `pod-${at}`,
      uid: `${round}-${at}`,
      containers: [container("main", { image: `image:${round}` })],
    }));
  return { pods, objects: [], workloads: [] };
}

/** The number of a set; fails unless all of the set is there. */
export function roundOf({ pods }: SourceContent): number {
  const [round = ""] = pods[0]?.metadata.uid.split("-") ?? [];
  const whole = checkpointContent(Number(round)).pods;
  if (JSON.stringify(whole) !== JSON.stringify(pods.map(inOrder))) {
    throw new Error(`The set ${round} is not whole: ${JSON.stringify(pods)}`);
  }
  return Number(round);
}

// A record orders the keys of objects in its own way.
function inOrder(pod: SourceContent["pods"][number]): unknown {
  const { apiVersion, kind, metadata, spec } = pod;
  const { name, namespace, uid } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid },
    spec: {
      containers: spec.containers.map(({ name, image }) => ({ name, image })),
    },
  };
}
