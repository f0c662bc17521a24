/**
 * What of a node decides which pods it takes.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Node } from "../../../mod/api/cluster/mod.ts";
import { isKnownNode, knownNode } from "../../../mod/node/mod.ts";

const NODE: Node = {
  apiVersion: "v1",
  kind: "Node",
  metadata: {
    name: "kiosk-1",
    namespace: "",
    uid: "u1",
    resourceVersion: "7",
    labels: { disk: "ssd" },
    annotations: { note: "x" },
  },
  spec: {
    unschedulable: true,
    taints: [
      {
        ...{ key: "gone", value: "yes", effect: "NoExecute" },
        timeAdded: "2026-01-01T00:00:00Z",
      },
      { key: "full", effect: "NoSchedule" },
    ],
  },
  status: { capacity: { cpu: "2" } },
};

Deno.test("knownNode() is labels, taints and UID, and nothing that changes while a node runs", () => {
  deepStrictEqual(knownNode(NODE), {
    uid: "u1",
    labels: { disk: "ssd" },
    taints: [
      { key: "gone", value: "yes", effect: "NoExecute" },
      { key: "full", effect: "NoSchedule" },
    ],
  });
  const { labels: _labels, ...metadata } = NODE.metadata;
  deepStrictEqual(knownNode({ ...NODE, metadata, spec: {} }), {
    ...{ uid: "u1", labels: {}, taints: [] },
  });
});

const TAINT = { key: "k", effect: "NoExecute" };
const KNOWN = { uid: "u", labels: { a: "b" }, taints: [TAINT] };

const SHAPES:
  readonly (readonly [what: string, value: unknown, is: boolean])[] = [
    ["one", KNOWN, true],
    ["one of nothing", { uid: "", labels: {}, taints: [] }, true],
    ["a taint with a value", {
      ...KNOWN,
      taints: [{ ...TAINT, value: "v" }],
    }, true],
    ["no object", "u", false],
    ["no UID", { ...KNOWN, uid: 7 }, false],
    ["no labels", { ...KNOWN, labels: undefined }, false],
    ["a label that is no text", { ...KNOWN, labels: { a: 1 } }, false],
    ["no taints", { ...KNOWN, taints: {} }, false],
    ["a taint without a key", { ...KNOWN, taints: [{ effect: "x" }] }, false],
    ["a taint without an effect", { ...KNOWN, taints: [{ key: "x" }] }, false],
    ["a taint that is no object", { ...KNOWN, taints: [TAINT, null] }, false],
    ["a taint whose value is no text", {
      ...KNOWN,
      taints: [{ ...TAINT, value: 1 }],
    }, false],
  ];

for (const [what, value, is] of SHAPES) {
  Deno.test(`isKnownNode() ${is ? "takes" : "refuses"} ${what}`, () => {
    strictEqual(isKnownNode(value), is);
  });
}
