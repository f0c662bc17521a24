/** DaemonSets under any luck: fast-check prints the seed of what fails. */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { ApiFailure } from "../../../../mod/api/access/mod.ts";
import {
  DaemonRig,
  daemonSet,
  SURGE,
} from "../../../support/controller/daemon_sets.ts";

type Deed =
  | { readonly what: "ready" | "unready" | "fail" | "vanish" | "delete" }
  | { readonly what: "image"; readonly to: number }
  | { readonly what: "refuse"; readonly calls: number }
  | { readonly what: "wait"; readonly seconds: number }
  | { readonly what: "finish" | "freeze" | "thaw" | "restart" };

const DEED: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({
    what: fc.constantFrom(
      "ready" as const,
      "unready" as const,
      "fail" as const,
      "vanish" as const,
      "delete" as const,
      "finish" as const,
      "freeze" as const,
      "thaw" as const,
      "restart" as const,
    ),
  }),
  fc.record({ what: fc.constant("image" as const), to: fc.nat(2) }),
  fc.record({ what: fc.constant("refuse" as const), calls: fc.nat(3) }),
  fc.record({ what: fc.constant("wait" as const), seconds: fc.nat(100) }),
);

/** Plays deeds, and counts the pods that live side by side. */
class Play implements AsyncDisposable {
  readonly rig = new DaemonRig();
  readonly breaches: string[] = [];
  readonly #spec: Parameters<typeof daemonSet>[0];
  #image = 1;
  #refusals = 0;

  constructor(spec: Parameters<typeof daemonSet>[0], most: number) {
    this.#spec = spec;
    this.rig.on.objects.onChange = this.#counted(most);
    this.rig.on.objects.refuse = (verb) => {
      if (verb === "get" || this.#refusals === 0) return undefined;
      this.#refusals--;
      return new ApiFailure("ServiceUnavailable", "not now");
    };
  }

  get image(): string {
    return `v${this.#image}`;
  }

  #counted(most: number): DaemonRig["on"]["objects"]["onChange"] {
    const told = this.rig.on.objects.onChange;
    return (object) => {
      // As upstream, what goes does not keep a surge from coming.
      const pods = most === 1 ? this.rig.on.pods() : this.rig.live;
      const running =
        pods.filter(({ status }) => status?.phase !== "Failed").length;
      if (running > most) this.breaches.push(`${running} pods`);
      told(object);
    };
  }

  async apply(): Promise<void> {
    await this.rig.apply(daemonSet(this.#spec, this.image));
  }

  async play(deed: Deed): Promise<void> {
    const { rig, rig: { on } } = this;
    const pod = rig.live.find(({ status }) => status?.phase !== "Failed");
    switch (deed.what) {
      case "ready":
      case "unready":
        return pod && await rig.report(pod, deed.what === "ready");
      case "fail":
        return pod && await rig.report(pod, false, "Failed");
      case "vanish":
        if (pod !== undefined) {
          on.objects.drop("Pod", "shop", pod.metadata.name);
        }
        return await rig.rest();
      case "delete":
        if (pod !== undefined) {
          await on.objects.delete({ ...pod, ...pod.metadata }, {})
            .catch(() => {});
        }
        return await rig.rest();
      case "image":
        this.#image = deed.to;
        return await this.apply();
      case "refuse":
        this.#refusals = deed.calls;
        return;
      case "wait":
        return await on.clock.advance(deed.seconds * 1000);
      case "finish":
        for (const { metadata } of on.pods()) {
          if (metadata.deletionTimestamp === undefined) continue;
          on.objects.drop("Pod", "shop", metadata.name);
        }
        return await rig.rest();
      case "freeze":
        return on.objects.freeze();
      case "thaw":
        return await this.thaw();
      case "restart":
        // A controller begins with all that is there.
        await this.thaw();
        await on.restart();
        return await rig.rest();
    }
  }

  async thaw(): Promise<void> {
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
    for (let turn = 0; turn < 3; turn++) {
      await this.rig.settle();
      await this.rig.on.clock.advance(2_000_000);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.rig[Symbol.asyncDispose]();
  }
}

for (const [title, spec, most] of [["no", {}, 1], ["a", SURGE, 2]] as const) {
  Deno.test(`with ${title} surge there are never more than ${most} pods, and all ends well`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(DEED, { maxLength: 30 }),
        async (deeds) => {
          await using play = new Play(spec, most);
          await play.apply();
          for (const deed of deeds) await play.play(deed);
          await play.end();
          deepStrictEqual(play.breaches, []);
          deepStrictEqual(play.rig.pods, [`${play.image} ready`]);
          const { status } = play.rig.set ?? {};
          strictEqual(status?.numberAvailable, 1);
          strictEqual(status?.updatedNumberScheduled, 1);
          ok(play.rig.on.objects.all("ControllerRevision").length <= 11);
        },
      ),
      { numRuns: 80 },
    );
  });
}
