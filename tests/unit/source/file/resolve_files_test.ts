/** Which file has a name or a UID that several claim, by what had it before. */

import { deepStrictEqual } from "node:assert/strict";
import type {
  FileContent,
  FileEntry,
} from "../../../../mod/source/file_state.ts";
import {
  areNamed,
  claimsOf,
  heldBack,
  openClaims,
  resolveFiles,
} from "../../../../mod/source/file/resolve_files.ts";
import { manifestDeployment } from "../../../support/api/workload_drafts.ts";
import {
  settingsMap,
  sourcePod,
  type SourcePodDraft,
} from "../../../support/source/source_pods.ts";

const NOTHING: FileContent = { pods: [], objects: [], workloads: [] };

type Files = Readonly<Record<string, readonly SourcePodDraft[]>>;

function entry(content: Partial<FileContent>): FileEntry {
  return { verdict: { kind: "accepted", content: { ...NOTHING, ...content } } };
}

function podFiles(files: Files): Map<string, FileEntry> {
  return new Map(
    Object.entries(files).map(([file, drafts]) => [
      file,
      entry({ pods: drafts.map(sourcePod) }),
    ]),
  );
}

const A = { name: "a", uid: "1" };

const CASES: readonly {
  readonly says: string;
  readonly before: Readonly<Record<string, string>>;
  readonly files: Files;
  readonly winners: readonly string[];
}[] = [
  {
    says: "of two that nobody had to the first path",
    before: {},
    files: { y: [A], x: [{ ...A, name: "b" }] },
    winners: ["b 1"],
  },
  {
    says: "to the file that had it",
    before: { "name default/a": "y", "uid 1": "y" },
    files: { x: [A], y: [A] },
    winners: ["a 1"],
  },
  {
    says: "to the file that had the UID, if another had the name of its pod",
    before: { "name default/a": "x", "uid 1": "y" },
    files: { x: [A], y: [{ name: "new", uid: "1" }] },
    winners: ["new 1"],
  },
  {
    says: "to the file that had the name, if another had the UID of its pod",
    before: { "name default/a": "y", "uid 1": "x" },
    files: { x: [{ name: "b", uid: "1" }, { name: "a", uid: "9" }], y: [A] },
    winners: ["b 1"],
  },
  {
    says:
      "before others to a file that had one of its claims, if no other had the rest",
    before: { "name default/b": "y" },
    files: { x: [A], y: [{ name: "b", uid: "1" }] },
    winners: ["b 1"],
  },
  {
    says: "to none that had it and has it no more",
    before: { "name default/a": "z", "uid 1": "z" },
    files: { x: [A], y: [A] },
    winners: ["a 1"],
  },
];

for (const { says, before, files, winners } of CASES) {
  Deno.test(`resolveFiles() gives a claim ${says}`, () => {
    const { pods } = resolveFiles(
      podFiles(files),
      new Map(Object.entries(before)),
    );
    deepStrictEqual(
      pods.map(({ metadata: { name, uid } }) => `${name} ${uid}`)
        .filter((each) => each !== "a 9"),
      winners,
    );
  });
}

Deno.test("resolveFiles() gives the name of a workload to one file, and says who has it", () => {
  const web = manifestDeployment();
  const object = { kind: "Deployment", namespace: "default", name: "web" };
  const files = new Map([
    ["x", entry({ workloads: [manifestDeployment({ replicas: 2 })] })],
    ["y", entry({ workloads: [web], pods: [sourcePod(A)] })],
  ]);
  const before = new Map([["object Deployment default/web", "y"]]);
  const { workloads, reports, counted } = resolveFiles(files, before);
  deepStrictEqual(workloads, [web]);
  deepStrictEqual(reports, [
    { kind: "duplicate_object", file: "x", of: "y", object, pods: [] },
  ]);
  deepStrictEqual(counted.get("x"), NOTHING);
  deepStrictEqual(counted.get("y")?.workloads, [web]);
});

Deno.test("openClaims() has those of several files that none of them had", () => {
  const files = podFiles({ x: [A], y: [A, { name: "b", uid: "2" }], z: [A] });
  const open = (
    before: Readonly<Record<string, string>>,
  ) => [...openClaims(files, new Map(Object.entries(before)))];
  const all = ["x", "y", "z"];
  deepStrictEqual(open({}), [["name default/a", all], ["uid 1", all]]);
  deepStrictEqual(open({ "uid 1": "y" }), [["name default/a", all]]);
  deepStrictEqual(open({ "uid 1": "gone" }), [
    ["name default/a", all],
    ["uid 1", all],
  ]);
});

Deno.test("areNamed() and heldBack() ask for the names of all that there is", () => {
  const content = {
    pods: [sourcePod(A)],
    objects: [settingsMap()],
    workloads: [manifestDeployment()],
  };
  const claims = new Map(claimsOf(content).map((claim) => [claim, "x"]));
  const names = [...claims.keys()].filter((claim) => claim !== "uid 1");
  deepStrictEqual(names.length, 3);
  deepStrictEqual(areNamed(content, claims), true);
  for (const name of names) {
    const now = new Map([...claims].filter(([claim]) => claim !== name));
    deepStrictEqual(areNamed(content, now), false);
    const options = { before: claims, now, isMoving: () => true };
    const held = heldBack(content, options);
    const isPod = name.startsWith("name ");
    // Its UID is still there, so that both cannot be had.
    deepStrictEqual(held === "all", isPod);
    if (held === "all") continue;
    const isWorkload = name.includes("Deployment");
    deepStrictEqual(held, {
      ...NOTHING,
      ...(isWorkload
        ? { workloads: content.workloads }
        : { objects: content.objects }),
    });
  }
});
