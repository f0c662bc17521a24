/**
 * The pods of a DaemonSet: how one is made.
 *
 * @module
 */

import type { Pod, PodSpec } from "../../api/types/mod.ts";
import type { DaemonSet } from "../../api/workload/mod.ts";
import { defined } from "../../base/mod.ts";
import { withFailures } from "../failures/mod.ts";
import { type Change, podCreation, podFromTemplate } from "../run/mod.ts";

/** Label of a pod: the hash of the template that it was made from. */
const HASH_LABEL = "controller-revision-hash";
/** Whether a pod was made from the template with that hash. */
export function isOfHash({ metadata }: Pod, hash: string): boolean {
  return metadata.labels?.[HASH_LABEL] === hash;
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
  const annotations = withFailures(metadata.annotations, failures);
  const object = {
    ...rest,
    metadata: {
      ...metadata,
      namespace: set.metadata.namespace,
      labels: { ...metadata.labels, [HASH_LABEL]: hash },
      ...defined({ annotations }),
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
