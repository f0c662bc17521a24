/**
 * What a reporter writes to its log, and which events it tells.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { type NodeServer, picture } from "../../support/node/node_rig.ts";
import { known, ReporterRig } from "../../support/node/reporter_rig.ts";

/** The messages of the log, with their levels. */
function messages({ log }: ReporterRig): string[] {
  return log.splice(0).map((line) => {
    const { level, message } = JSON.parse(line);
    return `${level} ${message}`;
  });
}

Deno.test("that a node cannot be registered is said once, and when it can", async () => {
  await using rig = new ReporterRig({
    prepare: (server) => server.refusals.push("Unreachable", "Unreachable"),
  });
  await rig.rest();
  await rig.pass(100);
  await rig.pass(200);
  deepStrictEqual(messages(rig), [
    "error node_not_registered",
    "info node_registered",
    "info node_status_recovered",
  ]);
});

Deno.test("that a status cannot be written is said once, and when it can", async () => {
  await using rig = new ReporterRig();
  await rig.rest();
  await rig.pass(100);
  deepStrictEqual(messages(rig), ["info node_registered"]);
  rig.now = picture({ notReady: ["no runtime"] });
  rig.server.refusals.push("Unreachable", "Unreachable");
  for (let look = 0; look < 3; look++) {
    rig.reporter.wake();
    await rig.rest();
    await rig.pass(100);
  }
  deepStrictEqual(messages(rig), [
    "error node_status_failed",
    "info node_status_recovered",
  ]);
});

Deno.test("who may neither make nor find a node is told why it may not make it", async () => {
  await using rig = new ReporterRig({
    prepare: (server) => server.refusals.push("Forbidden"),
  });
  deepStrictEqual(await rig.rest(), ["create node", "get node"]);
  ok(rig.log.some((line) => line.includes("refused: Forbidden")));
});

Deno.test("a shortage that an earlier agent told of is over with the first report, and not again", async () => {
  await using rig = new ReporterRig({ prepare: wasShort });
  await rig.rest();
  await rig.pass(100);
  const told = "NodeHasSufficientMemory";
  const count = () =>
    rig.events.texts.filter((text) => text.includes(told)).length;
  strictEqual(count(), 1);
  rig.now = picture({ pressures: ["MemoryPressure"] });
  rig.reporter.wake();
  await rig.rest();
  await rig.pass(100);
  rig.now = picture();
  rig.reporter.wake();
  await rig.rest();
  strictEqual(count(), 1);
});

/** The node of an agent that ended while its memory was short. */
function wasShort(server: NodeServer): void {
  const node = known();
  const conditions = (node.status?.conditions ?? []).map((each) =>
    each.type === "MemoryPressure" ? { ...each, status: "True" } : each
  );
  server.node = { ...node, status: { ...node.status, conditions } };
}
