/**
 * What happens on a server while it is watched.
 *
 * @module
 */

import type { Random } from "../../../mod/base/mod.ts";
import { below, pick } from "../fuzz/fuzz.ts";
import { type Item, item, type ObjectServer } from "./object_server.ts";

/** One thing that happens; `data` is a number that did not come before. */
export function happenAtRandom(
  server: ObjectServer<Item>,
  random: Random,
  data: number,
): void {
  const name = `item-${below(random, 8)}`;
  switch (pick(random, ["put", "put", "remove", "anew", "upkeep"])) {
    case "put": {
      const known = server.objects.get(`shop/${name}`);
      const uid = known?.metadata.uid ?? `${name}-${data}`;
      server.put(item(name, { data, uid }));
      break;
    }
    case "remove":
      server.remove(`shop/${name}`);
      break;
    case "anew":
      server.remove(`shop/${name}`);
      server.put(item(name, { data, uid: `${name}-${data}` }));
      break;
    default:
      pick(random, [
        () => server.bookmark(),
        () => server.compact(),
        () => server.endWatches(),
      ])();
  }
}

/** In the order of their names. */
export function itemsByName(items: Iterable<Item>): readonly Item[] {
  return [...items].sort((one, other) =>
    one.metadata.name < other.metadata.name ? -1 : 1
  );
}
