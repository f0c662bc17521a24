/**
 * Which pods stand beside one that asks for its share of the node.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { ShareHolders } from "../../../../mod/agent/desired/share_holders.ts";
import { admit } from "../../../../mod/pod/admission/mod.ts";
import { parseQuantity } from "../../../../mod/api/objects/mod.ts";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import { pod } from "../../../support/pods.ts";

function asking(uid: string, name: string, cpu = "1"): Pod {
  const resources = { requests: { cpu } };
  return pod({ uid, name, containers: [{ name: "main", resources }] });
}

function holding(): ShareHolders {
  const holders = new ShareHolders();
  holders.set("1", { pod: asking("1", "old"), stays: true });
  holders.set("1", { pod: asking("1", "a"), stays: true });
  holders.set("2", { pod: asking("2", "b"), stays: false });
  holders.set("3", { pod: asking("3", "b"), stays: true });
  return holders;
}

const CASES: Readonly<
  Record<string, readonly [Pod, others: string[], lasting: string[]]>
> = {
  "another": [asking("9", "x"), ["1", "2", "3"], ["1", "3"]],
  "one of the same name": [asking("9", "a"), ["2", "3"], ["3"]],
  "two of the same name": [asking("9", "b"), ["1"], ["1"]],
  "one of the same UID": [asking("2", "x"), ["1", "3"], ["1", "3"]],
  "one of its UID, one of its name": [asking("1", "b"), [], []],
  "one that has another name by now": [
    asking("9", "old"),
    ["1", "2", "3"],
    ["1", "3"],
  ],
};

for (const [what, [one, others, lasting]] of Object.entries(CASES)) {
  Deno.test(`ShareHolders.beside() knows who stands beside ${what}`, () => {
    const beside = holding().beside(one);
    const uidsOf = (pods: readonly Pod[]) =>
      pods.map(({ metadata }) => metadata.uid);
    deepStrictEqual(uidsOf(beside.others), others);
    deepStrictEqual(uidsOf(beside.lasting), lasting);
    // They are weighed as they stand there.
    const node = {
      name: "edge1",
      labels: {},
      allocatable: new Map([["cpu", parseQuantity(`${others.length + 1}`)]]),
      allowedUnsafeSysctls: [],
    };
    strictEqual(admit({ pod: one, others: beside.others, node }), undefined);
    const more = asking("9", "x", "1001m");
    strictEqual(
      admit({ pod: more, others: beside.others, node })?.message,
      `Node didn't have enough resource: cpu, requested: 1001, used: ${
        others.length * 1000
      }, capacity: ${(others.length + 1) * 1000}`,
    );
  });
}

Deno.test("ShareHolders.beside() knows of a share that was given away since it was asked", () => {
  const holders = holding();
  const before = holders.beside(asking("9", "x"));
  holders.set("4", { pod: asking("4", "c"), stays: true });
  const after = holders.beside(asking("9", "x"));
  strictEqual(after.others.length, before.others.length + 1);
  strictEqual(after.lasting.length, before.lasting.length + 1);
});
