/**
 * Pod workers under any order of wishes and any luck.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import fc from "fast-check";
import type { NameOwnership } from "../../../mod/agent/workers/name_ownership.ts";
import type {
  EndingPod,
  PodSyncer,
  Retention,
  SyncResult,
} from "../../../mod/agent/workers/ports.ts";
import type { Pod } from "../../../mod/api/types/mod.ts";
import { podFullName } from "../../../mod/api/vocabulary/mod.ts";
import type { Random } from "../../../mod/base/mod.ts";
import type { FakeClock } from "../../support/fake_clock.ts";
import { seededRandom } from "../../support/seeded_random.ts";
import { WorkersRig } from "../../support/agent/workers_rig.ts";
import { podOf } from "../../support/pods.ts";

/** A node in miniature: what runs, and every breach of the rules. */
class FakeNode implements PodSyncer {
  /** UID → full name. */
  readonly alive = new Map<string, string>();
  readonly breaches: string[] = [];
  /** How many in ten go wrong, one way or another. */
  badLuck = 5;
  readonly #acting = new Map<string, string>();
  readonly #busy = new Set<string>();
  readonly #random: Random;
  readonly #clock: FakeClock;

  constructor(seed: number, clock: FakeClock) {
    this.#random = seededRandom(seed);
    this.#clock = clock;
  }

  async sync(
    subject: Pod,
    options: {
      readonly nameOwnership: () => NameOwnership;
      readonly signal: AbortSignal;
    },
  ): Promise<SyncResult> {
    const { uid } = subject.metadata;
    return await this.#alone(uid, async () => {
      await this.#pause(options.signal);
      const right = options.nameOwnership();
      if (right === "lost") this.alive.delete(uid);
      if (right === "waits" && this.alive.has(uid)) return { kind: "settled" };
      if (right !== "has") return { kind: "held" };
      return await this.#start(uid, podFullName(subject), options.signal);
    });
  }

  pullAhead(
    _successor: Pod,
    { before }: { readonly before: string },
  ): Promise<boolean> {
    return Promise.resolve(this.alive.has(before) && this.#draw(3) > 0);
  }

  async terminate(ending: EndingPod, signal: AbortSignal): Promise<void> {
    await this.#alone(ending.uid, async () => {
      await this.#pause(signal);
      this.#mayFail();
      this.alive.delete(ending.uid);
      await this.#pause(signal);
      this.#mayFail();
    });
  }

  async release(
    ending: EndingPod,
    _keep: Retention,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#alone(ending.uid, async () => {
      if (this.alive.has(ending.uid)) this.#breach(`${ending.uid} still runs`);
      await this.#pause(signal);
      this.#mayFail();
    });
  }

  /** What the runtime's list shows: the oldest comes first. */
  list(fullName: string): ReadonlyMap<string, bigint> {
    return new Map(
      [...this.alive].map(([uid, name], index) =>
        [uid, name, BigInt(index)] as const
      ).filter(([, name]) => name === fullName)
        .map(([uid, , sinceNs]) => [uid, sinceNs]),
    );
  }

  /** Something runs of which no worker knows; not where it would break the rules. */
  plant(uid: string, fullName: string): void {
    if (!this.#isTaken(fullName, uid)) this.alive.set(uid, fullName);
  }

  /** Whether another pod of the name runs or is being started. */
  #isTaken(fullName: string, uid: string): boolean {
    return [...this.alive, ...this.#acting].some(([other, name]) =>
      other !== uid && name === fullName
    );
  }

  async #start(
    uid: string,
    fullName: string,
    signal: AbortSignal,
  ): Promise<SyncResult> {
    if (this.#isTaken(fullName, uid)) this.#breach(`${fullName} runs twice`);
    this.#acting.set(uid, fullName);
    try {
      // Cut short here, it runs all the same.
      this.alive.set(uid, fullName);
      await this.#pause(signal);
      this.#mayFail();
    } finally {
      this.#acting.delete(uid);
    }
    const luck = this.#draw(20);
    if (luck < this.badLuck) return { kind: "retry", delayMs: 1_500 };
    return { kind: "settled" };
  }

  async #alone<T>(uid: string, work: () => Promise<T>): Promise<T> {
    if (this.#busy.has(uid)) this.#breach(`two steps of ${uid} at once`);
    this.#busy.add(uid);
    try {
      return await work();
    } finally {
      this.#busy.delete(uid);
    }
  }

  async #pause(signal: AbortSignal): Promise<void> {
    await this.#clock.sleep(this.#draw(700), signal);
  }

  #mayFail(): void {
    if (this.#draw(20) < this.badLuck) throw new Error("no luck");
  }

  #draw(below: number): number {
    return Math.floor(this.#random.next() * below);
  }

  #breach(what: string): void {
    this.breaches.push(what);
  }
}

