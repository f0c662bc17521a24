/**
 * Registering a node, and saying how it is.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { picture } from "../../support/node/node_rig.ts";
import {
  IDENTITY,
  known,
  ReporterRig,
} from "../../support/node/reporter_rig.ts";

Deno.test("a node that the cluster does not know is made, with its status, and not written again", async () => {
  await using rig = new ReporterRig();
  deepStrictEqual(await rig.rest(), ["create node", "patch node"]);
  deepStrictEqual(rig.server.node?.metadata.labels, {
    site: "north",
    "kubernetes.io/os": "linux",
  });
  strictEqual(rig.server.node?.status?.conditions?.length, 4);
  deepStrictEqual(await rig.pass(100), []);
  // Nothing has changed: only a look, every ten seconds and a bit.
  for (let look = 0; look < 20; look++) {
    deepStrictEqual(await rig.pass(10_200), []);
    deepStrictEqual(await rig.pass(100), []);
  }
});

Deno.test("a node that is there already is taken on, and its wrong labels are set right", async () => {
  await using rig = new ReporterRig({
    prepare: (server) => {
      const ownLabels = { "kubernetes.io/os": "windows" };
      server.node = known({ ...IDENTITY, ownLabels });
    },
  });
  deepStrictEqual(await rig.rest(), [
    "create node",
    "get node",
    "patch node",
    "patch node",
  ]);
  strictEqual(rig.server.node?.metadata.labels?.["kubernetes.io/os"], "linux");
});

Deno.test("who may not make a node may have one that somebody else made", async () => {
  await using rig = new ReporterRig({
    prepare: (server) => {
      server.refusals.push("Forbidden");
      server.node = known();
    },
  });
  deepStrictEqual(await rig.rest(), ["create node", "get node", "patch node"]);
});

Deno.test("registering is tried again at 100 ms, then 200, and 7 s at most", async () => {
  await using rig = new ReporterRig({
    prepare: (server) => {
      for (let tries = 0; tries < 9; tries++) {
        server.refusals.push("Unreachable");
      }
    },
  });
  deepStrictEqual(await rig.rest(), ["create node"]);
  const pauses = [100, 200, 400, 800, 1_600, 3_200, 6_400, 7_000];
  for (const pause of pauses) {
    deepStrictEqual(await rig.pass(pause - 1), []);
    deepStrictEqual(await rig.pass(1), ["create node"]);
  }
  deepStrictEqual(await rig.pass(7_000), ["create node", "patch node"]);
});

Deno.test("with registerNode off no node is made; it is asked for at each look, and that is said once", async () => {
  await using rig = new ReporterRig({ options: { register: false } });
  deepStrictEqual(await rig.rest(), ["get node"]);
  await rig.pass(100);
  deepStrictEqual(await rig.pass(10_200), ["get node"]);
  const missing = rig.log.filter((line) => line.includes("node_missing"));
  strictEqual(missing.length, 1);
  match(missing.join(), /registerNode is false; wanted one that somebody/);
  rig.server.node = known();
  rig.reporter.wake();
  deepStrictEqual(await rig.rest(), ["patch node"]);
});

Deno.test("a node that an operator deletes is registered again, and its new one told of", async () => {
  await using rig = new ReporterRig();
  await rig.rest();
  await rig.pass(100);
  rig.server.forget();
  rig.reporter.wake();
  deepStrictEqual(await rig.rest(), ["get node", "create node"]);
  strictEqual(rig.server.node?.metadata.name, "kiosk-1");
  strictEqual(
    rig.log.filter((line) => line.includes("node_deleted")).length,
    1,
  );
  await rig.pass(100);
  deepStrictEqual(await rig.pass(10_200), []);
});

Deno.test("tell() ends when a look that began after it was written, or when it may not go on", async () => {
  await using rig = new ReporterRig();
  await rig.rest();
  await rig.pass(100);
  rig.now = picture({ notReady: ["node is shutting down"] });
  let isTold = false;
  const stop = new AbortController();
  const told = rig.reporter.tell(stop.signal).then(() => isTold = true);
  strictEqual(isTold, false);
  deepStrictEqual(await rig.rest(), ["patch node"]);
  await told;
  const late = rig.reporter.tell(stop.signal);
  stop.abort();
  await late;
});

Deno.test("a sign of life is written every five minutes", async () => {
  await using rig = new ReporterRig();
  await rig.rest();
  await rig.pass(100);
  const times: number[] = [];
  const start = rig.clock.monotonic();
  while (rig.clock.monotonic() - start < 700_000) {
    const verbs = await rig.pass(10_200);
    if (verbs.length > 0) times.push(rig.clock.monotonic() - start);
    await rig.pass(100);
  }
  strictEqual(times.length, 2);
  ok(times.every((each, at) => each >= 300_000 * (at + 1)), `${times}`);
});

Deno.test("after a change the next sign of life is due up to half of its time earlier or later", async () => {
  await using rig = new ReporterRig();
  rig.random = 0;
  await rig.rest();
  await rig.pass(100);
  rig.now = picture({ notReady: ["the runtime is down"] });
  rig.reporter.wake();
  deepStrictEqual(await rig.rest(), ["patch node"]);
  await rig.pass(100);
  const start = rig.clock.monotonic();
  let passedMs = 0;
  while (passedMs < 400_000) {
    const verbs = await rig.pass(10_000);
    passedMs = rig.clock.monotonic() - start;
    if (verbs.length > 0) break;
    await rig.pass(100);
  }
  ok(passedMs >= 149_000 && passedMs < 165_000, `${passedMs}`);
});

Deno.test("a change is said at once, several at once together", async () => {
  await using rig = new ReporterRig();
  await rig.rest();
  rig.now = picture({ pressures: ["DiskPressure"] });
  rig.reporter.wake();
  // The last report was just now.
  deepStrictEqual(await rig.rest(), []);
  rig.now = picture({ pressures: ["DiskPressure", "PIDPressure"] });
  rig.reporter.wake();
  deepStrictEqual(await rig.pass(100), ["patch node"]);
  await rig.pass(100);
  rig.now = picture({ notReady: ["the runtime is down"] });
  rig.reporter.wake();
  deepStrictEqual(await rig.rest(), ["patch node"]);
  // What begins and ends of shortages is told by what watches for them.
  const told = (reason: string) =>
    `Normal ${reason}: Node kiosk-1 status is now: ${reason}`;
  deepStrictEqual(rig.events.texts, [
    "Normal Starting: Starting skerry.",
    told("NodeHasSufficientMemory"),
    told("NodeHasNoDiskPressure"),
    told("NodeHasSufficientPID"),
    told("NodeNotReady"),
  ]);
});

Deno.test("what a controller wrote over the status is set right at the next look", async () => {
  await using rig = new ReporterRig();
  await rig.rest();
  await rig.pass(100);
  const { node } = rig.server;
  ok(node?.status !== undefined);
  rig.server.node = {
    ...node,
    status: {
      ...node.status,
      conditions: (node.status.conditions ?? []).map((each) => ({
        ...each,
        status: "Unknown",
      })),
    },
  };
  rig.reporter.wake();
  deepStrictEqual(await rig.rest(), ["patch node"]);
  ok(
    rig.server.node?.status?.conditions?.every(({ status }) =>
      status !== "Unknown"
    ),
  );
});

Deno.test("a patch that is refused is made anew from what the server has, five times at most", async () => {
  await using rig = new ReporterRig();
  await rig.rest();
  await rig.pass(100);
  rig.now = picture({ notReady: ["the runtime is down"] });
  rig.server.refusals.push("Conflict");
  rig.reporter.wake();
  deepStrictEqual(await rig.rest(), ["patch node", "get node", "patch node"]);
  await rig.pass(100);
  rig.now = picture();
  for (let tries = 0; tries < 5; tries++) {
    rig.server.refusals.push("Conflict", undefined);
  }
  rig.reporter.wake();
  const verbs = await rig.rest();
  strictEqual(verbs.filter((verb) => verb === "patch node").length, 5);
  await rig.pass(100);
  deepStrictEqual(await rig.pass(10_200), ["patch node"]);
});

Deno.test("a server that is away is asked once a look", async () => {
  await using rig = new ReporterRig();
  await rig.rest();
  await rig.pass(100);
  rig.now = picture({ notReady: ["the runtime is down"] });
  rig.server.refusals.push("Unreachable", "Timeout");
  rig.reporter.wake();
  deepStrictEqual(await rig.rest(), ["patch node"]);
  await rig.pass(100);
  deepStrictEqual(await rig.pass(10_200), ["patch node"]);
  await rig.pass(100);
  deepStrictEqual(await rig.pass(10_200), ["patch node"]);
  await rig.pass(100);
  deepStrictEqual(await rig.pass(10_200), []);
});

Deno.test("a node that cannot be looked at is looked at again", async () => {
  await using rig = new ReporterRig();
  await rig.rest();
  await rig.pass(100);
  rig.now = new Error("no");
  rig.reporter.wake();
  deepStrictEqual(await rig.rest(), []);
  rig.now = picture({ notReady: ["the runtime is down"] });
  await rig.pass(100);
  deepStrictEqual(await rig.pass(10_200), ["patch node"]);
});

Deno.test("as long as no watch shows the node it is asked for", async () => {
  await using rig = new ReporterRig();
  rig.isShown = false;
  deepStrictEqual(await rig.rest(), ["create node", "get node", "patch node"]);
});

Deno.test("cordon and uncordon are told, and what was so from the begin is not", async () => {
  await using rig = new ReporterRig();
  await rig.rest();
  await rig.pass(100);
  for (const unschedulable of [true, true, false]) {
    const { node } = rig.server;
    ok(node !== undefined);
    rig.server.node = { ...node, spec: { unschedulable } };
    rig.reporter.wake();
    await rig.rest();
    await rig.pass(100);
  }
  deepStrictEqual(
    rig.events.texts.filter((text) => text.includes("Schedulable")),
    [
      "Normal NodeNotSchedulable: Node kiosk-1 status is now: NodeNotSchedulable",
      "Normal NodeSchedulable: Node kiosk-1 status is now: NodeSchedulable",
    ],
  );
});

Deno.test("a reboot is told with the ID of the boot", async () => {
  await using rig = new ReporterRig();
  await rig.rest();
  await rig.pass(100);
  rig.now = picture({ info: { ...picture().info, bootID: "boot-2" } });
  rig.reporter.wake();
  await rig.rest();
  deepStrictEqual(
    rig.events.texts.at(-1),
    "Warning Rebooted: Node kiosk-1 has been rebooted, boot id: boot-2",
  );
});
