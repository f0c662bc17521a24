/**
 * What differs between what is wanted and what there is.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import {
  type Differences,
  reconcile,
  type ReconcileInput,
} from "../../../../mod/agent/desired/reconcile.ts";
import { ANNOTATION_CONFIG_SOURCE } from "../../../../mod/api/vocabulary/mod.ts";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import type { PodListing } from "../../../../mod/runtime/observe/mod.ts";
import { podOf } from "../../../support/pods.ts";
import {
  type WorkerFacts,
  workerView,
} from "../../../support/agent/worker_view.ts";

function byUid(...pods: readonly Pod[]): ReadonlyMap<string, Pod> {
  return new Map(pods.map((each) => [each.metadata.uid, each]));
}

const ENDING: WorkerFacts = {
  state: { kind: "terminating", cause: "removed", graceSeconds: 30 },
};

function listing(uid: string, ...sources: readonly string[]): PodListing {
  return {
    uid,
    name: uid,
    namespace: "shop",
    alive: true,
    containers: [],
    sandboxes: sources.map((source, index) => ({
      id: `${uid}${index}`,
      metadata: { name: uid, uid, namespace: "shop", attempt: 0 },
      state: "ready",
      createdAt: 1n,
      labels: {},
      annotations: { [ANNOTATION_CONFIG_SOURCE]: source },
      runtimeHandler: "",
    })),
  };
}

/** Sandboxes of the pod `a` under its old name and under its new one. */
function ofBoth(): Pick<PodListing, "sandboxes"> {
  const { sandboxes } = listing("a", "file", "file");
  const [old, ...others] = sandboxes;
  return {
    sandboxes: [
      ...old === undefined ? [] : [old],
      ...others.map((each) => ({
        ...each,
        metadata: { ...each.metadata, name: "other" },
      })),
    ],
  };
}

const A = podOf("a");
const A2 = podOf("a", { labels: { version: "2" } });
const RENAMED = podOf("a", { name: "other" });
const B = podOf("b");

const NOTHING: Differences = {
  unwanted: [],
  missing: [],
  changed: [],
  orphans: [],
  sooner: [],
};

const EMPTY: ReconcileInput = {
  wanted: new Map(),
  pending: new Map(),
  workers: [],
  running: [],
  owned: new Set(),
  nameOf: () => undefined,
  ready: new Set(["file"]),
  expected: new Set(),
  ending: new Map(),
  isComplete: true,
};

