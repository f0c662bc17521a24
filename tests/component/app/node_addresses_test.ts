/**
 * Which of the node's addresses the agent may connect to.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { nodeIps } from "../../../mod/app/node_ips.ts";
import { coreConfig } from "../../support/agent/core_config.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { linesTo } from "../../support/log_lines.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("nodeIps() asks the permissions for addresses of both families", async () => {
  await using dir = await TempDir.make();
  const addresses = ["192.0.2.1", "2001:db8::1"];
  const config = await coreConfig(dir.path, { nodeIp: addresses.join() });
  const ips = nodeIps(config, { clock: new FakeClock(), log: linesTo([]) });
  deepStrictEqual(ips.reachable, addresses);
});
