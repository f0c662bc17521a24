/**
 * The version of skerry.
 *
 * @module
 */

import manifest from "../../deno.json" with { type: "json" };

/** The version of this skerry, as it stands in `deno.json`. */
export const VERSION: string = manifest.version;
