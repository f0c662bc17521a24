/**
 * The agent dies at any change of the disk, or the power fails at any moment: what the
 * next agent finds was there at one moment.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { stableJson } from "../../../mod/api/objects/mod.ts";
import type { Random } from "../../../mod/base/mod.ts";
import type { ApiObject } from "../../../mod/api/workload/mod.ts";
import { below, fuzz, pick } from "../../support/fuzz/fuzz.ts";
import { CrashDisk } from "../../support/local/crash_disk.ts";
import { type KeptRig, startKept } from "../../support/local/kept_rig.ts";
import {
  plainWish,
  POD_KIND,
  podWish,
  refOf,
  SET_KIND,
} from "../../support/local/local_rig.ts";

const JOB_KIND = { apiVersion: "batch/v1", kind: "Job" };
const KINDS = [POD_KIND, SET_KIND, JOB_KIND] as const;
const NAMES = ["a", "b", "c"] as const;

/** All that must be found again, as one text. */
async function picture(rig: KeptRig): Promise<string> {
  const lists = await Promise.all(
    KINDS.map((kind) => rig.store.reader(kind).list({}, rig.signal)),
  );
  const items = lists.flatMap(({ items }) => items);
  return stableJson(items.map((item: ApiObject & { status?: unknown }) => {
    const { metadata: { resourceVersion: _, ...metadata }, ...rest } = item;
    // Found out again, and not kept.
    if (item.kind !== JOB_KIND.kind) delete rest.status;
    return { ...rest, metadata };
  }));
}

/** What was seen of all agents that share a disk. */
class Witness {
  /** Every state that there was, by its number. */
  readonly states: string[] = [];
  /** The newest state of which somebody was told that it is written. */
  told = 0;
  /** The newest version that was given out. */
  version = 0;

  /** Notes the state of now, which is asked for before anything else happens. */
  async look(rig: KeptRig): Promise<number> {
    const state = await picture(rig);
    this.states.push(state);
    return this.states.length - 1;
  }
}

/** What a client or a source does: its change is made when it returns, and told later. */
interface Act {
  readonly call: Promise<ApiObject | void>;
  /** Whether the change is to last when it is told. */
  readonly isLasting: boolean;
}

async function act(rig: KeptRig, random: Random): Promise<Act> {
  const { store, signal } = rig;
  const kind = pick(random, KINDS);
  const name = pick(random, NAMES);
  const ref = refOf(kind, name);
  const text = `${below(random, 4)}`;
  const lasting = (call: Promise<ApiObject | void>): Act => {
    // Whoever waits for it hears of a refusal.
    call.catch(() => {});
    return { call, isLasting: true };
  };
  const { items } = await store.reader(kind).list({}, signal);
  const found = items.find(({ metadata }) => metadata.name === name);
  switch (below(random, 7)) {
    case 0:
    case 1:
      return lasting(rig.create(
        kind === POD_KIND ? podWish(name) : plainWish(kind, name),
      ));
    case 2:
      return lasting(store.delete(ref, {}, signal));
    case 3: {
      const patch = { metadata: { labels: { text } } };
      return lasting(store.patch(ref, patch, signal));
    }
    case 4: {
      const status = { phase: text, succeeded: Number(text) };
      if (found === undefined) return NOTHING;
      return { call: rig.restate(found, status), isLasting: false };
    }
    case 5: {
      if (found === undefined) return NOTHING;
      return lasting(store.finishDelete(found.metadata.uid));
    }
    default: {
      const names = NAMES.filter(() => random.next() < 0.5);
      store.replaceManifests(
        "file",
        names.map((each) => ({
          ...SET_KIND,
          metadata: { name: `m-${each}`, namespace: "shop" },
          spec: { text },
        })),
      );
      return NOTHING;
    }
  }
}

const NOTHING: Act = { call: Promise.resolve(), isLasting: false };

async function live(
  rig: KeptRig,
  witness: Witness,
  random: Random,
): Promise<void> {
  for (let step = 0; step < 12 && !rig.disk.isDead; step++) {
    const calls: Promise<void>[] = [];
    for (let count = below(random, 4); count >= 0; count--) {
      const { call, isLasting } = await act(rig, random);
      const looking = witness.look(rig);
      calls.push(watchCall(call, { rig, witness, looking, isLasting }));
      // Others act meanwhile, or not.
      if (random.next() < 0.5) await rig.clock.advance(0);
      calls.push(witness.look(rig).then(() => {}));
    }
    await Promise.all(calls);
    await witness.look(rig);
    if (random.next() < 0.3) await rig.clock.advance(below(random, 7_000));
    await witness.look(rig);
  }
}

async function watchCall(
  call: Promise<ApiObject | void>,
  { rig, witness, looking, isLasting }: {
    readonly rig: KeptRig;
    readonly witness: Witness;
    readonly looking: Promise<number>;
    readonly isLasting: boolean;
  },
): Promise<void> {
  try {
    const object = await call;
    // What the dead are told does not count.
    if (rig.disk.isDead) return;
    const state = await looking;
    // A call that changed nothing says nothing of what others did before it.
    const isChange = witness.states[state] !== witness.states[state - 1];
    if (isLasting && isChange) witness.told = Math.max(witness.told, state);
    const version = Number(object?.metadata.resourceVersion ?? 0);
    witness.version = Math.max(witness.version, version);
  } catch {
    // Refused: it was not there, or is.
  }
}

fuzz("what the next agent finds was there at one moment", {
  inputs: 80,
  run: async ({ random }) => {
    const disk = new CrashDisk(random);
    const witness = new Witness();
    witness.states.push("[]");
    for (let agent = 0; agent < 4; agent++) {
      await using rig = await startKept(disk, { random, sources: ["file"] });
      const found = await picture(rig);
      const at = witness.states.lastIndexOf(found);
      strictEqual(at >= 0, true, `agent ${agent} found ${found}`);
      strictEqual(
        at >= witness.told,
        true,
        `agent ${agent} found state ${at}, and ${witness.told} was told`,
      );
      strictEqual(rig.store.damage, undefined);
      const { resourceVersion } = await rig.store.reader(POD_KIND)
        .list({}, rig.signal);
      strictEqual(Number(resourceVersion) >= witness.version, true);
      // Without a power cut the next agent finds no less.
      witness.told = witness.states.push(found) - 1;
      disk.changesLeft = below(random, 25);
      await live(rig, witness, random);
      if (random.next() < 0.5) {
        // The power fails: what was not synced yet may be lost.
        disk.isDead = true;
        disk.cutPower();
        witness.told = 0;
      }
      disk.isDead = true;
      rig.controller.abort();
      await rig.clock.advance(0);
      disk.restart();
    }
  },
});

fuzz("a power cut takes nothing that is older than some seconds", {
  inputs: 40,
  run: async ({ random }) => {
    const disk = new CrashDisk(random);
    const witness = new Witness();
    let last = "";
    {
      await using rig = await startKept(disk, { random });
      await live(rig, witness, random);
      await rig.clock.advance(6_000);
      last = await picture(rig);
      disk.isDead = true;
      disk.cutPower();
    }
    disk.restart();
    await using rig = await startKept(disk, { random });
    strictEqual(await picture(rig), last);
  },
});