// Five UIDs share two names.
const NAMES: Readonly<Record<string, string>> = {
  a1: "a",
  a2: "a",
  a3: "a",
  b1: "b",
  b2: "b",
};

const uids = fc.constantFrom(...Object.keys(NAMES));
const operations = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constantFrom("update", "remove", "orphan", "adopt", "enqueue"),
      uid: uids,
      ms: fc.nat(2_500),
    }),
    fc.record({ kind: fc.constant("pass"), ms: fc.nat(2_500) }),
    fc.record({ kind: fc.constant("enqueueUnsettled") }),
  ),
  { maxLength: 40 },
);

type Operation = {
  readonly kind: string;
  readonly uid?: string;
  readonly ms?: number;
};

Deno.test("PodWorkers ends where the last wishes want it, and never runs a name twice", async () => {
  await fc.assert(
    fc.asyncProperty(operations, fc.nat(), async (list, seed) => {
      let node: FakeNode | undefined;
      await using rig = new WorkersRig({
        syncer: (clock) => node = new FakeNode(seed, clock),
        names: { alive: (fullName) => node?.list(fullName) },
      });
      if (node === undefined) throw new Error("The rig asks for a syncer");
      const wanted = new Set<string>();
      for (const operation of list) {
        await apply(operation, { rig, node, wanted });
      }
      node.badLuck = 0;
      await rig.clock.advance(400_000);

      deepStrictEqual(node.breaches, []);
      const known = rig.workers.list().map(({ uid }) => uid);
      deepStrictEqual(known.sort(), [...wanted].sort());
      // Of those that share a name one runs, the others wait.
      const names = new Set([...wanted].map((uid) => NAMES[uid]));
      const running = [...node.alive.keys()];
      deepStrictEqual(
        running.map((uid) => NAMES[uid]).sort(),
        [...names].sort(),
      );
    }),
    { numRuns: 300 },
  );
});

async function apply(
  operation: Operation,
  world: {
    readonly rig: WorkersRig;
    readonly node: FakeNode;
    readonly wanted: Set<string>;
  },
): Promise<void> {
  const { kind, uid = "", ms = 0 } = operation;
  const { rig, node, wanted } = world;
  const name = NAMES[uid] ?? "";
  switch (kind) {
    case "update":
      wanted.add(uid);
      return rig.workers.update(podOf(uid, { name }));
    case "remove":
      wanted.delete(uid);
      return rig.workers.remove(uid);
    case "orphan":
      // Housekeeping ends only what nobody wants.
      if (rig.workers.get(uid) !== undefined) return;
      node.plant(uid, `${name}_shop`);
      return rig.workers.removeOrphan(uid, `${name}_shop`);
    case "adopt":
      // It runs since before the agent's start, and its source is late.
      if (rig.workers.get(uid) !== undefined) return;
      wanted.add(uid);
      node.plant(uid, `${name}_shop`);
      await rig.clock.advance(ms);
      return rig.workers.update(podOf(uid, { name }));
    case "enqueue":
      return rig.workers.enqueue(uid);
    case "enqueueUnsettled":
      return rig.workers.enqueueUnsettled();
    default:
      return await rig.clock.advance(ms);
  }
}
