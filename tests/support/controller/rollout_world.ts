/**
 * A Deployment to which things happen: what a user does, what pods do, what a cache and an
 * API server do, all from one seed.
 *
 * @module
 */

import { ApiFailure } from "../../../mod/api/access/mod.ts";
import type { Pod } from "../../../mod/api/types/mod.ts";
import type { Deployment } from "../../../mod/api/workload/mod.ts";
import type { Random } from "../../../mod/base/mod.ts";
import { deploymentController } from "../../../mod/controller/deployment/mod.ts";
import { replicaSetController } from "../../../mod/controller/replicas/mod.ts";
import {
  availableInMs,
  isActivePod,
  readySince,
} from "../../../mod/controller/run/mod.ts";
import { seededRandom } from "../seeded_random.ts";
import { SimulatedNode } from "./simulated_node.ts";

type Spec = Deployment["spec"];

const LABELS = { app: "web" };
const REASONS = ["Conflict", "Timeout", "Forbidden", "Unreachable"] as const;
const FROZEN = ["Pod", "ReplicaSet", "Deployment"] as const;

/** The Deployment `web`, whose pods become ready only when somebody says so. */
export class RolloutWorld implements AsyncDisposable {
  readonly on: SimulatedNode = new SimulatedNode().add(deploymentController)
    .add(replicaSetController);
  /** What has happened, for the words of a test that fails. */
  readonly history: string[] = [];
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** A whole number below `count`. */
  pick(count: number): number {
    return Math.floor(this.#random.next() * count);
  }

  /** One of several things, each as likely. */
  async happens(
    things: Readonly<Record<string, () => unknown>>,
  ): Promise<void> {
    const names = Object.keys(things);
    const name = names[this.pick(names.length)] ?? "";
    this.history.push(name);
    await things[name]?.();
    await this.on.clock.advance(0);
  }

  get deployment(): Deployment {
    const found = this.on.get("Deployment", "web");
    if (found === undefined) throw new TypeError("there is no Deployment");
    return found;
  }

  /** Edits the Deployment, or makes it. */
  async edit(
    wish: Partial<Spec> & { readonly image?: string },
    annotations: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const { image, ...spec } = wish;
    const has = this.on.get("Deployment", "web") ?? FIRST;
    const template = image === undefined ? has.spec.template : {
      metadata: { labels: LABELS },
      spec: { containers: [{ name: "web", image }] },
    };
    const { metadata } = has;
    const edited: Deployment = {
      ...has,
      metadata: {
        ...metadata,
        annotations: { ...metadata.annotations, ...annotations },
        generation: (metadata.generation ?? 0) + 1,
      },
      spec: { ...has.spec, template, ...spec },
    };
    await this.on.apply(edited);
  }

  /** The pods that count. */
  get pods(): readonly Pod[] {
    return this.on.pods().filter(isActivePod);
  }

  /** How many of them are available. */
  get available(): number {
    const { minReadySeconds = 0 } = this.deployment.spec;
    const nowMs = this.on.clock.now();
    return this.pods.filter((pod) =>
      availableInMs(pod, minReadySeconds, nowMs) === 0
    ).length;
  }

  /** Some of the pods that are not ready become it. */
  async someGetReady(
    isGood: (image: string) => boolean = () => true,
  ): Promise<void> {
    const waiting = this.pods.filter((pod) =>
      readySince(pod) === undefined && isGood(imageOf(pod))
    );
    const lucky = waiting.filter(() => this.pick(2) === 0);
    await this.on.report(lucky, { isReady: true });
  }

  /** One pod that is there, if there is any. */
  onePod(): Pod | undefined {
    return this.pods[this.pick(Math.max(1, this.pods.length))];
  }

  /** From now on some calls fail; with `isLost` some that were done as well. */
  spoil({ isLost }: { readonly isLost: boolean }): void {
    const some = () => {
      const reason = REASONS[this.pick(REASONS.length)] ?? "Conflict";
      return this.pick(3) === 0 ? new ApiFailure(reason, "spoiled") : undefined;
    };
    this.on.objects.refuse = some;
    if (isLost) this.on.objects.lose = some;
  }

  /** No call fails any more. */
  mend(): void {
    this.on.objects.refuse = () => undefined;
    this.on.objects.lose = () => undefined;
  }

  /** The cache stands still for a kind. */
  freeze(): void {
    this.on.objects.freeze(FROZEN[this.pick(FROZEN.length)] ?? "Pod");
  }

  /** A new process begins, which reads everything anew. */
  async restart(): Promise<void> {
    const { objects } = this.on;
    const isHeld = objects.held !== undefined;
    await this.#letAllThrough();
    objects.thaw();
    await this.on.restart();
    if (isHeld) objects.held = [];
  }

  /** Some of the calls that wait are answered. */
  async letThrough(): Promise<void> {
    const { held } = this.on.objects;
    for (const answer of held?.splice(0) ?? []) {
      if (this.pick(2) === 0) answer();
      else held?.push(answer);
    }
    await this.on.clock.advance(0);
  }

  /** Everything goes well until nothing moves any more. */
  async calm(isGood: (image: string) => boolean = () => true): Promise<void> {
    const { objects, clock } = this.on;
    this.mend();
    await this.#letAllThrough();
    objects.thaw();
    let still = 0;
    for (let turn = 0; turn < 2_000 && still < 30; turn++) {
      const before = objects.calls.length;
      const waiting = this.pods.filter((pod) =>
        readySince(pod) === undefined && isGood(imageOf(pod))
      );
      await this.on.report(waiting, { isReady: true });
      for (const { metadata } of this.on.pods()) {
        if (metadata.deletionTimestamp === undefined) continue;
        objects.drop("Pod", metadata.namespace, metadata.name);
      }
      await clock.advance(60_000);
      const isStill = waiting.length === 0 && objects.calls.length === before;
      still = isStill ? still + 1 : 0;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#letAllThrough();
    await this.on[Symbol.asyncDispose]();
  }

  /** No call waits any more. */
  async #letAllThrough(): Promise<void> {
    const { objects } = this.on;
    const held = objects.held ?? [];
    objects.held = undefined;
    for (const answer of held) answer();
    await this.on.clock.advance(0);
  }
}

/** The image of a pod. */
export function imageOf({ spec }: Pod): string {
  return spec.containers[0]?.image ?? "";
}

const FIRST: Deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "shop", uid: "web" },
  spec: {
    replicas: 3,
    revisionHistoryLimit: 2,
    progressDeadlineSeconds: 600,
    strategy: { type: "RollingUpdate" },
    selector: { matchLabels: LABELS },
    template: { metadata: { labels: LABELS }, spec: { containers: [] } },
  },
};
