/**
 * What is kept of manifests for the next agent.
 *
 * @module
 */

import type { LocalObject } from "../api/objects/mod.ts";
import type { Pod } from "../api/types/mod.ts";

/**
 * What a store says of a key. Nothing is ended, removed or overwritten because of
 * what is `unknown`: it is asked for again.
 */
export type Kept<Content> =
  | { readonly kind: "present"; readonly content: Content }
  | { readonly kind: "absent" }
  | {
    /** The disk did not give it. */
    readonly kind: "unknown";
    readonly reason: string;
  };

/** What a manifest last gave when it was valid. */
export interface LastGood {
  /** The manifest's path. */
  readonly path: string;
  readonly pods: readonly Pod[];
  readonly objects: readonly LocalObject[];
}
