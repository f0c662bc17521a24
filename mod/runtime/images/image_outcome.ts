/**
 * How asking for an image ends.
 *
 * @module
 */

import type { Image } from "../../cri/model/mod.ts";
import type {
  ImageFailureReason,
  StartFailure,
} from "../../pod/lifecycle/mod.ts";

/** The image is there, or why it is not; reasons as the kubelet spells them. */
export type PullEnd =
  | {
    readonly kind: "present";
    /** What CreateContainer is told: the image's id, or what the pull answered. */
    readonly imageRef: string;
    /** The user that the image declares. */
    readonly image: Pick<Image, "uid" | "username">;
  }
  | (StartFailure & {
    readonly kind: "failed";
    readonly reason: ImageFailureReason;
  });

/** That, or the image is still being pulled: its pod is told when that has ended. */
export type ImageOutcome = PullEnd | { readonly kind: "pulling" };

/**
 * What has come of fetching an image ahead: its first pull goes on, is over, or failed.
 * One that waits for its place for as long as a pull may take counts as failed.
 */
export type Fetched = "pulling" | "over" | "failed";
