/**
 * Manifests of all kinds of workloads are edited while pods end and fail, agents are killed,
 * the power fails and the clock is set: in the end each has its pods, none is nobody's, no
 * run of a Job is lost or doubled, and nothing is written any more.
 *
 * @module
 */

import { below, fuzz } from "../../support/fuzz/fuzz.ts";
import { WorkloadsStory } from "../../support/app/workloads_story.ts";

fuzz("workloads are right after any story", {
  inputs: 40,
  run: async ({ random }) => {
    await using story = await new WorkloadsStory(random).start();
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
  },
});
