/**
 * Pods of manifests beside a real cluster: their mirrors, their names, and what operators do to
 * the node under them.
 *
 * @module
 */

import { match, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { runSkerry } from "../../../scripts/lib/run_skerry.ts";
import { waitUntil } from "../../../scripts/lib/wait_until.ts";
import type { Cluster } from "../../support/cluster/cluster.ts";
import {
  joinedContainer as container,
  JoinedRig,
} from "../../support/cluster/joined_rig.ts";
import { withCluster } from "../../support/cluster/with_cluster.ts";

const RUNNING = /1\/1\s+Running/;

/** Takes its time to end, and says so in a file of the node. */
const slow = (directory: string, version: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "kiosk", labels: { version } },
  spec: {
    terminationGracePeriodSeconds: 60,
    containers: [
      container(
        "trap 'touch /shared/asked; until [ -e /shared/may-end ]; do sleep 0.1; done; exit 3' TERM; touch /shared/began; while :; do sleep 0.1; done",
        { volumeMounts: [{ name: "shared", mountPath: "/shared" }] },
      ),
    ],
    volumes: [{ name: "shared", hostPath: { path: directory } }],
  },
});

/** An agent with one slow pod of a manifest. */
class MirrorRig implements AsyncDisposable {
  readonly joined: JoinedRig;
  readonly name: string;
  readonly shared: string;

  private constructor(joined: JoinedRig) {
    this.joined = joined;
    this.name = `kiosk-${joined.nodeName}`;
    this.shared = `${joined.agent.directory}/shared`;
  }

  static async start(cluster: Cluster, node: string): Promise<MirrorRig> {
    const rig = new MirrorRig(await JoinedRig.start(cluster, node));
    await rig.joined.untilReady();
    await Deno.mkdir(rig.shared);
    return rig;
  }

  /** Puts the manifest there, and gives the UID of its mirror once that runs. */
  async run(version = "1"): Promise<string> {
    const { agent } = this.joined;
    await agent.apply("kiosk.json", slow(this.shared, version));
    await this.untilFile("began");
    return await this.untilRunning();
  }

  async untilRunning(): Promise<string> {
    await this.joined.until(
      "a mirror that runs",
      ["get", "pod", this.name, "--no-headers"],
      (text) => RUNNING.test(text),
    );
    return await this.part(".metadata.uid");
  }

  /** A field of the mirror; empty when there is none. */
  async part(path: string): Promise<string> {
    const { ok: isThere, text } = await this.joined.cluster.kubectl([
      ...["get", "pod", this.name, "-o", `jsonpath={${path}}`],
    ]);
    return isThere ? text : "";
  }

  async untilFile(name: string): Promise<void> {
    await waitUntil(`the file ${name}`, async () => {
      try {
        await Deno.stat(`${this.shared}/${name}`);
        return true;
      } catch {
        // Not yet.
        return false;
      }
    });
  }

  /** Lets what has been asked to end do so. */
  async letEnd(): Promise<void> {
    await Deno.writeTextFile(`${this.shared}/may-end`, "");
  }

  async clear(): Promise<void> {
    for (const name of ["asked", "began", "may-end"]) {
      await Deno.remove(`${this.shared}/${name}`).catch(() => {});
    }
  }

  async untilGone(): Promise<void> {
    await this.joined.until(
      "no mirror",
      ["get", "pods", "-o", "name"],
      (text) => !text.includes(this.name),
    );
  }

  /** The ids of the containers here. */
  async ids(): Promise<string> {
    const pods = await this.joined.agent.pods() ?? [];
    return pods.map(({ status }) => status?.containerStatuses?.[0]?.containerID)
      .join();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.letEnd();
    await this.joined[Symbol.asyncDispose]();
  }
}

