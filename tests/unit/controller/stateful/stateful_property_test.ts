/** StatefulSets under any luck: fast-check prints the seed of what fails. */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { ApiFailure } from "../../../../mod/api/access/mod.ts";
import {
  claimTemplates,
  StatefulRig,
  statefulSet,
  type StatefulSpec,
} from "../../../support/controller/stateful_sets.ts";

type Deed =
  | {
    readonly what: "ready" | "unready" | "fail" | "succeed" | "vanish";
    readonly ordinal: number;
  }
  | { readonly what: "image" | "scale"; readonly to: number }
  | { readonly what: "refuse"; readonly calls: number }
  | { readonly what: "wait"; readonly seconds: number }
  | { readonly what: "finish" | "freeze" | "thaw" | "restart" };

const ordinal = fc.nat(4);
const DEED: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ what: fc.constant("ready" as const), ordinal }),
  },
  fc.record({
    what: fc.constantFrom(
      "unready" as const,
      "fail" as const,
      "succeed" as const,
      "vanish" as const,
    ),
    ordinal,
  }),
  fc.record({ what: fc.constant("image" as const), to: fc.nat(2) }),
  fc.record({ what: fc.constant("scale" as const), to: fc.nat(4) }),
  fc.record({ what: fc.constant("refuse" as const), calls: fc.nat(3) }),
  fc.record({ what: fc.constant("wait" as const), seconds: fc.nat(40) }),
  {
    weight: 4,
    arbitrary: fc.record({ what: fc.constant("finish" as const) }),
  },
  fc.record({
    what: fc.constantFrom(
      "freeze" as const,
      "thaw" as const,
      "restart" as const,
    ),
  }),
);

/** Plays deeds, and looks at each call whether it may be made. */
class Play implements AsyncDisposable {
  readonly rig = new StatefulRig();
  readonly breaches: string[] = [];
  readonly #base: StatefulSpec;
  readonly #claims = new Map<string, string>();
  #image = 1;
  #replicas = 3;
  #isFrozen = false;
  #refusals = 0;

  constructor(base: StatefulSpec) {
    this.#base = base;
    this.rig.on.objects.refuse = (verb, { kind, name }) => {
      if (verb === "get" || this.#refusals === 0) {
        this.#judge(verb, kind, name);
        return undefined;
      }
      this.#refusals--;
      return new ApiFailure("ServiceUnavailable", "not now");
    };
  }

  get image(): string {
    return `v${this.#image}`;
  }

  get replicas(): number {
    return this.#replicas;
  }

  async apply(): Promise<void> {
    const spec = { ...this.#base, replicas: this.#replicas };
    await this.rig.apply(statefulSet(spec, this.image));
  }

  async play(deed: Deed): Promise<void> {
    const { rig } = this;
    switch (deed.what) {
      case "ready":
      case "unready":
      case "fail":
      case "succeed":
      case "vanish":
        return await this.#happen(deed.what, deed.ordinal);
      case "image":
        this.#image = deed.to;
        return await this.apply();
      case "scale":
        this.#replicas = deed.to;
        return await this.apply();
      case "refuse":
        this.#refusals = deed.calls;
        return;
      case "wait":
        return await rig.on.clock.advance(deed.seconds * 1000);
      case "finish":
        return await rig.finish();
      case "freeze":
        this.#isFrozen = true;
        return rig.on.objects.freeze();
      case "thaw":
        return await this.thaw();
      case "restart":
        await rig.on.restart();
        return await rig.rest();
    }
  }

  async thaw(): Promise<void> {
    this.#isFrozen = false;
    this.rig.on.objects.thaw();
    await this.rig.on.wakeAll();
    await this.rig.rest();
  }

  /** Lets all end well. */
  async end(): Promise<void> {
    this.#refusals = 0;
    this.#image = 9;
    await this.thaw();
    await this.apply();
    await this.rig.settle();
    await this.rig.on.clock.advance(2_000_000);
    await this.rig.settle();
  }

  async #happen(what: string, ordinal: number): Promise<void> {
    const { rig } = this;
    const pod = rig.pod(ordinal);
    if (pod === undefined) return;
    const phases: Readonly<Record<string, string>> = {
      fail: "Failed",
      succeed: "Succeeded",
    };
    const { phase } = pod.status ?? {};
    if (what === "vanish") {
      rig.on.objects.drop("Pod", "shop", pod.metadata.name);
      await rig.rest();
    } else if (phase !== "Failed" && phase !== "Succeeded") {
      await rig.report(ordinal, {
        isReady: what === "ready",
        phase: phases[what] ?? "Running",
      });
    }
  }

