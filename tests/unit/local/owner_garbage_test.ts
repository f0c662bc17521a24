/** How much is looked at while something waits for the end of what it owns. */

import { strictEqual } from "node:assert/strict";
import type { NewObject } from "../../../mod/api/access/mod.ts";
import type { ApiObject } from "../../../mod/api/workload/mod.ts";
import { kindFacts } from "../../../mod/local/kept_kinds.ts";
import { ObjectEdits } from "../../../mod/local/object_edits.ts";
import { ObjectState } from "../../../mod/local/object_state.ts";
import type { KeptObject } from "../../../mod/local/object_table.ts";
import { OwnerGarbage } from "../../../mod/local/owner_garbage.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { plainWish, podWish, SET_KIND } from "../../support/local/local_rig.ts";
import { seededRandom } from "../../support/seeded_random.ts";

/** Judges what is done by hand. */
class JudgeRig {
  readonly state = new ObjectState();
  readonly edits: ObjectEdits;
  readonly garbage: OwnerGarbage;

  constructor() {
    const { state } = this;
    this.edits = new ObjectEdits({
      state,
      clock: new FakeClock(),
      random: seededRandom(1),
      nodeName: undefined,
      lostIn: () => undefined,
      mostPods: 1000,
      isFull: () => false,
    });
    const isCertain = () => true;
    this.garbage = new OwnerGarbage({ state, edits: this.edits, isCertain });
    state.use({
      changed: () => 0,
      followed: (change) => this.garbage.followed(change),
    });
  }

  make(wish: NewObject): ApiObject {
    const facts = kindFacts(wish);
    if (facts === undefined) throw new Error("Cannot find the kind");
    return this.edits.create(wish, facts, { kind: "owned" });
  }

  kept({ metadata: { name, uid } }: ApiObject): KeptObject {
    const found = this.state.table.byUid(uid);
    if (found === undefined) throw new Error(`Cannot find "${name}"`);
    return found;
  }
}

function ownedBy(
  owner: ApiObject,
): Pick<NewObject["metadata"], "ownerReferences"> {
  const { apiVersion, kind, metadata: { name, uid } } = owner;
  const reference = { apiVersion, kind, name, uid, blockOwnerDeletion: true };
  return { ownerReferences: [reference] };
}

Deno.test("an owner that waits for many does not look at all of them whenever one goes", () => {
  const rig = new JudgeRig();
  const { edits, garbage, state: { table } } = rig;
  const owner = rig.make(plainWish(SET_KIND, "owner"));
  const pods = Array.from(
    { length: 300 },
    (_, at) => rig.make(podWish(`pod-${at}`, ownedBy(owner))),
  );
  edits.end(rig.kept(owner), { propagation: "Foreground" });
  garbage.collect(Infinity);
  let looks = 0;
  const byKey = table.byKey.bind(table);
  table.byKey = (key) => {
    looks++;
    return byKey(key);
  };
  for (const pod of pods) {
    edits.finish(rig.kept(pod));
    garbage.collect(Infinity);
  }
  strictEqual(table.size, 0);
  strictEqual(looks < 10 * pods.length, true, `${looks} looks`);
});

Deno.test("what waits for the end of what it owns has that looked at once, and not with each change", () => {
  const rig = new JudgeRig();
  const { edits, garbage, state } = rig;
  const owner = rig.make(plainWish(SET_KIND, "owner"));
  const finalizers = ["example.com/a"];
  rig.make(plainWish(SET_KIND, "one", { ...ownedBy(owner), finalizers }));
  edits.end(rig.kept(owner), { propagation: "Foreground" });
  garbage.collect(Infinity);
  const before = state.revision;
  for (let replicas = 0; replicas < 5; replicas++) {
    const kept = rig.kept(owner);
    edits.restate(kept, { ...kept.object, status: { replicas } });
    // Of the two the owner only.
    garbage.collect(1);
    strictEqual(garbage.isDue, false);
  }
  strictEqual(state.revision, before + 5);
});
