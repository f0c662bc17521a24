/**
 * The kubelet's own flags: their names, what each of them means to the agent, and how they are
 * read.
 *
 * A flag is a field of the KubeletConfiguration, a flag of `skerry run`, or of no effect, which
 * is said in words. One that the kubelet does not know is refused.
 *
 * @example Flags as tools give them
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { readKubeletFlags } from "./mod.ts";
 *
 * const read = readKubeletFlags([
 *   "--kubeconfig=/etc/kubernetes/kubelet.conf",
 *   "--max-pods",
 *   "50",
 *   "-v4",
 * ], new Map());
 * deepStrictEqual(read.runArguments, [
 *   "--kubeconfig=/etc/kubernetes/kubelet.conf",
 * ]);
 * deepStrictEqual(read.fields.get("maxPods"), { flag: "max-pods", value: 50 });
 * deepStrictEqual(read.fields.get("logging.verbosity")?.value, 4);
 * ```
 *
 * @module
 */

export type { FlagForm, FlagMeaning, KubeletFlag } from "./kubelet_flag.ts";
export {
  type FlagField,
  KUBELET_FLAGS,
  type KubeletFlagFault,
  type KubeletFlagReading,
  readKubeletFlags,
} from "./read_kubelet_flags.ts";
