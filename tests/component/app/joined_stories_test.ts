/**
 * A node whose API server has every fault there is, by chance; what comes of it when it has
 * none any more. Another seed: `-- --seed=17`.
 *
 * @module
 */

import { JoinedStory } from "../../support/cluster/joined_story.ts";

const FIRST = Number(
  Deno.args.find((arg) => arg.startsWith("--seed="))?.slice(7) ?? 1,
);

for (let seed = FIRST; seed < FIRST + 40; seed++) {
  Deno.test(`a node is as its API server wants it when that has no faults any more (seed ${seed}) (IN-06, IN-07, IN-09)`, () =>
    JoinedStory.tell(seed, 20));
}
