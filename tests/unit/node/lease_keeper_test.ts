/**
 * A node's lease: made, renewed, lost, and another agent's.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { Node } from "../../../mod/api/cluster/mod.ts";
import { LeaseKeeper } from "../../../mod/node/mod.ts";
import { newLease } from "../../../mod/node/lease_step.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { fieldsTo } from "../../support/log_lines.ts";
import { NodeServer } from "../../support/node/node_rig.ts";
import { until } from "../../support/until.ts";

const NODE: Node = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "kiosk-1", namespace: "", uid: "node-uid" },
  spec: {},
};

const OWNER = { nodeName: "kiosk-1", agentId: "a1", durationSeconds: 40 };

class Rig implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly server = new NodeServer();
  readonly log: Record<string, unknown>[] = [];
  readonly keeper: LeaseKeeper;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  node: Node | undefined;

  constructor({ node = NODE, prepare }: {
    readonly node?: Node | null;
    readonly prepare?: (rig: NodeServer) => void;
  } = {}) {
    this.node = node ?? undefined;
    prepare?.(this.server);
    this.keeper = new LeaseKeeper({
      clock: this.clock,
      random: { next: () => 0.5 },
      log: fieldsTo(this.log),
      client: this.server.leases,
      node: () => this.node,
    }, OWNER);
    this.#running = this.keeper.run(this.#stop.signal);
  }

  /** Lets the keeper work until it sleeps. */
  async rest(): Promise<string[]> {
    await until(() => this.clock.pendingTimers === 1, "the keeper sleeps");
    return this.server.takeVerbs();
  }

  async pass(ms: number): Promise<string[]> {
    await this.clock.advance(ms);
    return await this.rest();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    strictEqual(this.clock.pendingTimers, 0);
  }
}

Deno.test("a node without a lease gets one, which goes with the node, and renews it every ten seconds", async () => {
  await using rig = new Rig();
  deepStrictEqual(await rig.rest(), ["get lease", "create lease"]);
  strictEqual(rig.keeper.state, "held");
  const made = rig.server.lease;
  deepStrictEqual(made?.metadata.ownerReferences, [
    { apiVersion: "v1", kind: "Node", name: "kiosk-1", uid: "node-uid" },
  ]);
  deepStrictEqual(made?.spec, {
    holderIdentity: "kiosk-1",
    leaseDurationSeconds: 40,
    renewTime: "2026-01-01T00:00:00.000000Z",
  });
  // Ten seconds and half of the four percent by which it varies.
  deepStrictEqual(await rig.pass(10_199), []);
  deepStrictEqual(await rig.pass(1), ["update lease"]);
  strictEqual(rig.server.lease?.spec.renewTime, "2026-01-01T00:00:10.200000Z");
});

Deno.test("no lease is made for a node that the cluster does not know; it is tried soon again", async () => {
  await using rig = new Rig({ node: null });
  deepStrictEqual(await rig.rest(), ["get lease"]);
  strictEqual(rig.keeper.state, "free");
  rig.node = NODE;
  deepStrictEqual(await rig.pass(99), []);
  deepStrictEqual(await rig.pass(1), ["get lease", "create lease"]);
});

Deno.test("a lease that waits for its node is made as soon as the node is there", async () => {
  await using rig = new Rig({ node: null });
  await rig.rest();
  rig.node = NODE;
  rig.keeper.wake();
  await until(() => rig.keeper.state === "held", "the lease");
  deepStrictEqual(await rig.rest(), ["get lease", "create lease"]);
  // And no sooner than it is due when it is held.
  rig.keeper.wake();
  deepStrictEqual(await rig.pass(9_000), []);
});

Deno.test("what is tried in vain is tried at 100 ms, then 200, and 7 s at most", async () => {
  await using rig = new Rig({ node: null });
  await rig.rest();
  const pauses = [100, 200, 400, 800, 1_600, 3_200, 6_400, 7_000, 7_000];
  for (const pause of pauses) {
    deepStrictEqual(await rig.pass(pause - 1), []);
    deepStrictEqual(await rig.pass(1), ["get lease"]);
  }
});

Deno.test("a lease that somebody else wrote meanwhile is read anew and renewed at once", async () => {
  await using rig = new Rig();
  await rig.rest();
  const { lease } = rig.server;
  ok(lease !== undefined);
  rig.server.write(lease);
  deepStrictEqual(await rig.pass(10_200), [
    "update lease",
    "get lease",
    "update lease",
  ]);
});

