/**
 * Manifests of all kinds of workloads are edited while pods end and fail, agents are killed,
 * the power fails and the clock is set: in the end each has its pods, none is nobody's, no
 * run of a Job is lost or doubled, and nothing is written any more.
 *
 * @module
 */

import type { Random } from "../../../mod/base/mod.ts";
import type { WishedKinds } from "../../support/app/workload_wishes.ts";
import { WorkloadsStory } from "../../support/app/workloads_story.ts";
import { below, fuzz } from "../../support/fuzz/fuzz.ts";

async function playStory(
  random: Random,
  kinds?: WishedKinds,
): Promise<void> {
  await using story = await new WorkloadsStory(random, kinds).start();
  try {
    for (let deeds = 5 + below(random, 20); deeds > 0; deeds--) {
      await story.happen();
    }
    await story.calm();
    await story.check();
  } catch (error) {
    const history = story.history.join("\n");
    throw new Error(`After this:\n${history}`, { cause: error });
  }
}

fuzz("workloads are right after any story", {
  inputs: 40,
  run: ({ random }) => playStory(random),
});

fuzz("StatefulSets are right after any story, broken first versions too", {
  inputs: 30,
  run: ({ random }) => playStory(random, ["StatefulSet"]),
});
