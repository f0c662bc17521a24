/**
 * The node's own controllers at a real API server, in the place of the cluster's.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { hasFailed } from "../../../mod/api/access/mod.ts";
import type { Pod, PodStatus } from "../../../mod/api/types/mod.ts";
import type { ReplicaSet } from "../../../mod/api/workload/mod.ts";
import { systemClock, systemRandom } from "../../../mod/base/mod.ts";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import { deploymentController } from "../../../mod/controller/deployment/mod.ts";
import { jobController } from "../../../mod/controller/job/mod.ts";
import { replicaSetController } from "../../../mod/controller/replicas/mod.ts";
import {
  CONTROLLER_KINDS,
  ControllerManager,
  InformerCache,
} from "../../../mod/controller/run/mod.ts";
import { SharedInformerFactory } from "../../../mod/informer/shared/mod.ts";
import { KubeconfigFile } from "../../../mod/kube/config/mod.ts";
import {
  KubeKind,
  KubeObjects,
  kubeResource,
} from "../../../mod/kube/objects/mod.ts";
import { KubeTransport } from "../../../mod/kube/transport/mod.ts";
import { waitUntil } from "../../../scripts/lib/wait_until.ts";
import type { Cluster } from "../../support/cluster/cluster.ts";
import { withCluster } from "../../support/cluster/with_cluster.ts";
import { linesTo } from "../../support/log_lines.ts";

await withCluster("controllers of the node at an API server", (test) => {
  test(
    "roll a Deployment out, run a Job, and nothing is left of what is deleted",
    runs,
  );
}, {
  // What is left without an owner is removed by the cluster, whoever has made it.
  controllers: ["garbage-collector-controller"],
});

async function runs(cluster: Cluster): Promise<void> {
  await cluster.startPart("kube-controller-manager");
  await using controllers = new Controllers(cluster);
  const kubectl = (line: string) => controllers.kubectl(line);
  const status = () => kubectl("rollout status deployment web --timeout=60s");
  await kubectl("create deployment web --image=web:1 --replicas=3");
  await controllers.until("rs", ["3 of 3, 3 ready, 3 available"]);
  match(await status(), /^deployment "web" successfully rolled out$/m);
  await kubectl("set image deployment web web=web:2");
  match(await status(), /^deployment "web" successfully rolled out$/m);
  await controllers.until("rs", ["", "3 of 3, 3 ready, 3 available"]);
  await kubectl("rollout undo deployment web");
  await controllers.until("rs", ["3 of 3, 3 ready, 3 available", ""]);
  strictEqual(
    await kubectl("rollout history deployment web"),
    "deployment.apps/web \nREVISION  CHANGE-CAUSE\n2         <none>\n3         <none>\n\n",
  );
  await kubectl("create job pi --image=pi:1");
  await kubectl("wait --for=condition=complete job/pi --timeout=60s");
  await kubectl("delete deployment/web job/pi");
  await controllers.until("rs,pods", []);
  deepStrictEqual(controllers.warnings, []);
  const told = Map.groupBy(controllers.told, (each) => each);
  // No pod was made, and none was ended, that the rollouts do not take.
  deepStrictEqual(
    [...told].map(([words, { length }]) => `${length} ${words}`).toSorted(),
    [
      "1 Job Completed",
      "1 Job SuccessfulCreate",
      "13 Deployment ScalingReplicaSet",
      "6 ReplicaSet SuccessfulDelete",
      "9 ReplicaSet SuccessfulCreate",
    ],
  );
}

/** The controllers, and a kubelet that says of each pod that it is well. */
class Controllers implements AsyncDisposable {
  readonly told: string[] = [];
  readonly #cluster: Cluster;
  readonly #transport: KubeTransport;
  readonly #lines: string[] = [];
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    const deps = {
      clock: systemClock,
      random: systemRandom,
      log: linesTo(this.#lines, { level: "warn" }),
      metrics: new MetricsRegistry(),
      freezes: true,
    };
    const source = new KubeconfigFile(
      cluster.adminKubeconfig,
      Deno.readTextFile,
    );
    const transport = new KubeTransport({ ...deps, source }, {
      userAgent: "skerry/test",
    });
    this.#transport = transport;
    const factory = new SharedInformerFactory(deps);
    const cache = new InformerCache(
      (kind) =>
        new KubeKind(
          transport,
          kubeResource({ apiVersion: CONTROLLER_KINDS[kind], kind }),
        ),
      factory,
    );
    const events = {
      record: (
        { kind }: { readonly kind?: string },
        { reason }: { readonly reason: string },
      ) => void this.told.push(`${kind} ${reason}`),
    };
    const client = new KubeObjects(transport);
    const manager = new ControllerManager({
      ...deps,
      ...{ cache, factory, client, events },
    }).add(deploymentController).add(replicaSetController).add(jobController);
    const { signal } = this.#stop;
    cache.informer("Pod").addHandler(async ({ kind, object: pod }) => {
      if (kind !== "added") return;
      const object: Pod = { ...pod, status: wellStatus(pod) };
      await client.updateStatus(object, signal).catch((error) => {
        // It was deleted meanwhile.
        if (!hasFailed(error, "NotFound")) throw error;
      });
    }, { name: "kubelet" });
    this.#running = manager.run(this.#stop.signal);
  }