Deno.test("a lease that was deleted is made again", async () => {
  await using rig = new Rig();
  await rig.rest();
  rig.server.lease = undefined;
  deepStrictEqual(await rig.pass(10_200), [
    "update lease",
    "get lease",
    "create lease",
  ]);
});

Deno.test("conflicts without end are left for the next time after five tries", async () => {
  await using rig = new Rig();
  await rig.rest();
  for (let tries = 0; tries < 5; tries++) {
    rig.server.refusals.push("Conflict", undefined);
  }
  const verbs = await rig.pass(10_200);
  strictEqual(verbs.filter((verb) => verb === "update lease").length, 5);
});

Deno.test("a server that is away is asked again at the next time, and the lease stays this agent's", async () => {
  await using rig = new Rig();
  await rig.rest();
  rig.server.refusals.push("Unreachable");
  deepStrictEqual(await rig.pass(10_200), ["update lease"]);
  strictEqual(rig.keeper.state, "held");
  rig.server.refusals.push("Unreachable");
  deepStrictEqual(await rig.pass(10_200), ["update lease"]);
  deepStrictEqual(await rig.pass(10_200), ["update lease"]);
  strictEqual(rig.server.lease?.spec.renewTime, "2026-01-01T00:00:30.600000Z");
});

Deno.test("the lease of a kubelet that was here before is taken on with its owner and labels", async () => {
  await using rig = new Rig({
    prepare: (server) =>
      server.write({
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: {
          name: "kiosk-1",
          namespace: "kube-node-lease",
          uid: "old",
          labels: { keep: "me" },
          annotations: { other: "note" },
        },
        spec: { holderIdentity: "kiosk-1", leaseDurationSeconds: 99 },
      }),
  });
  deepStrictEqual(await rig.rest(), ["get lease", "update lease"]);
  const { metadata, spec } = rig.server.lease ?? {};
  deepStrictEqual(metadata?.labels, { keep: "me" });
  deepStrictEqual(metadata?.annotations, {
    other: "note",
    "skerry.dev/agent": "a1",
  });
  strictEqual(metadata?.ownerReferences?.length, 1);
  strictEqual(spec?.leaseDurationSeconds, 40);
});

const OTHER = { ...OWNER, agentId: "a2" };

Deno.test("a later agent of one node name keeps off as long as the other is alive", async () => {
  await using rig = new Rig({
    prepare: (server) => server.write(newLease(OTHER, NODE, 0)),
  });
  deepStrictEqual(await rig.rest(), ["get lease"]);
  strictEqual(rig.keeper.state, "contended");
  for (let round = 0; round < 3; round++) {
    rig.server.write(newLease(OTHER, NODE, 1_000 * (round + 1)));
    deepStrictEqual(await rig.pass(10_200), ["get lease"]);
    strictEqual(rig.keeper.state, "contended");
  }
  // It fell silent; its clock may be any.
  for (let round = 0; round < 3; round++) {
    deepStrictEqual(await rig.pass(10_200), ["get lease"]);
  }
  deepStrictEqual(await rig.pass(10_200), ["get lease", "update lease"]);
  strictEqual(rig.keeper.state, "held");
});

Deno.test("an agent in whose place another writes steps back, and says so to who waits", async () => {
  await using rig = new Rig();
  await rig.rest();
  let isTold = false;
  const told = rig.keeper.whenChanged(new AbortController().signal)
    .then(() => isTold = true);
  await rig.pass(10_200);
  strictEqual(isTold, false);
  rig.server.write(newLease(OTHER, NODE, 5_000));
  deepStrictEqual(await rig.pass(10_200), ["update lease", "get lease"]);
  strictEqual(rig.keeper.state, "contended");
  await told;
  await rig.pass(10_200);
  const taken = rig.log.filter(({ message }) => message === "node_name_taken");
  deepStrictEqual(taken.map(({ level, node, agent }) => [level, node, agent]), [
    ["error", "kiosk-1", OTHER.agentId],
  ]);
});

Deno.test("a lease that cannot be renewed is said once, with the reason, and that it can", async () => {
  await using rig = new Rig();
  await rig.rest();
  rig.server.refusals.push("Forbidden", "Forbidden");
  for (let round = 0; round < 3; round++) await rig.pass(10_200);
  deepStrictEqual(
    rig.log.map(({ message, reason }) => [message, reason]),
    [["lease_not_renewed", "Forbidden"], ["lease_renewed", undefined]],
  );
});

