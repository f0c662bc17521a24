import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { Random } from "../../../../mod/base/mod.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { below, fuzz } from "../../../support/fuzz/fuzz.ts";
import { FaultySource } from "../../../support/informer/faulty_source.ts";
import { History } from "../../../support/informer/history.ts";
import { InformerRig } from "../../../support/informer/informer_rig.ts";
import {
  type Item,
  ObjectServer,
} from "../../../support/informer/object_server.ts";
import {
  happenAtRandom,
  itemsByName,
} from "../../../support/informer/random_life.ts";
import { seededRandom } from "../../../support/seeded_random.ts";

const STEPS = 60;

/** After this even a watch that stands still has been given up, and every pause is over. */
const CALM_MS = 900_000;

Deno.test("FaultySource makes each fault that it knows", async () => {
  const faults = new Set<string>();
  for (let seed = 0; faults.size < 13 && seed < 20; seed++) {
    const source = await storm(seededRandom(seed));
    for (const fault of source.faults.keys()) faults.add(fault);
  }
  strictEqual(faults.size, 13, [...faults].join());
});

/** An informer in a storm, and after it; what its three handlers were told is checked. */
async function storm(random: Random): Promise<FaultySource> {
  const streams = random.next() < .7;
  const server = new ObjectServer<Item>({ streams: random.next() < .7 });
  const clock = new FakeClock();
  const source = new FaultySource(server, { random, clock });
  await using rig = new InformerRig({
    clock,
    server,
    source,
    streams,
    pageLimit: 3,
  });
  const histories = [new History(), new History(), new History()];
  for (const [at, history] of histories.slice(0, 2).entries()) {
    rig.informer.addHandler((notice) => history.follow(notice), {
      name: `handler-${at}`,
      resyncMs: at * 7_000,
    });
  }
  for (let data = 0; data < 10; data++) happenAtRandom(server, random, data);
  await rig.start();
  const lateAt = below(random, STEPS);
  for (let step = 0; step < STEPS; step++) {
    const changes = below(random, 6);
    for (let change = 0; change < changes; change++) {
      happenAtRandom(server, random, 100 * step + change);
    }
    if (step === lateAt) {
      rig.informer.addHandler((notice) => histories[2]?.follow(notice), {
        name: "late",
      });
    }
    if (random.next() < .1) clock.wall = below(random, 2e12);
    await clock.advance(below(random, 20_000));
  }
  source.isStormy = false;
  await clock.advance(CALM_MS);
  happenAtRandom(server, random, -1);
  await clock.advance(CALM_MS);
  deepStrictEqual(
    itemsByName(rig.informer.store.list()),
    itemsByName(server.objects.values()),
  );
  strictEqual(rig.informer.hasSynced, true);
  for (const history of histories) {
    deepStrictEqual(
      itemsByName(history.believed.values()),
      itemsByName(server.objects.values()),
    );
  }
  ok(histories.every(({ failed }) => failed === undefined));
  return source;
}

fuzz(
  "SharedInformer has what the server has when faults end, and every handler a history that explains it",
  {
    inputs: 150,
    run: async ({ random }) => {
      await storm(random);
    },
  },
);
