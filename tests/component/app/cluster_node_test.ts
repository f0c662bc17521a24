/**
 * A node and its lease at an API server that is slow, and between two agents of one name.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { RequestFault } from "../../support/cluster/request_fault.ts";
import {
  ClusterNodesRig,
  LEASE_PATH,
  type NodeAgent,
} from "../../support/cluster/cluster_nodes_rig.ts";
import { FakeRecords } from "../../support/source/fake_records.ts";

/** Each request takes so long, by the clock of the test; counts how many are under way. */
class SlowCalls {
  most = 0;
  #now = 0;
  readonly #stop = new AbortController();
  readonly #rig: ClusterNodesRig;

  constructor(rig: ClusterNodesRig) {
    this.#rig = rig;
  }

  /** A request is done after so many milliseconds. */
  by(ms: number): RequestFault {
    return {
      kind: "hold",
      until: async () => {
        this.most = Math.max(this.most, ++this.#now);
        this.#rig.held++;
        await this.#rig.clock.sleep(ms, this.#stop.signal);
        this.#rig.held--;
        this.#now--;
      },
    };
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }
}

const ALWAYS = { times: Infinity };
const WRITES = /^\/api(s\/coordination.k8s.io)?\/v1\/.*(nodes|leases)/;

const hasSaid = ({ messages }: NodeAgent, message: string): boolean =>
  messages.some((each) => each["message"] === message);

const countOf = (words: readonly string[], wanted: string): number =>
  words.filter((each) => each === wanted).length;

Deno.test("an API server that takes 9 s for each call renews the lease all ten seconds, and has the status (IN-12)", async () => {
  await using rig = new ClusterNodesRig();
  const agent = await rig.start("a");
  using slow = new SlowCalls(rig);
  agent.api.fail({ path: WRITES, ...ALWAYS }, slow.by(9_000));
  await rig.pass(60);
  strictEqual(agent.node.isOurs, true);
  agent.writes();
  let oldestMs = 0;
  let seconds = 0;
  await rig.pass(300, () => {
    oldestMs = Math.max(oldestMs, rig.leaseAgeMs);
    if (++seconds % 30 !== 0) return;
    agent.notReady = seconds % 60 === 0 ? [] : ["slow"];
  });
  const writes = agent.writes();
  const renewals = countOf(writes, "PUT lease");
  ok(renewals >= 28 && renewals <= 30, `${writes}`);
  // Never as old as would make the node look dead.
  ok(oldestMs <= 20_000, `${oldestMs}`);
  const reports = countOf(writes, "PATCH node");
  ok(reports >= 9 && reports <= 11, `${writes}`);
  // One for the lease, one for the status, one that begins a watch.
  ok(slow.most <= 3, `${slow.most}`);
  deepStrictEqual(
    agent.messages.filter(({ level }) => level === "error"),
    [],
  );
});

Deno.test("an API server that takes 60 s for each call is given up after 10 s, asked again at the next time, and not more (IN-12)", async () => {
  await using rig = new ClusterNodesRig();
  const agent = await rig.start("a");
  await rig.pass(15);
  ok(rig.lease !== undefined);
  using slow = new SlowCalls(rig);
  agent.api.fail({ path: WRITES, times: 400 }, slow.by(60_000));
  agent.writes();
  await rig.pass(300);
  const writes = agent.writes();
  const tries = countOf(writes, "PUT lease");
  ok(tries >= 10 && tries <= 30, `${writes}`);
  ok(hasSaid(agent, "lease_not_renewed"));
  // Another agent might have the lease by now.
  strictEqual(agent.node.isOurs, false);
  // Those that the server still works at, of which this agent knows nothing any more.
  ok(slow.most <= 2 * 60 / 10 + 3, `${slow.most}`);
  agent.api.faults.clear();
  await rig.pass(25);
  ok(rig.leaseAgeMs <= 11_000, `${rig.leaseAgeMs}`);
  strictEqual(agent.node.isOurs, true);
});

Deno.test("a status that hangs holds up no lease (IN-12)", async () => {
  await using rig = new ClusterNodesRig();
  const agent = await rig.start("a");
  await rig.pass(15);
  using slow = new SlowCalls(rig);
  const path = /^\/api\/v1\/nodes\/edge1/;
  agent.api.fail({ path, ...ALWAYS }, slow.by(60_000));
  agent.notReady = ["slow"];
  agent.writes();
  let oldestMs = 0;
  await rig.pass(120, () => oldestMs = Math.max(oldestMs, rig.leaseAgeMs));
  ok(oldestMs <= 11_000, `${oldestMs}`);
  ok(countOf(agent.writes(), "PATCH node") >= 3);
});

/** Gives the node what a device plugin would have said. */
function addGpus(rig: ClusterNodesRig): void {
  rig.patch((node) => ({
    ...node,
    status: {
      ...rig.node?.status,
      capacity: { ...rig.node?.status?.capacity, "example.com/gpu": "2" },
    },
  }));
}

const gpus = ({ node }: ClusterNodesRig): string | undefined =>
  node?.status?.capacity?.["example.com/gpu"];

const archOf = ({ node }: ClusterNodesRig): string | undefined =>
  node?.metadata.labels?.["kubernetes.io/arch"];

const hasHeard = (agent: NodeAgent): boolean =>
  hasSaid(agent, "node_name_taken");

const A = { ownLabels: { "kubernetes.io/arch": "arm64" } };
const B = { ownLabels: { "kubernetes.io/arch": "amd64" } };

Deno.test("a second agent of a node name is told, and writes nothing until the first is silent; so does that one when it comes back", async () => {
  await using rig = new ClusterNodesRig();
  const first = await rig.start("a", A);
  await rig.until(() => rig.lease !== undefined);
  strictEqual(first.node.isOurs, true);
  addGpus(rig);
  const second = await rig.start("b", B);
  await rig.pass(60);
  ok(hasHeard(second));
  deepStrictEqual(second.writes(), []);
  strictEqual(second.node.isOurs, false);
  deepStrictEqual([archOf(rig), gpus(rig)], ["arm64", "2"]);
  // Nothing of the first one comes through any more, though it lives.
  first.freeze();
  await rig.pass(25);
  deepStrictEqual(second.writes(), []);
  await rig.pass(40);
  strictEqual(second.node.isOurs, true);
  strictEqual(first.node.isOurs, false);
  // It is taken on as upstream takes on a node that was there.
  deepStrictEqual([archOf(rig), gpus(rig)], ["amd64", "0"]);
  first.writes();
  first.notReady = ["it has been away"];
  first.thaw();
  first.api.cutAll();
  await rig.pass(60);
  ok(hasHeard(first));
  strictEqual(first.node.isOurs, false);
  strictEqual(second.node.isOurs, true);
  deepStrictEqual(
    first.writes().filter((each) => each.endsWith("node")),
    [],
  );
  strictEqual(archOf(rig), "amd64");
  await second[Symbol.asyncDispose]();
  await rig.pass(70);
  strictEqual(first.node.isOurs, true);
  strictEqual(archOf(rig), "arm64");
});

Deno.test("of two agents that begin at once one makes the node and has it, and the other writes nothing of it", async () => {
  await using rig = new ClusterNodesRig();
  const agents = [await rig.start("a", A), await rig.start("b", B)];
  await rig.pass(30);
  const [owner, ...others] = agents.toSorted((each) =>
    each.node.isOurs ? -1 : 1
  );
  strictEqual(owner?.node.isOurs, true);
  strictEqual(
    rig.lease?.metadata.ownerReferences?.[0]?.uid,
    rig.node?.metadata.uid,
  );
  for (const other of others) {
    strictEqual(other.node.isOurs, false);
    ok(hasHeard(other));
    ok(!other.writes().includes("PATCH node"));
  }
});

Deno.test("where leases may not be read the node is told of all the same, and the log says why", async () => {
  await using rig = new ClusterNodesRig();
  const agent = await rig.start("a", A);
  agent.api.fail({ path: /leases/, ...ALWAYS }, {
    ...{ kind: "refuse", code: 403, reason: "Forbidden" },
  });
  await rig.pass(30);
  strictEqual(agent.node.isOurs, true);
  ok(hasSaid(agent, "lease_not_renewed"));
  strictEqual(archOf(rig), "arm64");
  agent.api.faults.clear();
  await rig.pass(15);
  ok(rig.lease !== undefined);
});

Deno.test("a node that somebody deletes is made again, and its lease goes with the new one", async () => {
  await using rig = new ClusterNodesRig();
  const agent = await rig.start("a", A);
  await rig.until(() => rig.lease !== undefined);
  const before = rig.node?.metadata.uid;
  rig.delete(LEASE_PATH);
  rig.delete();
  await rig.until(() => rig.node !== undefined && rig.lease !== undefined);
  ok(rig.node !== undefined && rig.node.metadata.uid !== before);
  const [owner] = rig.lease?.metadata.ownerReferences ?? [];
  strictEqual(owner?.uid, rig.node.metadata.uid);
  strictEqual(agent.node.isOurs, true);
});

Deno.test("a node that somebody deletes before it has a lease is made again", async () => {
  await using rig = new ClusterNodesRig();
  const agent = await rig.start("a", A);
  const leases = { path: /leases$/, method: "POST", ...ALWAYS };
  agent.api.fail(leases, {
    ...{ kind: "refuse", code: 500, reason: "InternalError" },
  });
  await rig.until(() => rig.node !== undefined);
  rig.delete();
  await rig.pass(1);
  agent.api.faults.clear();
  await rig.until(() => rig.lease !== undefined && rig.node !== undefined);
});

Deno.test("what the cluster says of the node is known when it is shown, and kept for times without a server", async () => {
  await using rig = new ClusterNodesRig();
  const files = new FakeRecords();
  {
    await using agent = await rig.start("a", { ...A, files });
    strictEqual(agent.node.isKnown, false);
    await rig.until(() => agent.node.known !== undefined);
    strictEqual(agent.node.hasSynced, true);
    rig.patch((node) => ({ ...node, spec: { taints: [TAINT] } }));
    await rig.until(() => agent.node.known?.taints.length === 1);
    await rig.until(() => rig.lease !== undefined);
    await rig.pass(30);
    // Two states of the node, and nothing for what is said of it every ten seconds.
    ok(files.writes <= 2, `${files.calls}`);
  }
  const later = await rig.start("a", { ...A, files, isAway: true });
  await rig.until(() => later.node.isKnown);
  strictEqual(later.node.hasSynced, false);
  deepStrictEqual(later.node.known?.taints, [TAINT]);
  strictEqual(later.node.known?.labels["kubernetes.io/arch"], "arm64");
  ok(later.told > 0);
  // It was deleted meanwhile, so it is as it is registered again.
  rig.delete();
  const { told } = later;
  later.thaw();
  await rig.until(() => later.node.hasSynced);
  ok(later.told > told);
});

const TAINT = { key: "gone", effect: "NoExecute" };
