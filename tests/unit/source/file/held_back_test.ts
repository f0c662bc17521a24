/**
 * What of a set is held back while manifests may be found elsewhere.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import type { FileContent } from "../../../../mod/source/file_state.ts";
import {
  claimsOf,
  type HeldBack,
  heldBack,
  type Holders,
} from "../../../../mod/source/file/resolve_files.ts";
import { settingsMap, sourcePod } from "../../../support/source/source_pods.ts";

const WEB = sourcePod();
const DB = sourcePod({ name: "db" });
const SETTINGS = settingsMap();
const SET: FileContent = {
  pods: [WEB, DB],
  objects: [SETTINGS],
  workloads: [],
};

/** The files of a content, by what it claims. */
function holders(content: Partial<FileContent>, file: string): Holders {
  const claims = claimsOf({ pods: [], objects: [], workloads: [], ...content });
  return new Map(claims.map((claim) => [claim, file]));
}

const BEFORE: Holders = new Map([
  ...holders({ pods: [WEB], objects: [SETTINGS], workloads: [] }, "a"),
  ...holders({ pods: [DB] }, "b"),
]);

const CASES: readonly {
  readonly says: string;
  readonly now: Holders;
  readonly moving: readonly (string | undefined)[];
  readonly held: HeldBack;
}[] = [
  {
    says: "what has no file any more, and whose file may move",
    now: new Map(),
    moving: ["a"],
    held: { pods: [WEB], objects: [SETTINGS], workloads: [] },
  },
  {
    says: "nothing whose file does not move",
    now: new Map(),
    moving: [],
    held: { pods: [], objects: [], workloads: [] },
  },
  {
    says: "nothing that has a file",
    now: BEFORE,
    moving: ["a", "b"],
    held: { pods: [], objects: [], workloads: [] },
  },
  {
    says: "the objects only, if the pods have a file",
    now: holders({ pods: [WEB, DB] }, "c"),
    moving: ["a", "b"],
    held: { pods: [], objects: [SETTINGS], workloads: [] },
  },
  {
    says: "all, if another pod has the UID of one that is held",
    now: holders({ pods: [sourcePod({ uid: "uid-web", name: "x" })] }, "c"),
    moving: ["a"],
    held: "all",
  },
  {
    says: "the rest, if another pod has the UID of one that is not held",
    now: holders({ pods: [sourcePod({ uid: "uid-web", name: "x" })] }, "c"),
    moving: ["b"],
    held: { pods: [DB], objects: [], workloads: [] },
  },
];

for (const { says, now, moving, held } of CASES) {
  Deno.test(`heldBack() holds ${says}`, () => {
    const isMoving = (file: string | undefined): boolean =>
      moving.includes(file);
    deepStrictEqual(heldBack(SET, { before: BEFORE, now, isMoving }), held);
  });
}

Deno.test("heldBack() asks whether anything moves for what no file had", () => {
  const isMoving = (file: string | undefined): boolean => file === undefined;
  const now = new Map();
  deepStrictEqual(heldBack(SET, { before: new Map(), now, isMoving }), SET);
});
