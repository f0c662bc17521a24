/**
 * Images: when one is pulled, beside how many others, and how long after a failure again.
 *
 * A pull goes on by itself: one that hangs holds one slot and up neither pods with other
 * images nor the other containers of its own pod. Pods that want the same image share one
 * pull. The runtime is asked again for an image that it may have lost.
 *
 * @example The images of a pod
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { imagesOf } from "./mod.ts";
 *
 * const pod = {
 *   apiVersion: "v1" as const,
 *   kind: "Pod" as const,
 *   metadata: { name: "web", namespace: "shop", uid: "u1" },
 *   spec: { containers: [{ name: "c", image: "busybox" }] },
 * };
 * deepStrictEqual(imagesOf(pod).map(({ image }) => image), ["busybox"]);
 * ```
 *
 * @module
 */

export type { ImageOutcome, PullEnd } from "./pull_tasks.ts";
export type { ImageHold } from "./image_holds.ts";
export { listedName } from "./image_reference.ts";
export type { VerificationPolicy } from "./image_access.ts";
export { ImagePuller } from "./images.ts";
export type { PullerOptions } from "./pod_pulls.ts";
export type { ListIngests } from "./pull_progress.ts";
export { type ImageRecords, PulledImages } from "./pulled_images.ts";
export { imagesOf, pullFirst } from "./pull_first.ts";
