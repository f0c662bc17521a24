import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { KubeKind } from "../../../mod/kube/objects/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { below, fuzz } from "../../support/fuzz/fuzz.ts";
import { FaultySource } from "../../support/informer/faulty_source.ts";
import { History } from "../../support/informer/history.ts";
import { InformerRig } from "../../support/informer/informer_rig.ts";
import { ItemApi } from "../../support/informer/item_api.ts";
import {
  type Item,
  item,
  ITEM_KIND,
  ObjectServer,
} from "../../support/informer/object_server.ts";
import {
  happenAtRandom,
  itemsByName,
} from "../../support/informer/random_life.ts";
import { KubeClient } from "../../support/kube/staged_server.ts";
import { seededRandom } from "../../support/seeded_random.ts";
import { until } from "../../support/until.ts";

const ITEMS = {
  ...ITEM_KIND,
  resource: "items",
  isNamespaced: true,
  shortNames: [],
};

/** The items of an API server, by the client that the agent has. */
function itemsOf(client: KubeClient): KubeKind<Item> {
  return new KubeKind(client.transport, ITEMS);
}

function clientOf(api: ItemApi, clock?: FakeClock): KubeClient {
  return new KubeClient({ server: new URL(api.url).origin }, clock);
}

for (const streams of [true, false]) {
  Deno.test(`SharedInformer reads an API server by KubeKind, by ${streams ? "streams" : "pages"}`, async () => {
    const server = new ObjectServer<Item>();
    for (let data = 0; data < 7; data++) server.put(item(`${data}`, { data }));
    await using api = await ItemApi.start(server, seededRandom(1));
    await using client = clientOf(api);
    const source = itemsOf(client);
    await using rig = new InformerRig({ source, streams, pageLimit: 3 });
    const told = rig.listen();
    await rig.start();
    await rig.informer.synced(rig.stop.signal);
    strictEqual(rig.informer.store.size, 7);
    server.put(item("new"));
    server.remove("shop/0");
    server.bookmark();
    await until(() => rig.informer.store.version === server.version);
    deepStrictEqual(told.lines.slice(7), ["added new 0", "removed 0 0"]);
    server.endWatches();
    server.put(item("later"));
    await until(async () => {
      await rig.clock.advance(1_000);
      return rig.informer.lister.get("shop", "later") !== undefined;
    });
  });
}

/** How often something was spoiled on the wire, over all inputs. */
let spoiled = 0;

fuzz(
  "SharedInformer has what an API server has when faults end, read by KubeKind",
  {
    inputs: 12,
    run: async ({ random }) => {
      const server = new ObjectServer<Item>({ streams: random.next() < .7 });
      const clock = new FakeClock();
      const faulty = new FaultySource(server, { random, clock });
      await using api = await ItemApi.start(faulty, random);
      api.isStormy = true;
      await using client = clientOf(api, clock);
      const streams = random.next() < .7;
      await using rig = new InformerRig({
        clock,
        source: itemsOf(client),
        streams,
        pageLimit: 3,
      });
      const history = new History();
      rig.informer.addHandler((notice) => history.follow(notice), {
        name: "one",
      });
      await rig.start();
      for (let step = 0; step < 40; step++) {
        for (let change = below(random, 6); change > 0; change--) {
          happenAtRandom(server, random, 100 * step + change);
        }
        await clock.advance(below(random, 20_000));
        await setTimeout(3);
      }
      faulty.isStormy = false;
      api.isStormy = false;
      const wanted = () => itemsByName(server.objects.values());
      await until(
        async () => {
          await clock.advance(10_000);
          await setTimeout(3);
          const found = itemsByName(rig.informer.store.list());
          // A handler is told a moment later than the store is changed.
          const told = itemsByName(history.believed.values());
          return isDeepStrictEqual([found, told], [wanted(), wanted()]);
        },
        "the store to be as the server",
        () => ({
          found: itemsByName(rig.informer.store.list()),
          wanted: wanted(),
        }),
      );
      strictEqual(history.failed, undefined);
      for (const count of api.faults.values()) spoiled += count;
    },
  },
);

Deno.test("ItemApi has spoiled enough for KubeKind to have met it", () => {
  ok(spoiled > 5, `${spoiled}`);
});
