/**
 * The objects of an API server: lists, watches and writes of each kind that a node asks
 * for. What comes is checked before it is given on: an object without kind, name, uid or
 * resourceVersion is garbage, and never taken for another. Lines and answers have bounds.
 *
 * @example A list of which one object cannot be read
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { KubeKind, kubeResource } from "./mod.ts";
 *
 * const metadata = { namespace: "shop", name: "web", resourceVersion: "7" };
 * const list = {
 *   kind: "PodList",
 *   metadata: { resourceVersion: "9" },
 *   items: [{ metadata: { ...metadata, uid: "u1" } }, { metadata }],
 * };
 * const pods = new KubeKind({
 *   call: () => Promise.resolve(list),
 *   stream: () => Promise.reject(new Error("Cannot watch: it is an example")),
 * }, kubeResource({ apiVersion: "v1", kind: "Pod" }));
 * const { items } = await pods.list({}, new AbortController().signal);
 * deepStrictEqual(items.map((pod) => pod.metadata.uid), ["u1", ""]);
 * ```
 *
 * @module
 */

export {
  KubeKind,
  type KubeKindOptions,
  type KubePlace,
  type PatchOptions,
} from "./kube_kind.ts";
export { KubeObjects } from "./kube_objects.ts";
export { kubeResource } from "./kube_resources.ts";
export {
  type IssuedToken,
  requestToken,
  type TokenWish,
} from "./token_request.ts";
