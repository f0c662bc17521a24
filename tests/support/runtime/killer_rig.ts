/**
 * What ends pods, over a runtime that a test writes.
 *
 * @module
 */

import { type Logger, silentLogger } from "../../../mod/base/telemetry/mod.ts";
import { CriError, type RuntimeService } from "../../../mod/cri/model/mod.ts";
import { Activities } from "../../../mod/runtime/account/mod.ts";
import { HookRunner } from "../../../mod/runtime/end/hooks.ts";
import { type KillService, PodKiller } from "../../../mod/runtime/end/kill.ts";
import { EventList } from "../event_list.ts";
import type { FakeClock } from "../fake_clock.ts";

/** What the runtime says of a container that does not end. */
export const STUCK: CriError = new CriError({
  kind: "failed",
  method: "StopContainer",
  detail: "it does not end",
});

/** A killer, and what it tells. */
export interface KillerRig {
  readonly killer: PodKiller;
  readonly events: EventList;
  readonly activities: Activities;
}

/** A killer whose hooks fail where the runtime runs none. */
export function killerRig(
  runtime: KillService & Partial<Pick<RuntimeService, "execSync">>,
  options: { readonly clock: FakeClock; readonly log?: Logger },
): KillerRig {
  const { clock, log = silentLogger } = options;
  const events = new EventList();
  const activities = new Activities({ clock });
  const execSync: RuntimeService["execSync"] = async (...args) => {
    if (runtime.execSync === undefined) throw STUCK;
    return await runtime.execSync(...args);
  };
  const hooks = new HookRunner({ runtime: { execSync }, events, clock });
  const killer = new PodKiller({
    runtime,
    hooks,
    nodeIps: () => ["192.0.2.1"],
    events,
    clock,
    log,
    activities,
  });
  return { killer, events, activities };
}
