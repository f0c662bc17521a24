/**
 * A StatefulSet on a node that is played.
 *
 * @module
 */

import type { Pod, PodCondition } from "../../../mod/api/types/mod.ts";
import type {
  PersistentVolumeClaim,
  StatefulSet,
} from "../../../mod/api/workload/mod.ts";
import { statefulSetController } from "../../../mod/controller/stateful/mod.ts";
import { formatTime } from "../../../mod/pod/status/mod.ts";
import { SimulatedNode } from "./simulated_node.ts";

const LABELS = { app: "db" };

/** What of a set a test says. */
export type StatefulSpec = Partial<StatefulSet["spec"]>;

/** A set `db` of three pods. */
export function statefulSet(
  spec: StatefulSpec = {},
  image: string = "v1",
): StatefulSet {
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "db", namespace: "shop", uid: "db", generation: 1 },
    spec: {
      replicas: 3,
      podManagementPolicy: "OrderedReady",
      updateStrategy: {
        type: "RollingUpdate",
        rollingUpdate: { partition: 0 },
      },
      revisionHistoryLimit: 10,
      serviceName: "dbs",
      selector: { matchLabels: LABELS },
      template: {
        metadata: { labels: LABELS },
        spec: { containers: [{ name: "db", image }] },
      },
      ...spec,
    },
  };
}

/** Templates of claims by these names. */
export function claimTemplates(
  ...names: readonly string[]
): NonNullable<StatefulSpec["volumeClaimTemplates"]> {
  return names.map((name) => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name, labels: { tier: "disk" } },
    spec: { accessModes: ["ReadWriteOnce"] },
  }));
}

/** A node with the controller of StatefulSets, on which pods take their time to end. */
export class StatefulRig implements AsyncDisposable {
  readonly on: SimulatedNode = new SimulatedNode().add(statefulSetController);

  constructor() {
    this.on.objects.isGraceful = true;
  }

  /** The set as it is. */
  get set(): StatefulSet | undefined {
    return this.on.get("StatefulSet", "db");
  }

  /** Puts the set there or edits it; its status stays. */
  async apply(wish: StatefulSet): Promise<void> {
    await this.on.edit("StatefulSet", wish);
  }

  /** Lets the controller do what it can do at once. */
  async rest(): Promise<void> {
    await this.on.rest();
  }

  pod(ordinal: number): Pod | undefined {
    return this.on.get("Pod", `db-${ordinal}`);
  }

  /** The pods as `db-0 v1 ready`, in order of their names. */
  get pods(): string[] {
    return this.on.pods().map((pod) => {
      const { metadata: { name, deletionTimestamp }, spec, status } = pod;
      const isReady = status?.conditions?.some((each) =>
        each.type === "Ready" && each.status === "True"
      );
      const state = deletionTimestamp !== undefined
        ? "ending"
        : isReady
        ? "ready"
        : status?.phase ?? "new";
      return `${name} ${spec.containers[0]?.image} ${state}`;
    }).toSorted();
  }

  get claims(): PersistentVolumeClaim[] {
    return this.on.objects.all("PersistentVolumeClaim");
  }

  /** What was done to pods and claims since the last time, as `create Pod db-0`. */
  calls(kinds: RegExp = / (Pod|PersistentVolumeClaim) /): string[] {
    return this.on.objects.calls.splice(0).filter((each) => kinds.test(each));
  }

  /** Gives a pod a status, as the kubelet does: transition times change with the status only. */
  async report(
    ordinal: number,
    { isReady = false, phase = "Running" }: {
      readonly isReady?: boolean;
      readonly phase?: string;
    },
  ): Promise<void> {
    const pod = this.pod(ordinal);
    if (pod === undefined) throw new Error(`There is no pod db-${ordinal}`);
    const now = formatTime(this.on.clock.now());
    const next = (type: string, isTrue: boolean): PodCondition => {
      const status = isTrue ? "True" : "False";
      const before = pod.status?.conditions?.find((each) => each.type === type);
      return before?.status === status
        ? before
        : { type, status, lastTransitionTime: now };
    };
    const conditions = [next("Ready", isReady), next("PodScheduled", true)];
    this.on.objects.put({ ...pod, ...{ status: { phase, conditions } } });
    await this.rest();
  }

  /** Makes all pods ready, and ends those that are to end, until nothing moves. */
  async settle(isGood: (pod: Pod) => boolean = () => true): Promise<void> {
    for (let turn = 0; turn < 100; turn++) {
      const before = this.pods.join();
      await this.finish();
      for (const pod of this.on.pods()) {
        if (!isGood(pod) || pod.metadata.deletionTimestamp !== undefined) {
          continue;
        }
        const ordinal = Number(pod.metadata.name.split("-").at(-1));
        const isReady = this.pods.some((each) =>
          each.startsWith(`${pod.metadata.name} `) && each.endsWith(" ready")
        );
        if (!isReady) await this.report(ordinal, { isReady: true });
      }
      await this.on.clock.advance(1_000);
      if (this.pods.join() === before) return;
    }
    throw new Error("It never comes to rest");
  }

  /** Ends the pods that are to end. */
  async finish(): Promise<void> {
    for (const { metadata } of this.on.pods()) {
      if (metadata.deletionTimestamp === undefined) continue;
      this.on.objects.drop("Pod", metadata.namespace, metadata.name);
      await this.rest();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.on[Symbol.asyncDispose]();
  }
}