Deno.test("an agent that was restarted finds its own lease and goes on at once", async () => {
  await using rig = new Rig({
    prepare: (server) => server.write(newLease(OWNER, NODE, 0)),
  });
  deepStrictEqual(await rig.rest(), ["get lease", "update lease"]);
  strictEqual(rig.keeper.state, "held");
});

Deno.test("before the first answer nothing is known of a lease, nor while no server answers", async () => {
  await using rig = new Rig({
    prepare: (server) => server.refusals.push("Unreachable", "Timeout"),
  });
  strictEqual(rig.keeper.state, "unknown");
  await rig.rest();
  strictEqual(rig.keeper.state, "unknown");
  await rig.pass(100);
  strictEqual(rig.keeper.state, "unknown");
  await rig.pass(200);
  strictEqual(rig.keeper.state, "held");
});

Deno.test("that there is no lease is not known any more when the server is away", async () => {
  await using rig = new Rig({ node: null });
  await rig.rest();
  strictEqual(rig.keeper.state, "free");
  rig.server.refusals.push("Unreachable");
  await rig.pass(100);
  strictEqual(rig.keeper.state, "unknown");
});

Deno.test("a lease that nobody may ask for, or make, is untold, until somebody may", async () => {
  for (const refusals of [["Forbidden"], [undefined, "NotFound"]] as const) {
    await using rig = new Rig({
      prepare: (server) => server.refusals.push(...refusals),
    });
    await rig.rest();
    strictEqual(rig.keeper.state, "untold");
    rig.server.refusals.push("Unreachable");
    await rig.pass(100);
    strictEqual(rig.keeper.state, "untold");
    await rig.pass(200);
    strictEqual(rig.keeper.state, "held");
  }
});

Deno.test("a lease is this agent's no longer than it lasts, and is again when it is renewed", async () => {
  await using rig = new Rig();
  await rig.rest();
  for (let round = 0; round < 4; round++) {
    rig.server.refusals.push("Unreachable");
  }
  for (let round = 0; round < 3; round++) await rig.pass(10_200);
  strictEqual(rig.keeper.state, "held");
  await rig.clock.advance(40_000 - 30_600 - 1);
  strictEqual(rig.keeper.state, "held");
  await rig.clock.advance(1);
  strictEqual(rig.keeper.state, "unknown");
  const lost = rig.keeper.whenChanged(new AbortController().signal);
  await rig.pass(800);
  await lost;
  const found = rig.keeper.whenChanged(new AbortController().signal);
  await rig.pass(10_200);
  await found;
  strictEqual(rig.keeper.state, "held");
});

Deno.test("that a lease is held again is said also when nobody has asked since it lapsed", async () => {
  await using rig = new Rig();
  await rig.rest();
  rig.server.refusals.push("Unreachable", "Unreachable", "Unreachable");
  let isTold = false;
  const stop = new AbortController();
  const told = rig.keeper.whenChanged(stop.signal).then(() => isTold = true);
  for (let round = 0; round < 3; round++) await rig.pass(10_200);
  await rig.pass(40_000 - 30_600);
  strictEqual(rig.keeper.state, "unknown");
  strictEqual(isTold, false);
  await rig.pass(800);
  strictEqual(rig.keeper.state, "held");
  strictEqual(isTold, true);
  stop.abort();
  await told;
});

Deno.test("the right to renew is lost: the lease is held to its end, and untold then", async () => {
  await using rig = new Rig();
  await rig.rest();
  for (let round = 0; round < 4; round++) {
    rig.server.refusals.push("Forbidden");
    await rig.pass(10_200);
    strictEqual(rig.keeper.state, round < 3 ? "held" : "untold");
  }
});

Deno.test("of two agents that make the lease at once one has it, and the other sees so at once", async () => {
  await using rig = new Rig({
    prepare: (server) => {
      const { get } = server.leases;
      let isFirst = true;
      server.leases.get = async (signal) => {
        try {
          return await get(signal);
        } finally {
          if (isFirst) server.write(newLease(OTHER, NODE, 0));
          isFirst = false;
        }
      };
    },
  });
  deepStrictEqual(await rig.rest(), ["get lease", "create lease", "get lease"]);
  strictEqual(rig.keeper.state, "contended");
  deepStrictEqual(rig.log.map(({ message }) => message), ["node_name_taken"]);
});
