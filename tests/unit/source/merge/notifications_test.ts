/**
 * Every operation in every notification mode.
 *
 * @module
 */

import { deepStrictEqual, throws } from "node:assert/strict";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import {
  type NotificationMode,
  notificationsOf,
  PodConfigMux,
} from "../../../../mod/source/merge/merge_mux.ts";
import type { SourceUpdate } from "../../../../mod/source/merge/source_set.ts";
import { sourcePod } from "../../../support/source/source_pods.ts";
import {
  MODES,
  newStorage,
  says,
  words,
} from "../../../support/source/updates.ts";

const a = sourcePod({ name: "a" });
const b = sourcePod({ name: "b" });
const changedA = sourcePod({ name: "a", image: "x" });
const runningA = sourcePod({ name: "a", status: { phase: "Running" } });
const endingA = sourcePod({
  name: "a",
  metadata: { deletionTimestamp: "2026-01-02T03:04:05Z" },
});
const endingB = sourcePod({
  name: "b",
  metadata: { deletionTimestamp: "2026-01-02T03:04:05Z" },
});
const renamedA = sourcePod({ name: "z", uid: "uid-a" });
const replacedA = sourcePod({ name: "a", uid: "uid-a2" });

interface Row {
  readonly what: string;
  /** What was said before; a set has made the source known unless it is missing. */
  readonly before?: readonly SourceUpdate[];
  readonly update: SourceUpdate;
  readonly incremental: readonly string[];
  /** Empty unless given, and the same for `snapshot` unless that is given. */
  readonly mixed?: readonly string[];
  readonly snapshot?: readonly string[];
}

const known = (...pods: readonly Pod[]): readonly SourceUpdate[] => [
  says("set", ...pods),
];

