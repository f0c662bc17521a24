/**
 * Claims of a cluster: when they are asked for, and what is told of them.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { ApiFailure } from "../../../../mod/api/access/mod.ts";
import type {
  ClusterClaim,
  ClusterVolume,
} from "../../../../mod/api/read/mod.ts";
import { ClaimRequests } from "../../../../mod/source/api/mod.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { messagesTo } from "../../../support/log_lines.ts";
import { clusterClaim } from "../../../support/source/cluster_claims.ts";

const LOCAL: ClusterVolume = {
  name: "pv",
  claimUid: "uid-data",
  mountOptions: [],
  nodeTerms: [{
    matchExpressions: [{ key: "disk", operator: "Exists" }],
  }],
  source: { kind: "local", path: "/mnt/a" },
};
const REF = { namespace: "shop", name: "data" };

class Rig implements AsyncDisposable {
  readonly clock = new FakeClock();
  /** What was told. */
  readonly told: string[] = [];
  /** What was asked for. */
  readonly asked: string[] = [];
  readonly said: string[] = [];
  claim: ClusterClaim | Error = clusterClaim();
  volume: ClusterVolume | Error = LOCAL;
  labels: Readonly<Record<string, string>> = { disk: "" };
  chance = 0;
  isOver = false;
  /** That of the last claim. */
  name: string | undefined;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(
    parts: Partial<Pick<Rig, "chance" | "claim" | "labels" | "volume">> = {},
  ) {
    Object.assign(this, parts);
    const requests = new ClaimRequests({
      clock: this.clock,
      random: { next: () => this.chance },
      log: messagesTo(this.said),
      claim: ({ namespace, name }) =>
        this.#answer(`${namespace}/${name}`, this.claim),
      volume: (name) => this.#answer(name, this.volume),
      node: () => ({ name: "edge1", labels: this.labels }),
    });
    this.#running = requests.keep(REF, {
      took: (claim) => {
        const { binding } = claim ?? {};
        const why = binding?.kind === "none" ? `: ${binding.why}` : "";
        this.told.push(`${binding?.kind ?? "absent"}${why}`);
        this.name = claim?.name;
      },
      refused: (why) => void this.told.push(`refused: ${why}`),
    }, this.#stop.signal).then(() => void (this.isOver = true));
  }

  #answer<T>(what: string, found: T | Error): Promise<T> {
    this.asked.push(what);
    return found instanceof Error
      ? Promise.reject(found)
      : Promise.resolve(found);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    strictEqual(this.clock.pendingTimers, 0);
  }
}

Deno.test("a claim that is bound is asked for once", async () => {
  await using rig = new Rig();
  await rig.clock.advance(3_600_000);
  deepStrictEqual(rig.asked, ["shop/data", "pv"]);
  deepStrictEqual(rig.told, ["local"]);
  strictEqual(rig.isOver, true);
});

Deno.test("a claim that is not bound is asked for at 1 s, 2 s, and 10 s at most, until it is", async () => {
  await using rig = new Rig({ claim: clusterClaim({ isBound: false }) });
  await rig.clock.advance(0);
  for (const seconds of [1, 2, 4, 8, 10, 10]) {
    const { length } = rig.asked;
    await rig.clock.advance(seconds * 1_000 - 1);
    strictEqual(rig.asked.length, length);
    await rig.clock.advance(1);
    strictEqual(rig.asked.length, length + 1);
  }
  strictEqual(rig.asked.includes("pv"), false);
  deepStrictEqual(new Set(rig.told), new Set(["none: PVC is not bound"]));
  rig.claim = clusterClaim();
  await rig.clock.advance(10_000);
  deepStrictEqual(rig.told.at(-1), "local");
  strictEqual(rig.isOver, true);
});

const silent = new ApiFailure("Unreachable", "nobody answers");
const forbidden = new ApiFailure("Forbidden", "no such right");
const missing = new ApiFailure("NotFound", "not found");

for (
  const [what, parts, expected, said] of [
    ["is not there", { claim: missing }, "absent", 0],
    ["is forbidden", { claim: forbidden }, "refused: no such right", 1],
    ["cannot be asked for", { claim: silent }, undefined, 1],
    [
      "has a volume that is not there",
      { volume: missing },
      "none: failed to fetch PV pv from API server: not found",
      0,
    ],
    [
      "has a volume that is forbidden",
      { volume: forbidden },
      "none: failed to fetch PV pv from API server: no such right",
      0,
    ],
    ["has a volume that cannot be asked for", { volume: silent }, undefined, 1],
    [
      "has a volume of another node",
      { labels: {} },
      'none: NodeAffinity check failed for volume "pv": no matching NodeSelectorTerms',
      0,
    ],
    [
      "is about to go",
      { claim: clusterClaim({ isEnding: true }) },
      "none: PVC is being deleted",
      0,
    ],
  ] as const
) {
  Deno.test(`(IN-11) a claim that ${what} is asked for again, and said once`, async () => {
    await using rig = new Rig(parts);
    await rig.clock.advance(0);
    deepStrictEqual(rig.told[0], expected);
    await rig.clock.advance(3_000);
    deepStrictEqual(rig.told.length, expected === undefined ? 0 : 3);
    deepStrictEqual(rig.said, Array(said).fill("claim_not_read"));
    rig.claim = clusterClaim();
    rig.volume = LOCAL;
    rig.labels = { disk: "" };
    await rig.clock.advance(4_000);
    deepStrictEqual(rig.told.at(-1), "local");
    strictEqual(rig.isOver, true);
  });
}

Deno.test("what keeps a claim from being read is said anew when it is another thing, or comes again", async () => {
  await using rig = new Rig({ claim: forbidden });
  await rig.clock.advance(0);
  rig.claim = silent;
  await rig.clock.advance(1_000);
  strictEqual(rig.said.length, 2);
  rig.claim = clusterClaim({ isBound: false });
  await rig.clock.advance(2_000);
  rig.claim = silent;
  await rig.clock.advance(4_000);
  strictEqual(rig.said.length, 3);
});

Deno.test("a volume of another kind is not asked for again", async () => {
  const source = { kind: "foreign", plugin: "nfs" } as const;
  await using rig = new Rig({ volume: { ...LOCAL, source } });
  await rig.clock.advance(60_000);
  deepStrictEqual(rig.told, ["foreign"]);
});

Deno.test("the claims of many pods are not asked for at one moment", async () => {
  const claim = clusterClaim({ isBound: false });
  await using rig = new Rig({ claim, chance: 1 });
  await rig.clock.advance(1_199);
  strictEqual(rig.asked.length, 1);
  await rig.clock.advance(1);
  strictEqual(rig.asked.length, 2);
});

Deno.test("a claim that says that it is another one is taken for the one that was asked for", async () => {
  await using rig = new Rig({ claim: clusterClaim({ name: "other" }) });
  await rig.clock.advance(0);
  strictEqual(rig.name, "data");
});
