/**
 * Images: when one is pulled, with how many others, and after what pause again. One pull of an image serves all that wait for it.
 *
 * @module
 */

export type { ImageOutcome, PullEnd } from "./image_outcome.ts";
export { ImagePuller } from "./images.ts";
export { imagesOf } from "./pod_images.ts";
export { pullFirst } from "./pull_first.ts";
