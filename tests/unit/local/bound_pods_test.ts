/** What becomes of the pods of a node that gets another name. */

import { deepStrictEqual } from "node:assert/strict";
import type { OwnerReference } from "../../../mod/api/workload/mod.ts";
import { CrashDisk } from "../../support/local/crash_disk.ts";
import { startKept } from "../../support/local/kept_rig.ts";
import {
  plainWish,
  POD_KIND,
  podWish,
  type Seen,
  SET_KIND,
} from "../../support/local/local_rig.ts";
import { seededRandom } from "../../support/seeded_random.ts";

const SETS = [["web", {}], ["db", { nodeName: "localhost" }]] as const;

function controlledBy({ apiVersion, kind, metadata }: Seen): OwnerReference {
  const { name, uid } = metadata;
  return { apiVersion, kind, name, uid, controller: true };
}

Deno.test("the pods of a node that is called otherwise stay its own, unless their template names a node", async () => {
  const disk = new CrashDisk(seededRandom(1));
  {
    await using rig = await startKept(disk, { nodeName: "localhost" });
    const lone = await rig.create(plainWish(SET_KIND, "lone"));
    const other = { ...controlledBy(lone), controller: false };
    for (const [name, spec] of SETS) {
      const wish = plainWish(SET_KIND, name);
      const set = await rig.create({
        ...wish,
        ...{ spec: { template: { spec } } },
      });
      const ownerReferences = [other, controlledBy(set)];
      await rig.create(podWish(`${name}-a`, { ownerReferences }));
    }
    await rig.create(podWish("alone"));
  }
  for (const turn of ["renamed", "started again"]) {
    await using rig = await startKept(disk, { nodeName: "edge-1" });
    const pods = await Promise.all(
      ["alone", "db-a", "web-a"].map((name) => rig.get(POD_KIND, name)),
    );
    deepStrictEqual(
      pods.map(({ spec }) => spec?.["nodeName"]),
      ["localhost", "localhost", "edge-1"],
      turn,
    );
  }
});
