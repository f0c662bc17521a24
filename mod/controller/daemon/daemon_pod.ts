/**
 * The pods of a DaemonSet: how one is made, and when one that failed is made again.
 *
 * @module
 */

import type { Pod, PodSpec } from "../../api/types/mod.ts";
import type { DaemonSet } from "../../api/workload/mod.ts";
import { type Change, podCreation, podFromTemplate } from "../run/mod.ts";

/** Label of a pod: the hash of the template that it was made from. */
const HASH_LABEL = "controller-revision-hash";
/**
 * Annotation of a pod: how many pods before it failed in a row. Upstream keeps that in
 * memory; here an agent that begins anew must not begin to hurry.
 */
const FAILURES = "skerry.dev/failures-before";

/** As upstream's failedPodsBackoff: the first pause, and the longest. */
const PAUSE = { baseMs: 1_000, mostMs: 15 * 60_000 };

/** As flowcontrol.Backoff: who has lived for so long begins anew. */
const FORGIVEN_MS = 2 * PAUSE.mostMs;

/** Whether a pod was made from the template with that hash. */
export function isOfHash({ metadata }: Pod, hash: string): boolean {
  return metadata.labels?.[HASH_LABEL] === hash;
}

/** How many pods before this one failed in a row. */
function failuresBefore({ metadata }: Pod): number {
  const text = metadata.annotations?.[FAILURES] ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

/**
 * How long a pod that has ended stays before it is replaced, in milliseconds: the pause is
 * counted from when it was made, as upstream.
 */
export function pauseLeftMs(pod: Pod, ageMs: number): number {
  const failures = failuresBefore(pod);
  if (failures === 0) return 0;
  const wholeMs = Math.min(PAUSE.baseMs * 2 ** (failures - 1), PAUSE.mostMs);
  return Math.max(0, wholeMs - ageMs);
}

/** How many pods failed in a row, with this one. */
export function failuresWith(pod: Pod, ageMs: number): number {
  return ageMs > FORGIVEN_MS ? 1 : failuresBefore(pod) + 1;
}

/** Makes a pod on the node. */
export function daemonCreation(
  set: DaemonSet,
  { nodeName, hash, failures }: {
    readonly nodeName: string;
    readonly hash: string;
    /** How many pods before it failed in a row. */
    readonly failures: number;
  },
): Change {
  const { metadata, spec, ...rest } = podFromTemplate(set, set.spec.template);
  const { annotations, labels } = metadata;
  const object = {
    ...rest,
    metadata: {
      ...metadata,
      namespace: set.metadata.namespace,
      labels: { ...labels, [HASH_LABEL]: hash },
      ...(failures > 0 && {
        annotations: { ...annotations, [FAILURES]: `${failures}` },
      }),
    },
    spec: { ...spec, nodeName, tolerations: tolerationsOf(spec) },
  };
  return podCreation(object);
}

type DaemonToleration = NonNullable<PodSpec["tolerations"]>[number];

/** As upstream's AddOrUpdateDaemonPodTolerations: a daemon runs where others may not. */
function tolerationsOf(spec: PodSpec): readonly DaemonToleration[] {
  const own = spec.tolerations ?? [];
  const added: readonly (readonly [string, string])[] = [
    ["not-ready", "NoExecute"],
    ["unreachable", "NoExecute"],
    ["disk-pressure", "NoSchedule"],
    ["memory-pressure", "NoSchedule"],
    ["pid-pressure", "NoSchedule"],
    ["unschedulable", "NoSchedule"],
    ...spec.hostNetwork === true
      ? [["network-unavailable", "NoSchedule"]] as const
      : [],
  ];
  const wanted = added.map(([taint, effect]): DaemonToleration => ({
    key: `node.kubernetes.io/${taint}`,
    operator: "Exists",
    effect,
  }));
  const kept = own.filter((each) =>
    !wanted.some(({ key, effect }) =>
      each.key === key && each.effect === effect
    )
  );
  return [...kept, ...wanted];
}
