/**
 * Which pods of manifests a cluster is to be shown.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Pod, PodPhase } from "../../../mod/api/types/mod.ts";
import {
  type MirrorFacts,
  mirrorPlan,
  mirrorShowing,
} from "../../../mod/cluster/mod.ts";

const FACTS = {
  node: { metadata: { name: "kiosk-1", namespace: "", uid: "n1" } },
  ending: new Set<string>(),
  isComplete: true,
  lives: () => true,
};

function manifest(
  { name = "web-kiosk-1", image = "a", seen = "1", uid = "u1" } = {},
): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "shop",
      uid,
      labels: { app: "web" },
      annotations: {
        "kubernetes.io/config.hash": uid,
        "kubernetes.io/config.source": "file",
        "kubernetes.io/config.seen": seen,
        note: "mine",
      },
    },
    spec: { containers: [{ name: "c", image }] },
  };
}

/** What the cluster has once the mirror of a pod was made. */
function shownOf(pod: Pod, rest: Partial<Pod["metadata"]> = {}): Pod {
  const [wish] = mirrorPlan([pod], [], FACTS).create;
  if (wish === undefined) throw new Error("no mirror is wished");
  const { mirror } = wish;
  const metadata = { ...mirror.metadata, uid: "m1", ...rest };
  return { ...mirror, metadata };
}

/** A mirror that shows a phase. */
function over(phase: PodPhase): Pod {
  return { ...shownOf(manifest()), status: { phase } };
}

Deno.test("a mirror says all that the manifest says, belongs to the node and to no controller", () => {
  const [wish] = mirrorPlan([manifest()], [], FACTS).create;
  const { metadata, spec } = wish?.mirror ?? {};
  const { annotations = {}, ...rest } = metadata ?? {};
  deepStrictEqual(rest, {
    namespace: "shop",
    name: "web-kiosk-1",
    labels: { app: "web" },
    ownerReferences: [{
      apiVersion: "v1",
      kind: "Node",
      name: "kiosk-1",
      uid: "n1",
      controller: true,
    }],
  });
  deepStrictEqual(Object.keys(annotations).sort(), [
    "kubernetes.io/config.hash",
    "kubernetes.io/config.mirror",
    "kubernetes.io/config.source",
    "note",
  ]);
  strictEqual(
    annotations["kubernetes.io/config.mirror"],
    annotations["kubernetes.io/config.hash"],
  );
  deepStrictEqual(spec, {
    containers: [{ name: "c", image: "a" }],
    nodeName: "kiosk-1",
  });
});

const ref = { namespace: "shop", name: "web-kiosk-1", uid: "m1" };

const ENDING = new Set(["web-kiosk-1_shop"]);

