/**
 * What a whole agent tells of its pods, asked as `skerry explain` asks.
 *
 * @module
 */

import type { PodReport } from "../../../mod/server/mod.ts";
import { areFound, type WantedFinding, wantedText } from "../findings.ts";
import type { CoreRig } from "./core_rig.ts";

/** What `explain` and `describe` show of a pod, as it goes over the control socket. */
export function report(rig: CoreRig, name = "web"): PodReport | undefined {
  const found = rig.views.report("default", name);
  return found && JSON.parse(JSON.stringify(found));
}

/** Waits until just this is found of a pod, in this order. */
export async function untilFound(
  rig: CoreRig,
  wanted: readonly WantedFinding[],
  name = "web",
): Promise<PodReport> {
  const what = wantedText(wanted);
  return await untilReport(
    rig,
    { what, name },
    (report) => areFound(wanted, report),
  );
}

/** Waits until the report on a pod is as it should be. */
export async function untilReport(
  rig: CoreRig,
  { what, name = "web" }: { readonly what: string; readonly name?: string },
  isWanted: (report: PodReport) => boolean,
): Promise<PodReport> {
  let last: PodReport | undefined;
  const look = (): boolean => {
    last = report(rig, name);
    return last !== undefined && isWanted(last);
  };
  try {
    await rig.until(look, what);
  } catch (error) {
    const found = JSON.stringify([last?.findings, last?.explanation]);
    throw new Error(`Wanted ${what}, found ${found}`, { cause: error });
  }
  if (last === undefined) throw new Error(`Found no pod "${name}"`);
  return last;
}