await withCluster("pods of manifests beside a cluster", (test) => {
  test("a mirror stays until its pod has ended, over a restart of the agent, and is another one after an edit (ST-10)", async (cluster) => {
    await using rig = await MirrorRig.start(cluster, "mirror1");
    const { agent } = rig.joined;
    const first = await rig.run();
    // An edit: the mirror of before shows the pod of before, which ends.
    await agent.apply("kiosk.json", slow(rig.shared, "2"));
    await rig.untilFile("asked");
    strictEqual(await rig.part(".metadata.uid"), first);
    strictEqual(await rig.part(".metadata.labels.version"), "1");
    await rig.letEnd();
    await rig.joined.until(
      "the mirror of the edit",
      ["get", "pod", rig.name, "-o", "jsonpath={.metadata.labels.version}"],
      (text) => text === "2",
    );
    const second = await rig.untilRunning();
    notStrictEqual(second, first);
    // The manifest goes, and the agent with it for a while.
    await rig.clear();
    await agent.removeManifest("kiosk.json");
    await rig.untilFile("asked");
    strictEqual(await rig.part(".metadata.uid"), second);
    await agent.kill();
    await agent.start();
    await agent.until("a pod that ends", (pods) => pods.length <= 1);
    strictEqual(await rig.part(".metadata.uid"), second);
    await rig.letEnd();
    await rig.untilGone();
  });

  test("a pod of the cluster with the name of a manifest's waits for it, and both say so", async (cluster) => {
    await using rig = await MirrorRig.start(cluster, "mirror2");
    const { joined } = rig;
    await rig.run();
    const before = await rig.ids();
    await joined.agent.terminate();
    await joined.kubectl(
      ...["delete", "pod", rig.name, "--grace-period=0", "--force"],
    );
    await joined.create({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: rig.name, namespace: "default" },
      spec: { nodeName: "mirror2", containers: [container("sleep 3600")] },
    });
    await joined.agent.start();
    await joined.until(
      "the clash at the cluster's pod",
      ["describe", "pod", rig.name],
      (text) => /Warning\s+NameClash\s.*the one that runs keeps/.test(text),
    );
    await waitUntil(
      "the same container",
      async () => (await rig.ids()).includes(before),
    );
    strictEqual(await rig.part(".status.phase"), "Pending");
    const { text } = await joined.agent.get(
      `/reports/default/${rig.name}`,
    );
    match(text, /another pod of this name/);
    await rig.letEnd();
    await joined.agent.removeManifest("kiosk.json");
    await rig.untilRunning();
    await joined.kubectl("delete", "pod", rig.name, "--timeout=100s");
  });

  test("pods of manifests survive a drain, and a node that is deleted under them", async (cluster) => {
    await using rig = await MirrorRig.start(cluster, "mirror3");
    const { joined } = rig;
    const uid = await rig.run();
    const before = await rig.ids();
    await joined.kubectl("drain", "mirror3", "--timeout=60s");
    strictEqual(await rig.part(".metadata.uid"), uid);
    const node = ["get", "node", "mirror3", "-o", "jsonpath={.metadata.uid}"];
    const first = await joined.kubectl(...node);
    await joined.kubectl("delete", "node", "mirror3");
    await joined.until(
      "another node of the name",
      node,
      (text) => /^[0-9a-f-]{36}$/.test(text) && text !== first,
    );
    await joined.untilReady();
    // The mirror before belonged to the node before, and goes with it.
    const second = await joined.kubectl(...node);
    const owner = ".metadata.ownerReferences[0].uid";
    await waitUntil(
      "a mirror of the new node",
      async () => await rig.part(owner) === second,
      { saw: () => rig.part(owner) },
    );
    await rig.untilRunning();
    strictEqual(await rig.ids(), before);
    strictEqual(
      await rig.part(".status.containerStatuses[0].restartCount"),
      "0",
    );
    // Nothing of the cordon is left: it was the node's.
    strictEqual(
      await joined.kubectl(
        ...["get", "node", "mirror3", "-o", "jsonpath={.spec.unschedulable}"],
      ),
      "",
    );
  });

  test("who is at the device sees that the API server is away, and what is kept", async (cluster) => {
    await using rig = await MirrorRig.start(cluster, "mirror4");
    const { agent } = rig.joined;
    const get = (...args: string[]) =>
      runSkerry(["get", ...args, `--control-socket=${agent.socketPath}`]);
    await rig.joined.create({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "app", namespace: "default" },
      spec: { nodeName: "mirror4", containers: [container("sleep 3600")] },
    });
    await rig.joined.until(
      "a pod that runs",
      ["get", "pod", "app", "--no-headers"],
      (text) => RUNNING.test(text),
    );
    match((await get("sources")).stdout, /^api\s+True\s+1\s+0\s+OK\s/m);
    strictEqual((await get("pods")).stderr, "");
    await cluster.endPart("kube-apiserver", "SIGKILL");
    await waitUntil(
      "a word on it",
      async () =>
        /^The API server https:\S+ has not answered for \S+ \(since \S+\): 1 pod runs on from what it had; kept: pods, /
          .test((await get("pods")).stderr),
    );
    match(
      (await get("sources")).stdout,
      /^api\s+True\s+1\s+0\s+Unreachable\s/m,
    );
    strictEqual((await get("pods", "-o", "json")).stderr, "");
    const said = await runSkerry([
      ...["explain", "pod/app", `--control-socket=${agent.socketPath}`],
    ]);
    match(said.stdout, /The API server https:\S+ has not answered since/);
    await cluster.startPart("kube-apiserver");
    await waitUntil(
      "an answer",
      async () => (await get("pods")).stderr === "",
    );
    ok((await get("sources")).stdout.includes("OK"));
    await rig.joined.kubectl("delete", "pod", "app", "--timeout=100s");
  });
}, { hasControllers: true });
