/**
 * One container and one sandbox a pod, whatever becomes of the calls (I1, I3).
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { CoreRig, MUTATING } from "../../support/agent/core_rig.ts";
import type { Fault } from "../../support/fake_cri/faults.ts";
import { untilGone, WEB, web } from "../../support/agent/manifests.ts";

const TIMEOUT_MS = 2_000;
const INTERNAL = 13;

const FAULTS: Readonly<Record<string, Fault>> = {
  "is refused": { kind: "error", code: INTERNAL, details: "out of luck" },
  "takes effect but its reply is lost": { kind: "drop_reply" },
  "takes effect but is never answered": { kind: "drop_reply", reply: "never" },
  "is cut off with the connection": { kind: "cut" },
  "takes longer than its deadline": { kind: "delay", ms: 60_000 },
  "hangs": { kind: "hang" },
};

for (const method of MUTATING) {
  for (const [what, fault] of Object.entries(FAULTS)) {
    Deno.test(`Agent runs a pod once and clears it away when a ${method} ${what}`, async () => {
      await using rig = await CoreRig.start({
        requestTimeoutMs: TIMEOUT_MS,
        prepare: ({ fake }) => fake.fault(method, fault, { times: 1 }),
      });
      await rig.apply("web", web());
      await untilRestarted(rig, 0);
      // The first restart is immediate, the second leaves a dead container too many.
      for (const restarts of [1, 2]) {
        rig.fake.exitContainer(rig.only(WEB).id, 1);
        await untilRestarted(rig, restarts);
      }
      // What was done late or twice would show now.
      await rig.pass(15_000);
      strictEqual(rig.only(WEB).sandboxId, rig.ready()[0]?.id);
      strictEqual(rig.fake.sandboxes.size, 1);
      strictEqual(rig.fake.containers.size, 2);

      await rig.remove("web");
      await untilGone(rig);
      await rig.pass(5_000);
      strictEqual(rig.fake.containers.size + rig.fake.sandboxes.size, 0);
    });
  }
}

function untilRestarted(rig: CoreRig, restarts: number): Promise<void> {
  return rig.until(
    () => {
      const [shown] = rig.status("web")?.containerStatuses ?? [];
      return shown?.state?.running !== undefined &&
        shown.restartCount >= restarts &&
        rig.fake.running(WEB).length === 1;
    },
    `restart ${restarts}`,
    { stepMs: 500 },
  );
}
