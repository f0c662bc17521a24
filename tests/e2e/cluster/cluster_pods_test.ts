/**
 * Pods that an API server gives to an agent: how they change, end and are refused.
 *
 * @module
 */

import { match, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { BUSYBOX_IMAGE } from "../../../scripts/lib/containerd_rig.ts";
import { waitUntil } from "../../../scripts/lib/wait_until.ts";
import { parseQuantity } from "../../../mod/api/objects/mod.ts";
import type { Pod } from "../../../mod/api/types/mod.ts";
import type { Cluster } from "../../support/cluster/cluster.ts";
import {
  joinedContainer as container,
  JoinedRig,
} from "../../support/cluster/joined_rig.ts";
import { onlyKubeletCalls } from "../../support/cluster/kubelet_calls.ts";
import { withCluster } from "../../support/cluster/with_cluster.ts";

/** One node with its agent, and kubectl. */
class PodsRig implements AsyncDisposable {
  readonly #rig: JoinedRig;

  private constructor(rig: JoinedRig) {
    this.#rig = rig;
  }

  static async start(cluster: Cluster, node: string): Promise<PodsRig> {
    const rig = await JoinedRig.start(cluster, node);
    await rig.untilReady();
    return new PodsRig(rig);
  }

  get agent(): JoinedRig["agent"] {
    return this.#rig.agent;
  }

  /** Makes a pod on the node. */
  async pod(name: string, spec: object, metadata: object = {}): Promise<void> {
    await this.#rig.create({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "default", ...metadata },
      spec: {
        nodeName: this.#rig.nodeName,
        automountServiceAccountToken: false,
        terminationGracePeriodSeconds: 1,
        ...spec,
      },
    });
  }

  /** Runs kubectl, which has to be content. */
  async do(...args: readonly string[]): Promise<string> {
    const { ok: isDone, text } = await this.#rig.cluster.kubectl(args);
    ok(isDone, text);
    return text;
  }

  /** A part of a pod as the cluster has it. */
  async part(name: string, path: string): Promise<string> {
    const look = ["get", "pod", name, "-o", `jsonpath={${path}}`];
    return (await this.#rig.cluster.kubectl(look)).text;
  }

  /** How much the node has for pods, in thousandths. */
  async allocatable(resource: string): Promise<number> {
    const path = `jsonpath={.status.allocatable.${resource}}`;
    const text = await this.do("get", "node", this.#rig.nodeName, "-o", path);
    return Number(parseQuantity(text).nano / 1_000_000n);
  }

  /** Waits until a part of a pod is this. */
  async until(name: string, path: string, text: string): Promise<void> {
    let seen = "";
    await waitUntil(`${name}${path} "${text}"`, async () => {
      seen = await this.part(name, path);
      return seen === text;
    }, { saw: () => seen });
  }

  async runs(name: string): Promise<string> {
    await this.until(name, ".status.phase", "Running");
    return await this.part(name, ID);
  }

  /** Waits until the cluster has no pod of the name. */
  async gone(name: string): Promise<void> {
    await waitUntil(
      `no pod "${name}"`,
      async () =>
        await this.do("get", "pod", name, "--ignore-not-found") === "",
    );
  }

  /** The pods of the name on the node. */
  async here(name: string): Promise<readonly Pod[]> {
    const pods = await this.agent.pods() ?? [];
    return pods.filter(({ metadata }) => metadata.name === name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.do("delete", "pods", "--all", "--force", "--grace-period=0");
    await this.#rig[Symbol.asyncDispose]();
  }
}

const ID = ".status.containerStatuses[0].containerID";
const SLEEP = { containers: [container("sleep 3600")] };
const DEAF = {
  containers: [container("trap '' TERM; while true; do sleep 1; done")],
  terminationGracePeriodSeconds: 3600,
};

await withCluster("pods of a cluster", (test) => {
  test("a pod ends with the grace of the request, sooner when that is shortened, and its last status comes first (ST-12)", async (cluster) => {
    await using rig = await PodsRig.start(cluster, "pods1");
    // What has a finalizer shows how it was when it was removed.
    await rig.pod("deaf", DEAF, { finalizers: ["example.com/keep"] });
    await rig.pod("gated", {
      ...SLEEP,
      nodeName: undefined,
      schedulingGates: [{ name: "example.com/wait" }],
    });
    await rig.runs("deaf");
    await rig.do("delete", "pod", "deaf", "--wait=false", "--grace-period=600");
    await rig.until("deaf", ".metadata.deletionGracePeriodSeconds", "600");
    await waitUntil(
      "a pod that ends",
      async () =>
        (await rig.here("deaf"))[0]?.metadata.deletionTimestamp !== undefined,
    );
    await rig.do("delete", "pod", "deaf", "--wait=false", "--grace-period=2");
    await waitUntil(
      "nothing of it here",
      async () => (await rig.here("deaf")).length === 0,
    );
    await rig.until("deaf", ".metadata.deletionGracePeriodSeconds", "0");
    strictEqual(await rig.part("deaf", ".status.phase"), "Failed");
    const exit = ".status.containerStatuses[0].state.terminated.exitCode";
    strictEqual(await rig.part("deaf", exit), "137");
    strictEqual(
      await rig.part("deaf", ".status.observedGeneration"),
      await rig.part("deaf", ".metadata.generation"),
    );
    await rig.do(
      ...["patch", "pod", "deaf", "--type=merge"],
      ...["-p", '{"metadata":{"finalizers":null}}'],
    );
    await rig.gone("deaf");
    strictEqual((await rig.here("gated")).length, 0);

    // Force: the cluster has it no more, and here it ends within its grace.
    await rig.pod("forced", SLEEP);
    const before = await rig.runs("forced");
    await rig.do("delete", "pod", "forced", "--force", "--grace-period=0");
    await rig.pod("forced", SLEEP);
    const after = await rig.runs("forced");
    notStrictEqual(after, before);
    const here = await rig.here("forced");
    strictEqual(here.length, 1);
    strictEqual(
      here[0]?.metadata.uid,
      await rig.part("forced", ".metadata.uid"),
    );
  });

  test("readiness gates, ephemeral containers and resizes reach a pod that runs", async (cluster) => {
    await using rig = await PodsRig.start(cluster, "pods2");
    const resources = {
      requests: { cpu: "100m", memory: "32Mi" },
      limits: { cpu: "200m", memory: "64Mi" },
    };
    await rig.pod("web", {
      readinessGates: [{ conditionType: "example.com/open" }],
      containers: [container("sleep 3600", { resources })],
    });
    const id = await rig.runs("web");
    const condition = (type: string, field = "status") =>
      `.status.conditions[?(@.type=="${type}")].${field}`;
    await rig.until("web", condition("ContainersReady"), "True");
    await rig.until(
      "web",
      condition("Ready", "reason"),
      "ReadinessGatesNotReady",
    );
    const open = (status: string) =>
      rig.do(
        ...["patch", "pod", "web", "--subresource=status", "-p"],
        JSON.stringify({
          status: { conditions: [{ type: "example.com/open", status }] },
        }),
      );
    await open("True");
    await rig.until("web", condition("Ready"), "True");
    await open("False");
    await rig.until("web", condition("Ready"), "False");
    strictEqual(await rig.part("web", condition("example.com/open")), "False");

    await rig.do(
      ...["debug", "web", `--image=${BUSYBOX_IMAGE}`, "--container=look"],
      ...["--image-pull-policy=IfNotPresent", "--attach=false", "--"],
      ...["sleep", "3600"],
    );
    const look = '.status.ephemeralContainerStatuses[?(@.name=="look")]';
    await waitUntil(
      "an ephemeral container",
      async () =>
        (await rig.part("web", `${look}.state.running.startedAt`)) !== "",
    );

    const resize = (cpu: string) =>
      rig.do(
        ...["patch", "pod", "web", "--subresource=resize", "-p"],
        JSON.stringify({
          spec: {
            containers: [{
              name: "main",
              resources: { requests: { cpu }, limits: { cpu: "200000" } },
            }],
          },
        }),
      );
    const [status] = [".status.containerStatuses[0]"];
    await resize("150m");
    await rig.until("web", `${status}.resources.requests.cpu`, "150m");
    await rig.until("web", `${status}.allocatedResources.cpu`, "150m");
    await rig.until("web", condition("PodResizeInProgress"), "");
    // What another pod has is free when that one is gone.
    const cpus = await rig.allocatable("cpu");
    await rig.pod("other", {
      containers: [
        container("sleep 3600", {
          resources: { requests: { cpu: `${cpus - 500}m` } },
        }),
      ],
    });
    await rig.runs("other");
    const more = `${cpus - 100}m`;
    await resize(more);
    await rig.until("web", condition("PodResizePending", "reason"), "Deferred");
    strictEqual(
      await rig.part("web", `${status}.allocatedResources.cpu`),
      "150m",
    );
    await rig.do("delete", "pod", "other", "--timeout=100s");
    await rig.until("web", `${status}.allocatedResources.cpu`, more);
    await rig.until("web", condition("PodResizePending"), "");
    await resize("120m");
    await rig.until("web", `${status}.resources.requests.cpu`, "120m");
    strictEqual(await rig.part("web", ID), id);
    strictEqual(await rig.part("web", `${status}.restartCount`), "0");
    await rig.until(
      "web",
      ".status.observedGeneration",
      await rig.part("web", ".metadata.generation"),
    );
  });

  test("pods that were deleted, replaced or came to their end while the agent was down", async (cluster) => {
    await using rig = await PodsRig.start(cluster, "pods3");
    const ids = new Map<string, string>();
    for (const name of ["stays", "deleted", "replaced"]) {
      await rig.pod(name, SLEEP);
    }
    await rig.pod("ends", {
      restartPolicy: "Never",
      containers: [container("sleep 15; exit 3")],
    });
    for (const name of ["stays", "deleted", "replaced", "ends"]) {
      ids.set(name, await rig.runs(name));
    }
    await rig.agent.kill();
    await rig.do("delete", "pod", "deleted", "--wait=false");
    await rig.do("delete", "pod", "replaced", "--force", "--grace-period=0");
    await rig.pod("replaced", SLEEP);
    await rig.agent.start();
    await rig.gone("deleted");
    notStrictEqual(await rig.runs("replaced"), ids.get("replaced"));
    strictEqual((await rig.here("replaced")).length, 1);
    await rig.until("ends", ".status.phase", "Failed");
    const ended = ".status.containerStatuses[0].state.terminated.exitCode";
    strictEqual(await rig.part("ends", ended), "3");
    strictEqual(await rig.part("stays", ID), ids.get("stays"));
    strictEqual(
      await rig.part("stays", ".status.containerStatuses[0].restartCount"),
      "0",
    );
    // Once more, with nothing to do: nothing that runs is touched.
    const runs = await rig.part("replaced", ID);
    await rig.agent.kill();
    await rig.agent.start();
    await waitUntil(
      "the pods again",
      async () =>
        (await rig.here("stays")).length === 1 &&
        (await rig.here("ends"))[0]?.status?.phase === "Failed",
    );
    await rig.pod("later", SLEEP);
    await rig.runs("later");
    strictEqual(await rig.part("stays", ID), ids.get("stays"));
    strictEqual(await rig.part("replaced", ID), runs);
    strictEqual(await rig.part("ends", ID), ids.get("ends"));
  });

  test("a pod that the node cannot run has failed, says why, and can be deleted", async (cluster) => {
    await using rig = await PodsRig.start(cluster, "pods4");
    const nfs = { name: "v", nfs: { server: "192.0.2.1", path: "/" } };
    const much = { resources: { requests: { cpu: "100000" } } };
    const refused: Readonly<Record<string, readonly [object, string, RegExp]>> =
      {
        volume: [
          { ...SLEEP, volumes: [nfs] },
          "PodFeatureUnsupported",
          /spec\.volumes\[0\]\.nfs/,
        ],
        affinity: [
          { ...SLEEP, nodeSelector: { disk: "none" } },
          "NodeAffinity",
          /node affinity/,
        ],
        resources: [
          { containers: [container("sleep 1", much)] },
          "OutOfcpu",
          /cpu/,
        ],
        system: [
          { ...SLEEP, os: { name: "windows" } },
          "PodOSNotSupported",
          /OS/,
        ],
      };
    for (const [name, [spec, reason, words]] of Object.entries(refused)) {
      await rig.pod(name, spec);
      await rig.until(name, ".status.phase", "Failed");
      strictEqual(await rig.part(name, ".status.reason"), reason);
      match(await rig.part(name, ".status.message"), words);
    }
    // What was refused stays so, also with a new agent.
    await rig.agent.kill();
    await rig.agent.start();
    await rig.pod("web", SLEEP);
    await rig.runs("web");
    for (const name of Object.keys(refused)) {
      strictEqual(await rig.part(name, ".status.phase"), "Failed");
      await rig.do("delete", "pod", name, "--timeout=100s");
    }
  });

  test("all of it took no call that a kubelet does not make, and none that is not its right", async (cluster) => {
    await onlyKubeletCalls(cluster);
  });
});
