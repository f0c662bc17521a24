/**
 * Which activities are waiting for another.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import type { Activity } from "../../../../mod/pod/lifecycle/mod.ts";
import { Activities } from "../../../../mod/runtime/account/mod.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

const container = "c";
const image = "x:1";
const ROWS: readonly (readonly [Activity, boolean])[] = [
  [{ kind: "waiting_for_start_place", places: 6 }, true],
  [{ kind: "waiting_for_late_sandbox" }, true],
  [{ kind: "making_volumes" }, false],
  [{ kind: "creating_sandbox" }, true],
  [{ kind: "stopping_sandboxes" }, true],
  [{ kind: "looking_for_image", container, image }, false],
  [{ kind: "pulling_image", container, image }, true],
  [{ kind: "waiting_for_pull_place", container, image, places: 5 }, true],
  [{ kind: "starting_container", container }, false],
  [{ kind: "post_start_hook", container }, true],
  [{ kind: "pre_stop_hook", container }, true],
  [{ kind: "waiting_for_others_to_end", container }, true],
  [{ kind: "stopping_container", container, graceSeconds: 30 }, true],
];

for (const [activity, isWait] of ROWS) {
  const what = isWait ? "waits" : "works";
  Deno.test(`Activities.whenWaiting() takes it that a pod ${what} while it is ${activity.kind}`, () => {
    const activities = new Activities({ clock: new FakeClock() });
    const waiting: string[] = [];
    activities.whenWaiting((uid) => void waiting.push(uid));
    using _activity = activities.begin("u-1", activity);
    deepStrictEqual(waiting, isWait ? ["u-1"] : []);
  });
}
