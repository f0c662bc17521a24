/**
 * What a whole agent tells of its pods, asked as `skerry explain` asks.
 *
 * @module
 */

import type { PodReport } from "../../../mod/server/mod.ts";
import type { CoreRig } from "./core_rig.ts";

/** What `explain` and `describe` show of a pod. */
export function report(rig: CoreRig, name = "web"): PodReport | undefined {
  return rig.views.report("default", name);
}

/** Everything that is told of a pod, one sentence a line. */
export function told(rig: CoreRig, name = "web"): string {
  return (report(rig, name)?.explanation ?? []).join("\n");
}

/** Waits until what is told of a pod matches. */
export async function untilTold(
  rig: CoreRig,
  what: RegExp,
  name = "web",
): Promise<void> {
  try {
    await rig.until(() => what.test(told(rig, name)), String(what));
  } catch (error) {
    throw new Error(`Wanted ${what}, told: ${told(rig, name)}`, {
      cause: error,
    });
  }
}
