/**
 * Which pods the node may end.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { evictablePods } from "../../../mod/agent/evictable_pods.ts";
import { podOf } from "../../support/pods.ts";

Deno.test("evictablePods() has what runs, and nothing while the machine goes down", () => {
  const pod = podOf("u1");
  const parked = { isGoingDown: false };
  const pods = evictablePods(() => ({
    get: () => undefined,
    list: () => [{
      uid: "u1",
      fullName: "u1_shop",
      state: { kind: "syncing", pod, wanted: pod },
    }],
    evict: () => true,
  }), { statuses: { get: () => undefined }, parked });
  deepStrictEqual(pods.running(), [pod]);
  parked.isGoingDown = true;
  deepStrictEqual(pods.running(), []);
});
