/**
 * A DaemonSet on a node that is played.
 *
 * @module
 */

import type { Pod } from "../../../mod/api/types/mod.ts";
import type { DaemonSet } from "../../../mod/api/workload/mod.ts";
import {
  type DaemonNode,
  daemonSetController,
} from "../../../mod/controller/daemon/mod.ts";
import { formatTime } from "../../../mod/pod/status/mod.ts";
import { SimulatedNode } from "./simulated_node.ts";

const LABELS = { app: "log" };

/** A set `log`. */
export function daemonSet(
  spec: Partial<DaemonSet["spec"]> = {},
  image: string = "v1",
): DaemonSet {
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "log", namespace: "shop", uid: "log", generation: 1 },
    spec: {
      updateStrategy: {
        type: "RollingUpdate",
        rollingUpdate: { maxSurge: 0, maxUnavailable: 1 },
      },
      revisionHistoryLimit: 10,
      selector: { matchLabels: LABELS },
      template: {
        metadata: { labels: LABELS },
        spec: { containers: [{ name: "log", image }] },
      },
      ...spec,
    },
  };
}

/** With a surge of one pod. */
export const SURGE: Partial<DaemonSet["spec"]> = {
  updateStrategy: {
    type: "RollingUpdate",
    rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
  },
};

/** A node with the controller of DaemonSets, on which pods take their time to end. */
export class DaemonRig implements AsyncDisposable {
  readonly on: SimulatedNode;

  constructor(labels?: DaemonNode["labels"]) {
    const node = { nodeName: "edge", ...(labels && { labels }) };
    this.on = new SimulatedNode().add(daemonSetController(node));
    this.on.objects.isGraceful = true;
  }

  get set(): DaemonSet | undefined {
    return this.on.get("DaemonSet", "log");
  }

  /** Puts the set there or edits it; its status stays. */
  async apply(wish: DaemonSet): Promise<void> {
    await this.on.edit("DaemonSet", wish);
  }

  /** Lets the controller do what it can do at once. */
  async rest(): Promise<void> {
    await this.on.rest();
  }

  /** The pods that are not to end. */
  get live(): Pod[] {
    return this.on.pods().filter(({ metadata }) =>
      metadata.deletionTimestamp === undefined
    );
  }

  /** The pods as `v1 Running`, with what is said of their end. */
  get pods(): string[] {
    return this.on.pods().map(({ metadata, spec, status }) => {
      const isReady = status?.conditions?.some((each) =>
        each.status === "True"
      );
      const state = metadata.deletionTimestamp !== undefined
        ? "ending"
        : isReady
        ? "ready"
        : status?.phase ?? "new";
      return `${spec.containers[0]?.image} ${state}`;
    });
  }

  /** What was done to pods since the last time: `create`, `delete`. */
  calls(): string[] {
    return this.on.objects.calls.splice(0)
      .filter((each) => / Pod /.test(each))
      .map((each) => each.split(" ")[0] ?? "");
  }

  /** Gives a pod a status, as the kubelet does. */
  async report(pod: Pod, isReady: boolean, phase = "Running"): Promise<void> {
    const now = this.on.get("Pod", pod.metadata.name);
    const lastTransitionTime = formatTime(this.on.clock.now());
    const status = isReady ? "True" : "False";
    const conditions = [{ type: "Ready", status, lastTransitionTime }];
    this.on.objects.put({
      ...now ?? pod,
      ...{ status: { phase, conditions } },
    });
    await this.rest();
  }

  /** Fails all pods that live. */
  async fail(phase = "Failed"): Promise<void> {
    for (const pod of this.live) await this.report(pod, false, phase);
  }

  /** Makes all pods ready, and ends those that are to end. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) {
      for (const { metadata } of this.on.pods()) {
        if (metadata.deletionTimestamp === undefined) continue;
        this.on.objects.drop("Pod", metadata.namespace, metadata.name);
      }
      await this.rest();
      const waiting = this.live.filter(({ status }) =>
        status?.conditions?.[0]?.status !== "True" &&
        !["Failed", "Succeeded"].includes(status?.phase ?? "")
      );
      for (const pod of waiting) await this.report(pod, true);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.on[Symbol.asyncDispose]();
  }
}
