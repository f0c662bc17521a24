/**
 * That nothing is worked out for a sink that does not ask for it.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { PodStatus } from "../../../mod/api/types/mod.ts";
import { silentLogger } from "../../../mod/base/telemetry/mod.ts";
import { StatusDelivery } from "../../../mod/status/status_delivery.ts";
import type {
  StatusFollower,
  StoredStatus,
} from "../../../mod/status/status_manager.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { pod } from "../../support/pods.ts";

/** A status that counts how often its fields are listed, as a patch does. */
function counted(status: PodStatus, count: () => void): PodStatus {
  return new Proxy(status, {
    ownKeys: (target) => {
      count();
      return Reflect.ownKeys(target);
    },
  });
}

for (const isAsked of [false, true]) {
  const title = isAsked ? "makes a patch for" : "looks into no status for";
  const who = isAsked ? "a sink that asks for it" : "a sink that does not ask";
  Deno.test(`StatusDelivery ${title} ${who}`, async () => {
    let looks = 0;
    let follower: StatusFollower | undefined;
    let stored: StoredStatus | undefined;
    const patches: unknown[] = [];
    const delivery = new StatusDelivery({
      clock: new FakeClock(),
      log: silentLogger,
      statuses: {
        stored: () => stored,
        follow: (given) => follower = given,
        remove: () => {},
      },
      sink: {
        name: "test",
        put: ({ patch }) => {
          if (isAsked) patches.push(patch());
          return Promise.resolve({ kind: "taken" });
        },
        remove: () => Promise.resolve(),
      },
    });
    for (let version = 1; version <= 1_000; version++) {
      const phase = version % 2 === 0 ? "Running" : "Pending";
      const status = counted({ phase }, () => void looks++);
      stored = { pod: pod({ uid: "u-1" }), version, status, finished: false };
      follower?.changed(stored);
      await delivery.flush("u-1");
    }
    if (!isAsked) return strictEqual(looks, 0);
    deepStrictEqual(patches.slice(0, 2), [{ phase: "Pending" }, {
      phase: "Running",
    }]);
    strictEqual(patches.length, 1_000);
  });
}
