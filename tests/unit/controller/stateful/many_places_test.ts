/** StatefulSets that want more pods than anybody counts one by one. */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { sortMembers } from "../../../../mod/controller/stateful/stateful_members.ts";
import {
  StatefulRig,
  statefulSet,
} from "../../../support/controller/stateful_sets.ts";

const MOST = 2 ** 31 - 1;

Deno.test("stepStatefulSet() makes one pod after the other, however many are wanted", async () => {
  await using rig = new StatefulRig();
  await rig.apply(statefulSet({ replicas: MOST }));
  deepStrictEqual(rig.calls(), ["create Pod db-0"]);
  await rig.report(0, { isReady: true });
  deepStrictEqual(rig.calls(), ["create Pod db-1"]);
  strictEqual(rig.set?.status?.replicas, 2);
});

Deno.test("sortMembers() has the places with a pod, and 500 of those without one", async () => {
  await using rig = new StatefulRig();
  await rig.apply(statefulSet({ replicas: 1 }));
  const pod = rig.pod(0);
  if (pod === undefined) throw new Error("There is no pod");
  const at = (ordinal: number) => ({
    ...pod,
    metadata: { ...pod.metadata, name: `db-${ordinal}` },
  });
  const pods = [at(MOST), at(MOST - 1), at(7), at(1)];
  const set = statefulSet({ replicas: MOST });
  const { places, condemned } = sortMembers(set, pods);
  deepStrictEqual(
    places.filter((each) => each.pod !== undefined)
      .map(({ place, pod }) => [place, pod?.metadata.name]),
    [[1, "db-1"], [7, "db-7"], [MOST - 1, `db-${MOST - 1}`]],
  );
  strictEqual(places.length, 3 + 500);
  deepStrictEqual(
    places.slice(0, 4).map(({ place }) => place),
    [0, 1, 2, 3],
  );
  deepStrictEqual(condemned.map(({ metadata }) => metadata.name), [
    `db-${MOST}`,
  ]);
});