const ROWS: readonly {
  readonly what: string;
  readonly input: Partial<ReconcileInput>;
  readonly found: Partial<Differences>;
}[] = [
  { what: "nothing of nothing", input: {}, found: {} },
  {
    what: "a pod without worker or place",
    input: { wanted: byUid(A, B), workers: [workerView(B)] },
    found: { missing: [A] },
  },
  {
    what: "nothing of a pod that runs in its newest version",
    input: { wanted: byUid(A), workers: [workerView(A2, { wanted: A })] },
    found: {},
  },
  {
    what: "nothing of a pod that ended by itself in its newest version",
    input: {
      wanted: byUid(A),
      workers: [
        workerView(A, { state: { kind: "finished", cause: "completed" } }),
      ],
    },
    found: {},
  },
  {
    what: "a worker that has another version",
    input: { wanted: byUid(A2), workers: [workerView(A)] },
    found: { changed: [A2] },
  },
  {
    what: "a worker that nobody wants",
    input: { workers: [workerView(A)] },
    found: { unwanted: ["a"] },
  },
  {
    what: "nothing of a worker that is told to end",
    input: { workers: [workerView(A, ENDING)] },
    found: {},
  },
  {
    what: "nothing of the worker of an orphan",
    input: {
      workers: [workerView(A, { ...ENDING, isOrphan: true })],
      running: [listing("a", "file")],
      owned: new Set(["a"]),
    },
    found: {},
  },
  {
    what: "a pod that is wanted again while it ends",
    input: { wanted: byUid(A), workers: [workerView(A, ENDING)] },
    found: { missing: [A] },
  },
  {
    what: "nothing of one that has a place already",
    input: {
      wanted: byUid(A),
      pending: byUid(A),
      workers: [workerView(A, ENDING)],
    },
    found: {},
  },
  {
    what: "a place in another version",
    input: { wanted: byUid(A2), pending: byUid(A) },
    found: { changed: [A2] },
  },
  {
    what: "a place that nobody wants",
    input: { pending: byUid(A), workers: [workerView(A, ENDING)] },
    found: { unwanted: ["a"] },
  },
  {
    what: "a worker under the old name of its UID",
    input: { wanted: byUid(RENAMED), workers: [workerView(A)] },
    found: { unwanted: ["a"], missing: [RENAMED] },
  },
  {
    what: "a place under the old name of its UID",
    input: { wanted: byUid(RENAMED), pending: byUid(A) },
    found: { unwanted: ["a"], missing: [RENAMED] },
  },
  {
    what: "nothing of a renamed pod that waits for the end of its old one",
    input: {
      wanted: byUid(RENAMED),
      pending: byUid(RENAMED),
      workers: [workerView(A, ENDING)],
    },
    found: {},
  },
  {
    what: "orphans by their list and by their directories",
    input: {
      running: [listing("a", "file"), listing("unmanaged", "file")],
      owned: new Set(["a", "directory"]),
    },
    found: {
      orphans: [
        { uid: "a", fullName: "a_shop" },
        { uid: "directory", fullName: undefined },
      ],
    },
  },
  {
    what: "no orphan before the first list",
    input: { running: undefined, owned: new Set(["a"]) },
    found: {},
  },
  {
    what: "no orphan that is wanted, pending or ends",
    input: {
      wanted: byUid(A),
      pending: byUid(A),
      workers: [workerView(B, ENDING)],
      running: [listing("a", "file"), listing("b", "file")],
      owned: new Set(["a", "b"]),
    },
    found: {},
  },
  {
    what: "no orphan that another source had which has not spoken",
    input: {
      running: [listing("a", "file"), listing("b", "file")],
      owned: new Set(["a", "b"]),
      expected: new Set(["a"]),
      isComplete: false,
    },
    found: { orphans: [{ uid: "b", fullName: "b_shop" }] },
  },
  {
    what: "no orphan while it is not known what other sources had",
    input: {
      running: [listing("a", "file")],
      owned: new Set(["a"]),
      expected: undefined,
      isComplete: false,
    },
    found: {},
  },
  {
    what: "orphans that a source had which lists them no more",
    input: {
      running: [listing("a", "http")],
      owned: new Set(["a"]),
      expected: new Set(["a"]),
    },
    found: { orphans: [{ uid: "a", fullName: "a_shop" }] },
  },
  {
    what: "what ran under another name of the UID before this agent",
    input: {
      wanted: byUid(RENAMED),
      running: [listing("a", "file")],
      owned: new Set(["a"]),
    },
    found: {
      missing: [RENAMED],
      orphans: [{ uid: "a", fullName: "a_shop" }],
    },
  },
  {
    what: "that by the disk, before the first list",
    input: {
      wanted: byUid(RENAMED, B),
      running: undefined,
      owned: new Set(["a", "b"]),
      nameOf: (uid) => `${uid}_shop`,
    },
    found: {
      missing: [RENAMED, B],
      orphans: [{ uid: "a", fullName: "a_shop" }],
    },
  },
  {
    what: "nothing under another name beside the sandbox of its own",
    input: {
      wanted: byUid(RENAMED),
      running: [{ ...listing("a", "file"), ...ofBoth() }],
      owned: new Set(["a"]),
    },
    found: { missing: [RENAMED] },
  },
  {
    what: "nothing of another agent's pod under the UID",
    input: { wanted: byUid(RENAMED), running: [listing("a", "file")] },
    found: { missing: [RENAMED] },
  },
  {
    what: "only orphans of the sources that have spoken",
    input: {
      isComplete: false,
      running: [
        listing("a", "file"),
        listing("b", "http"),
        listing("c", "file", "http"),
        listing("d"),
        listing("e", "nonsense"),
      ],
      owned: new Set(["a", "b", "c", "d", "e", "directory"]),
    },
    found: { orphans: [{ uid: "a", fullName: "a_shop" }] },
  },
  {
    what: "what its own source ends, whatever others have not said",
    input: {
      isComplete: false,
      expected: undefined,
      ending: byUid(A, podOf("directory"), podOf("unmanaged")),
      running: [
        listing("a", "local"),
        listing("b", "local"),
        listing("unmanaged"),
      ],
      owned: new Set(["a", "b", "directory", "other"]),
    },
    found: {
      orphans: [
        { uid: "a", fullName: "a_shop" },
        { uid: "directory", fullName: undefined },
      ],
    },
  },
  {
    what: "a pod that ends and of which its source has said how",
    input: { ending: byUid(A2), workers: [workerView(A, ENDING)] },
    found: { sooner: [A2] },
  },
  {
    what: "an orphan that ends and that its source knows",
    input: {
      ending: byUid(A),
      workers: [workerView(A, { ...ENDING, isOrphan: true })],
    },
    found: { sooner: [A] },
  },
  {
    what: "nothing of a pod that ends as its source says",
    input: { ending: byUid(A), workers: [workerView(A, ENDING)] },
    found: {},
  },
  {
    what: "nothing of a pod that has ended, or nobody has",
    input: {
      ending: byUid(A2, B),
      workers: [
        workerView(A, {
          state: { kind: "terminated", cause: "removed", atMs: 0 },
        }),
      ],
    },
    found: {},
  },
];

for (const { what, input, found } of ROWS) {
  Deno.test(`reconcile() finds ${what}`, () => {
    deepStrictEqual(reconcile({ ...EMPTY, ...input }), {
      ...NOTHING,
      ...found,
    });
  });
}
