/**
 * The numbers that runs of containers get.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { container, pod } from "../../support/pods.ts";
import { fakeRig, unseen } from "./rig.ts";

for (
  const [what, name, expected] of [
    ["goes on behind one of its name", "c", 5],
    ["does not look at those of other names", "other", 0],
  ] as const
) {
  Deno.test(`PodExecutor.execute() ${what} when another pod of the UID has taken numbers`, async () => {
    await using both = await fakeRig();
    const { rig, fake } = both;
    const subject = pod();
    const taken = {
      sandboxAttempts: [],
      restartCounts: [{ name, restartCount: 4 }],
    };
    await rig.sync(subject, { observed: { ...unseen(subject), taken } });
    strictEqual(fake.running("c")[0]?.config.metadata?.attempt, expected);
  });
}

Deno.test("PodExecutor.execute() removes what is left of init containers that run anew", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const subject = pod({ initContainers: [container("first")] });
  await rig.sync(subject);
  for (const { id } of fake.running("first")) fake.exitContainer(id, 0);
  await rig.sync(subject);
  for (const id of fake.sandboxes.keys()) fake.killSandbox(id);
  await rig.sync(subject);
  const { containers } = await rig.look(subject);
  deepStrictEqual(
    containers.map(({ name, state }) => `${name} ${state}`).sort(),
    ["c exited", "first running"],
  );
});
