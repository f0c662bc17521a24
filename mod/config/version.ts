/**
 * The version of skerry.
 *
 * @module
 */

import manifest from "../../deno.json" with { type: "json" };

/** The version of this skerry, as it stands in `deno.json`. */
export const VERSION: string = manifest.version;

/**
 * What a cluster and its tools are told: the release whose behaviour the agent has, by which
 * they judge what they may ask of it, and which agent it is.
 */
export const KUBELET_VERSION: string = `v1.36.2+skerry.${VERSION}`;