  #judge(verb: string, kind: string, name: string): void {
    if (kind === "PersistentVolumeClaim" && verb === "delete") {
      this.breaches.push(`${name} is deleted`);
    }
    if (kind !== "Pod") return;
    const isThere = this.rig.pod(ordinalOf(name)) !== undefined;
    if (verb === "create" && !isThere) this.#judgeCreation(name);
    if (verb === "delete") this.#judgeDeletion(name);
  }

  #judgeCreation(name: string): void {
    const { rig } = this;
    const own = ordinalOf(name);
    const claim = rig.claims.find(({ metadata }) =>
      metadata.name === `data-${name}`
    );
    if (claim === undefined) this.breaches.push(`${name} has no claim`);
    const uid = this.#claims.get(name) ?? claim?.metadata.uid ?? "";
    if (uid !== claim?.metadata.uid) {
      this.breaches.push(`${name} has another claim`);
    }
    this.#claims.set(name, uid);
    if (!this.#isInOrder) return;
    for (let below = 0; below < own; below++) {
      if (!this.#isReady(below)) {
        this.breaches.push(`${name} is made before db-${below} is ready`);
      }
    }
  }

  #judgeDeletion(name: string): void {
    const own = ordinalOf(name);
    if (!this.#isInOrder || own < this.#replicas) return;
    for (const pod of this.rig.on.pods()) {
      if (ordinalOf(pod.metadata.name) > own) {
        this.breaches.push(`${name} goes before ${pod.metadata.name}`);
      }
    }
  }

  get #isInOrder(): boolean {
    return !this.#isFrozen && this.#base.podManagementPolicy !== "Parallel";
  }

  #isReady(ordinal: number): boolean {
    return this.rig.pods.some((each) =>
      each.startsWith(`db-${ordinal} `) && each.endsWith(" ready")
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.rig[Symbol.asyncDispose]();
  }
}

function ordinalOf(name: string): number {
  return Number(name.split("-").at(-1));
}

for (const podManagementPolicy of ["OrderedReady", "Parallel"]) {
  Deno.test(`${podManagementPolicy}: whatever happens, claims stay, the order is kept, and all ends well`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(DEED, { maxLength: 30 }),
        fc.constantFrom(1, 2),
        async (deeds, maxUnavailable) => {
          const rollingUpdate = { partition: 0, maxUnavailable };
          await using play = new Play({
            podManagementPolicy,
            updateStrategy: { type: "RollingUpdate", rollingUpdate },
            volumeClaimTemplates: claimTemplates("data"),
          });
          await play.apply();
          for (const deed of deeds) await play.play(deed);
          await play.end();
          deepStrictEqual(play.breaches, []);
          deepStrictEqual(
            play.rig.pods,
            Array.from(
              { length: play.replicas },
              (_none, each) => `db-${each} ${play.image} ready`,
            ),
          );
          const { status } = play.rig.set ?? {};
          strictEqual(status?.availableReplicas, play.replicas);
          strictEqual(status?.currentRevision, status?.updateRevision);
          ok(play.rig.on.objects.all("ControllerRevision").length <= 11);
        },
      ),
      { numRuns: 60 },
    );
  });
}