  /** Runs kubectl. @throws {Error} When that fails */
  async kubectl(line: string): Promise<string> {
    const { ok, text } = await this.#cluster.kubectl(line.split(" "));
    if (!ok) throw new Error(`Cannot "${line}": ${text}`);
    return text;
  }

  /** Waits until the ReplicaSets are so, or nothing is there, in the order of their making. */
  async until(kinds: string, wanted: readonly string[]): Promise<void> {
    let seen: readonly string[] = [];
    await waitUntil(`${kinds}: ${wanted.join("; ")}`, async () => {
      const { items }: { readonly items: readonly ReplicaSet[] } = JSON.parse(
        await this.kubectl(
          `get ${kinds} -o json --sort-by=.spec.template.spec.containers[0].image`,
        ),
      );
      seen = items.map(wordsOf);
      return seen.join() === wanted.join();
    }, { saw: () => seen });
  }

  /** What the log says from "warn" on. */
  get warnings(): readonly string[] {
    return this.#lines;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new DOMException("over", "AbortError"));
    await this.#running;
    await this.#transport[Symbol.asyncDispose]();
  }
}

/** The status of a pod that ends well at once if it belongs to a Job, and is ready otherwise. */
function wellStatus({ metadata, spec }: Pod): PodStatus {
  const [container] = spec.containers;
  const { name = "", image = "" } = container ?? {};
  const startTime = new Date().toISOString();
  const common = { name, image, imageID: "", restartCount: 0 };
  const isJob = metadata.ownerReferences?.some(({ kind }) => kind === "Job");
  const conditions = ["Ready", "ContainersReady", "PodScheduled"].map((type) =>
    ({ type, status: "True", lastTransitionTime: startTime }) as const
  );
  if (!isJob) {
    const running = { startedAt: startTime };
    const state = { state: { running }, ready: true };
    const containerStatuses = [{ ...common, ...state }];
    return { phase: "Running", startTime, conditions, containerStatuses };
  }
  const terminated = {
    exitCode: 0,
    startedAt: startTime,
    finishedAt: startTime,
  };
  const state = { state: { terminated }, ready: false };
  const containerStatuses = [{ ...common, ...state }];
  return { phase: "Succeeded", startTime, conditions: [], containerStatuses };
}

function wordsOf({ kind, metadata, spec, status }: ReplicaSet): string {
  if (kind !== "ReplicaSet") return `${kind} ${metadata.name}`;
  if (spec.replicas === 0 && status?.replicas === 0) return "";
  const { replicas, readyReplicas, availableReplicas } = status ?? {};
  return `${replicas} of ${spec.replicas}, ${readyReplicas} ready, ${availableReplicas} available`;
}