const ROWS: readonly Row[] = [
  {
    what: "a first set with pods",
    update: says("set", a, b),
    incremental: ["add:a,b"],
    mixed: ["set:a,b"],
  },
  {
    what: "a first set without pods",
    update: says("set"),
    incremental: ["add:"],
    mixed: ["set:"],
  },
  {
    what: "a second set without pods",
    before: known(),
    update: says("set"),
    incremental: [],
  },
  {
    what: "a set that says the same",
    before: known(a),
    update: says("set", a),
    incremental: [],
  },
  {
    what: "a set with one more",
    before: known(a),
    update: says("set", a, b),
    incremental: ["add:b"],
    mixed: ["set:a,b"],
  },
  {
    what: "a set with one less",
    before: known(a, b),
    update: says("set", b),
    incremental: ["remove:a"],
    mixed: ["set:b"],
  },
  {
    what: "a set with a changed pod",
    before: known(a),
    update: says("set", changedA),
    incremental: ["update:a"],
    mixed: ["update:a"],
    snapshot: ["set:a"],
  },
  {
    what: "a set with an ending pod",
    before: known(a),
    update: says("set", endingA),
    incremental: ["delete:a"],
    mixed: ["delete:a"],
    snapshot: ["set:a"],
  },
  {
    what: "a set with another status",
    before: known(a),
    update: says("set", runningA),
    incremental: ["reconcile:a"],
  },
  {
    what: "a set with another pod under a known UID",
    before: known(a),
    update: says("set", renamedA),
    incremental: ["remove:a", "add:z"],
    mixed: ["set:z"],
  },
  {
    what: "a set that changes everything",
    before: known(a, b),
    update: says("set", changedA, sourcePod({ name: "c" })),
    incremental: ["remove:b", "add:c", "update:a"],
    mixed: ["set:a,c", "update:a"],
    snapshot: ["set:a,c"],
  },
  {
    what: "a first set after pods were added one by one",
    before: [says("add", a)],
    update: says("set", a),
    incremental: ["add:"],
    mixed: ["set:a"],
  },
  {
    what: "a first set that only updates what was added before",
    before: [says("add", a)],
    update: says("set", changedA),
    incremental: ["update:a"],
    mixed: ["set:a", "update:a"],
    snapshot: ["set:a"],
  },
  {
    what: "an addition",
    before: known(a),
    update: says("add", b),
    incremental: ["add:b"],
    mixed: ["set:a,b"],
  },
  {
    what: "an addition of a source that was not seen",
    update: says("add", a),
    incremental: ["add:a"],
    mixed: ["set:a"],
  },
  {
    what: "an addition of nothing",
    update: says("add"),
    incremental: [],
  },
  {
    what: "an addition of a known pod",
    before: known(a, b),
    update: says("add", a),
    incremental: [],
  },
  {
    what: "an addition that changes a known pod",
    before: known(a, b),
    update: says("add", changedA),
    incremental: ["update:a"],
    mixed: ["update:a"],
    snapshot: ["set:a,b"],
  },
  {
    what: "an addition that names a pod twice",
    before: known(),
    update: says("add", a, replacedA),
    incremental: ["add:a"],
    mixed: ["set:a"],
  },
  {
    what: "an update of a known pod",
    before: known(a, b),
    update: says("update", changedA),
    incremental: ["update:a"],
    mixed: ["update:a"],
    snapshot: ["set:a,b"],
  },
  {
    what: "an update of the status alone",
    before: known(a),
    update: says("update", runningA),
    incremental: ["reconcile:a"],
  },
  {
    what: "an update of an unknown pod",
    before: known(a),
    update: says("update", b),
    incremental: ["add:b"],
    mixed: ["set:a,b"],
  },
  {
    what: "an update to an ending pod",
    before: known(a),
    update: says("update", endingA),
    incremental: ["delete:a"],
    mixed: ["delete:a"],
    snapshot: ["set:a"],
  },
  {
    what: "a deletion",
    before: known(a, b),
    update: says("delete", endingA),
    incremental: ["delete:a"],
    mixed: ["delete:a"],
    snapshot: ["set:a,b"],
  },
  {
    what: "a deletion that does not say when",
    before: known(a),
    update: says("delete", a),
    incremental: ["delete:a"],
    mixed: ["delete:a"],
    snapshot: ["set:a"],
  },
  {
    what: "a second deletion",
    before: [...known(a), says("delete", a)],
    update: says("delete", a),
    incremental: [],
  },
  {
    what: "a deletion of an unknown pod",
    before: known(b),
    update: says("delete", endingA),
    incremental: ["add:a"],
    mixed: ["set:b,a"],
  },
  {
    what: "a removal",
    before: known(a, b),
    update: says("remove", a),
    incremental: ["remove:a"],
    mixed: ["set:b"],
  },
  {
    what: "a removal of an unknown pod",
    before: known(a),
    update: says("remove", b),
    incremental: [],
  },
  {
    what: "a restoration",
    update: says("restore", a, b),
    incremental: ["restore:a,b"],
  },
  {
    what: "a restoration of nothing",
    update: says("restore"),
    incremental: [],
  },
  {
    what: "a restoration after the source was seen",
    before: known(b),
    update: says("restore", a),
    incremental: [],
  },
  {
    what: "a restoration of what the source added meanwhile",
    before: [says("add", changedA)],
    update: says("restore", a, b),
    incremental: ["restore:b"],
  },
  {
    what: "a restoration of a pod whose successor was added meanwhile",
    before: [says("add", replacedA)],
    update: says("restore", a),
    incremental: [],
  },
  {
    what: "a restoration of what the source has under another name by now",
    before: [says("add", renamedA)],
    update: says("restore", a),
    incremental: [],
  },
  {
    what: "a first set that says what was restored",
    before: [says("restore", a)],
    update: says("set", a),
    incremental: ["add:"],
    mixed: ["set:a"],
  },
  {
    what: "a first set that knows better than what was restored",
    before: [says("restore", a, b)],
    update: says("set", changedA, sourcePod({ name: "c" })),
    incremental: ["remove:b", "add:c", "update:a"],
    mixed: ["set:a,c", "update:a"],
    snapshot: ["set:a,c"],
  },
  {
    what: "a first set that changes one pod and ends another of those restored",
    before: [says("restore", a, b)],
    update: says("set", changedA, endingB),
    incremental: ["update:a", "delete:b"],
    mixed: ["set:a,b", "update:a", "delete:b"],
    snapshot: ["set:a,b"],
  },
  {
    what: "a first set without pods after a restoration",
    before: [says("restore", a)],
    update: says("set"),
    incremental: ["remove:a", "add:"],
    mixed: ["set:"],
  },
];

function toldIn(mode: NotificationMode, row: Row): readonly string[] {
  if (mode === "incremental") return row.incremental;
  const { op } = row.update;
  const { mixed = op === "restore" ? row.incremental : [] } = row;
  return mode === "snapshot" ? row.snapshot ?? mixed : mixed;
}

for (const mode of MODES) {
  for (const row of ROWS) {
    Deno.test(`PodConfigMux.merge() tells ${row.what} (${mode})`, () => {
      const mux = new PodConfigMux(mode, { storage: newStorage() });
      for (const update of row.before ?? []) mux.merge(update);
      deepStrictEqual(words(mux.merge(row.update)), toldIn(mode, row));
    });
  }
}

Deno.test("notificationsOf() knows no other mode", () => {
  throws(() =>
    notificationsOf({
      source: "file",
      changes: [],
      isFirstSet: true,
      merged: [],
      // What a caller without types may pass.
    }, JSON.parse('"all"')), TypeError);
});
