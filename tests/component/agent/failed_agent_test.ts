/**
 * What an agent leaves behind that fails; the process lives on and builds another.
 *
 * @module
 */

import { rejects, strictEqual } from "node:assert/strict";
import { getEventListeners } from "node:events";
import { CoreRig } from "../../support/agent/core_rig.ts";

Deno.test("Agent.run() leaves nothing behind on its signal when it fails", async () => {
  const failure = new Error("broken");
  const broken = () => Promise.reject(failure);
  let isBroken = false;
  await using rig = await CoreRig.start({
    wrap: (connection) => {
      const ready = connection.ready.bind(connection);
      return Object.assign(connection, {
        ready: (signal: AbortSignal) => isBroken ? broken() : ready(signal),
      });
    },
  });
  const { core } = rig;
  await rig.quiet();
  await rig.stopAgent();
  isBroken = true;
  const { signal } = new AbortController();
  await rejects(core.agent.run(signal), failure);
  strictEqual(getEventListeners(signal, "abort").length, 0);
});