const rows: readonly {
  readonly name: string;
  readonly wanted: readonly Pod[];
  readonly shown: readonly Pod[];
  readonly creates: number;
  readonly removes: readonly unknown[];
  readonly facts?: Partial<MirrorFacts>;
  readonly waits?: true;
}[] = [
  {
    name: "a mirror that is as it should be is left alone",
    wanted: [manifest()],
    shown: [shownOf(manifest())],
    creates: 0,
    removes: [],
  },
  {
    name: "another start of the agent changes no mirror",
    wanted: [manifest({ seen: "2" })],
    shown: [shownOf(manifest())],
    creates: 0,
    removes: [],
  },
  {
    name: "an edit takes the old mirror away first, also under one UID",
    wanted: [manifest({ image: "b" })],
    shown: [shownOf(manifest())],
    creates: 0,
    removes: [ref],
  },
  {
    name: "a mirror whose manifest is gone goes",
    wanted: [],
    shown: [shownOf(manifest())],
    creates: 0,
    removes: [ref],
  },
  {
    name: "a mirror that somebody deletes is let go, to be made again",
    wanted: [manifest()],
    shown: [
      shownOf(manifest(), { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    ],
    creates: 0,
    removes: [ref],
  },
  {
    name: "a pod of the cluster that has the name is no mirror, and stays",
    wanted: [manifest()],
    shown: [{ ...manifest(), metadata: { ...manifest().metadata, uid: "x" } }],
    creates: 0,
    removes: [],
  },
  {
    name: "pods of the cluster are not looked at",
    wanted: [manifest()],
    shown: [manifest({ name: "other" })],
    creates: 1,
    removes: [],
  },
  {
    name: "a mirror stays while its pod ends (ST-10)",
    wanted: [],
    shown: [shownOf(manifest())],
    creates: 0,
    removes: [],
    facts: { ending: ENDING },
    waits: true,
  },
  {
    name: "an edited manifest waits for the end of the pod before (ST-10)",
    wanted: [manifest({ image: "b" })],
    shown: [shownOf(manifest())],
    creates: 0,
    removes: [],
    facts: { ending: ENDING },
    waits: true,
  },
  {
    name:
      "a mirror that somebody deletes while its pod ends stays until then (ST-10)",
    wanted: [],
    shown: [
      shownOf(manifest(), { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    ],
    creates: 0,
    removes: [],
    facts: { ending: ENDING },
    waits: true,
  },
  {
    name: "no mirror is made while another pod of the name ends (ST-10)",
    wanted: [manifest({ image: "b" })],
    shown: [],
    creates: 0,
    removes: [],
    facts: { ending: ENDING },
    waits: true,
  },
  {
    name: "the end of another pod holds up nothing",
    wanted: [manifest({ image: "b" }), manifest({ name: "c" })],
    shown: [shownOf(manifest())],
    creates: 1,
    removes: [ref],
    facts: { ending: new Set(["other_shop"]) },
  },
  {
    name:
      "nothing goes while it is not known what runs, and what is free is made",
    wanted: [manifest({ name: "c" })],
    shown: [shownOf(manifest())],
    creates: 1,
    removes: [],
    facts: { ending: undefined },
    waits: true,
  },
  {
    name: "what a silent source may have stays, and waits for nobody to end",
    wanted: [],
    shown: [shownOf(manifest())],
    creates: 0,
    removes: [],
    facts: { isComplete: false },
  },
  {
    name: "one that shows the end of an earlier life goes",
    wanted: [manifest()],
    shown: [over("Succeeded")],
    creates: 0,
    removes: [ref],
    facts: {},
  },
  {
    name: "one that shows how a pod ended stays",
    wanted: [manifest()],
    shown: [over("Failed")],
    creates: 0,
    removes: [],
    facts: { lives: () => false },
  },
  {
    name: "one that shows an earlier life stays until that has ended",
    wanted: [manifest()],
    shown: [over("Failed")],
    creates: 0,
    removes: [],
    facts: { ending: ENDING },
    waits: true,
  },
  {
    name: "one of a pod that is not over stays",
    wanted: [manifest()],
    shown: [over("Running")],
    creates: 0,
    removes: [],
    facts: {},
  },
  {
    name: "an edit is shown, whatever another source has",
    wanted: [manifest({ image: "b" })],
    shown: [shownOf(manifest())],
    creates: 0,
    removes: [ref],
    facts: { isComplete: false },
  },
];
for (const { name, wanted, shown, creates, removes, facts, waits } of rows) {
  Deno.test(`mirrorPlan(): ${name}`, () => {
    const plan = mirrorPlan(wanted, shown, { ...FACTS, ...facts });
    strictEqual(plan.isWaiting, waits ?? false);
    strictEqual(plan.create.length, creates);
    deepStrictEqual(plan.remove, removes);
  });
}

Deno.test("mirrorShowing() finds a mirror that is to stay, of whatever version", () => {
  const mirror = shownOf(manifest());
  strictEqual(mirrorShowing(mirror), mirror);
  strictEqual(mirrorShowing(undefined), undefined);
  strictEqual(mirrorShowing(manifest()), undefined);
  const ending = shownOf(manifest(), {
    deletionTimestamp: "2026-01-01T00:00:00Z",
  });
  strictEqual(mirrorShowing(ending), undefined);
});
