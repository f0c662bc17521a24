/**
 * What is being done for a pod at a moment, in words that a program understands.
 *
 * @module
 */

/** One thing that takes its time and that a pod waits for. */
export type Activity =
  /** Others are starting; `places` may do so at once. */
  | { readonly kind: "waiting_for_start_place"; readonly places: number }
  /** A sandbox that an earlier attempt began is being waited for. */
  | { readonly kind: "waiting_for_late_sandbox" }
  | {
    readonly kind: "making_volumes" | "creating_sandbox" | "stopping_sandboxes";
  }
  | {
    /** The runtime is asked whether it has the image. */
    readonly kind: "looking_for_image";
    readonly container: string;
    readonly image: string;
  }
  | {
    readonly kind: "pulling_image";
    readonly container: string;
    readonly image: string;
    /** How many have come, if that is known. */
    readonly bytes?: number | undefined;
  }
  /** Others are pulling; `places` may do so at once. */
  | {
    readonly kind: "waiting_for_pull_place";
    readonly container: string;
    readonly image: string;
    readonly places: number;
  }
  | {
    readonly kind:
      /** All between two containers: its image, its files, its creation, its start. */
      | "starting_container"
      | "post_start_hook"
      | "pre_stop_hook"
      /** It ends after others, which have not ended yet. */
      | "waiting_for_others_to_end";
    readonly container: string;
  }
  | {
    readonly kind: "stopping_container";
    readonly container: string;
    /** All the time it has, its hook included, in seconds. */
    readonly graceSeconds: number;
  };

/** An activity that goes on. */
export type ActivityFact = Activity & {
  /** How long it has gone on, in milliseconds, whatever the wall clock did. */
  readonly forMs: number;
};
