/**
 * Which of the node's addresses the agent may connect to.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { coreConfig } from "../../support/agent/core_config.ts";
import { reachableIps } from "../../support/app/parts.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("NodeIps asks the permissions for addresses of both families", async () => {
  await using dir = await TempDir.make();
  const addresses = ["192.0.2.1", "2001:db8::1"];
  const config = await coreConfig(dir.path, { nodeIp: addresses.join() });
  deepStrictEqual(reachableIps(config), addresses);
});
