/**
 * What is written of a node that may be another agent's.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { picture } from "../../support/node/node_rig.ts";
import {
  IDENTITY,
  known,
  ReporterRig,
} from "../../support/node/reporter_rig.ts";

for (const standing of ["others", "unknown"] as const) {
  Deno.test(`while the node is ${standing} nothing is asked or written; then it is taken on`, async () => {
    await using rig = new ReporterRig({
      prepare: (server) => {
        const ownLabels = { "kubernetes.io/os": "windows" };
        server.node = known({ ...IDENTITY, ownLabels });
      },
    });
    rig.standing = standing;
    deepStrictEqual(await rig.rest(), []);
    await rig.pass(100);
    deepStrictEqual(await rig.pass(10_200), []);
    rig.standing = "ours";
    rig.reporter.wake();
    deepStrictEqual(await rig.pass(100), [
      ...["create node", "get node", "patch node", "patch node"],
    ]);
  });
}

Deno.test("a node that is nobody's is made; its status is written when it is this agent's", async () => {
  await using rig = new ReporterRig();
  rig.standing = "free";
  deepStrictEqual(await rig.rest(), ["create node"]);
  await rig.pass(100);
  deepStrictEqual(await rig.pass(10_200), []);
  rig.standing = "ours";
  rig.reporter.wake();
  deepStrictEqual(await rig.pass(100), ["patch node"]);
});

Deno.test("a node that is there is taken on by whom it belongs to, not by whom it might", async () => {
  await using rig = new ReporterRig({
    prepare: (server) => {
      const ownLabels = { "kubernetes.io/os": "windows" };
      server.node = known({ ...IDENTITY, ownLabels });
    },
  });
  rig.standing = "free";
  deepStrictEqual(await rig.rest(), ["create node", "get node"]);
  await rig.pass(100);
  deepStrictEqual(await rig.pass(10_200), ["create node", "get node"]);
  strictEqual(
    rig.server.node?.metadata.labels?.["kubernetes.io/os"],
    "windows",
  );
  rig.standing = "ours";
  rig.reporter.wake();
  await rig.pass(100);
  strictEqual(rig.server.node?.metadata.labels?.["kubernetes.io/os"], "linux");
});

Deno.test("an agent that loses the node while it looks at it does not make it", async () => {
  await using rig = new ReporterRig();
  // The first look has begun.
  rig.standing = "others";
  deepStrictEqual(await rig.rest(), []);
});

Deno.test("an agent that loses the node while it looks at it writes no status", async () => {
  await using rig = new ReporterRig();
  await rig.rest();
  await rig.pass(100);
  const looked = Promise.withResolvers<void>();
  rig.delay = looked.promise;
  rig.now = picture({ notReady: ["the runtime is down"] });
  rig.reporter.wake();
  await rig.clock.advance(0);
  rig.standing = "others";
  looked.resolve();
  deepStrictEqual(await rig.rest(), []);
});

Deno.test("what another agent made of the node is set right when that one is gone", async () => {
  await using rig = new ReporterRig();
  await rig.rest();
  await rig.pass(100);
  rig.standing = "others";
  rig.reporter.wake();
  await rig.rest();
  const { node } = rig.server;
  ok(node !== undefined);
  const labels = { "kubernetes.io/os": "other" };
  rig.server.node = { ...node, metadata: { ...node.metadata, labels } };
  rig.standing = "ours";
  rig.reporter.wake();
  deepStrictEqual(await rig.pass(100), [
    ...["create node", "get node", "patch node"],
  ]);
  strictEqual(rig.server.node.metadata.labels?.["kubernetes.io/os"], "linux");
});

Deno.test("a node that was deleted while it is another's is made when it is this agent's again", async () => {
  await using rig = new ReporterRig();
  await rig.rest();
  await rig.pass(100);
  rig.server.forget();
  rig.server.refusals.push(undefined, "Unreachable");
  rig.reporter.wake();
  deepStrictEqual(await rig.rest(), ["get node", "create node"]);
  rig.standing = "unknown";
  await rig.pass(100);
  await rig.pass(100);
  rig.standing = "ours";
  rig.reporter.wake();
  deepStrictEqual(await rig.pass(100), ["create node"]);
});

Deno.test("with registerNode off a node that somebody makes is told of when it is this agent's", async () => {
  await using rig = new ReporterRig({ options: { register: false } });
  rig.standing = "free";
  deepStrictEqual(await rig.rest(), ["get node"]);
  ok(rig.log.some((line) => line.includes("node_missing")));
  rig.isShown = false;
  rig.server.node = known();
  await rig.pass(100);
  deepStrictEqual(await rig.pass(10_200), ["get node"]);
  rig.standing = "others";
  await rig.pass(100);
  deepStrictEqual(await rig.pass(10_200), []);
  rig.standing = "ours";
  rig.reporter.wake();
  deepStrictEqual(await rig.pass(100), ["get node", "patch node"]);
});
