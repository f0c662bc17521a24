/**
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import {
  type FileContent,
  type FileEntry,
  isSettling,
  unknownOf,
} from "../../../mod/source/file_state.ts";
import { resolveFiles } from "../../../mod/source/file/resolve_files.ts";
import { isManifestName } from "../../../mod/source/file/file_hints.ts";
import {
  settingsMap,
  sourcePod,
  type SourcePodDraft,
} from "../../support/source/source_pods.ts";
import { manifestDeployment } from "../../support/api/workload_drafts.ts";

function accepted(...drafts: readonly SourcePodDraft[]): FileEntry {
  const content = { pods: drafts.map(sourcePod), objects: [], workloads: [] };
  return { verdict: { kind: "accepted", content } };
}

function faulty(content: FileContent | undefined): FileEntry {
  const lastGood = content === undefined
    ? { kind: "absent" } as const
    : { kind: "present", content } as const;
  const faults = [{ field: "spec", message: "Invalid" }];
  return { verdict: { kind: "faulty", faults, named: [], lastGood } };
}

Deno.test("resolveFiles() takes the pods in the order of the files", () => {
  const { pods, reports } = resolveFiles(
    new Map([
      ["/m/b.yaml", accepted({ name: "b1" }, { name: "b2" })],
      ["/m/a.yaml", accepted({ name: "a" })],
    ]),
  );
  deepStrictEqual(pods.map(({ metadata }) => metadata.name), ["a", "b1", "b2"]);
  deepStrictEqual(reports, []);
});

Deno.test("resolveFiles() gives a name to the first file and names both", () => {
  const { pods, reports } = resolveFiles(
    new Map([
      ["/m/b.yaml", accepted({ uid: "2" }, { name: "other" })],
      ["/m/a.yaml", accepted({ uid: "1" })],
    ]),
  );
  deepStrictEqual(pods.map(({ metadata }) => metadata.uid), ["1", "uid-other"]);
  deepStrictEqual(reports, [{
    kind: "duplicate",
    file: "/m/b.yaml",
    of: "/m/a.yaml",
    pod: sourcePod({ uid: "2" }),
    field: "name",
  }]);
});

Deno.test("resolveFiles() treats two names with one UID as duplicates too", () => {
  const { pods, reports } = resolveFiles(
    new Map([["/m/a.yaml", accepted({ uid: "1" }, { uid: "1", name: "x" })]]),
  );
  strictEqual(pods.length, 1);
  strictEqual(reports[0]?.kind === "duplicate" && reports[0].field, "uid");
});

Deno.test("resolveFiles() keeps last good pods and reports why", () => {
  const pods = [sourcePod()];
  const { pods: resolved, reports } = resolveFiles(
    new Map([
      ["/m/a.yaml", faulty({ pods, objects: [], workloads: [] })],
      ["/m/b.yaml", faulty(undefined)],
    ]),
  );
  deepStrictEqual(resolved, pods);
  deepStrictEqual(reports.map(({ kind, file }) => [kind, file]), [
    ["last_good", "/m/a.yaml"],
    ["refused", "/m/b.yaml"],
  ]);
});

for (
  const [what, content, isKnown] of [
    ["nothing", { pods: [], objects: [], workloads: [] }, false],
    ["a pod", { pods: [sourcePod()], objects: [], workloads: [] }, true],
    ["an object", { pods: [], objects: [settingsMap()], workloads: [] }, true],
    [
      "a Deployment",
      { pods: [], objects: [], workloads: [manifestDeployment()] },
      true,
    ],
    [
      "a pod and an object",
      { pods: [sourcePod()], objects: [settingsMap()], workloads: [] },
      true,
    ],
  ] as const
) {
  Deno.test(`resolveFiles() says what becomes of an invalid file that gave ${what}`, () => {
    const files = new Map([["/m/a.yaml", faulty(content)]]);
    const [report] = resolveFiles(files).reports;
    strictEqual(report?.kind, isKnown ? "last_good" : "refused");
    const { workloads } = content;
    deepStrictEqual(
      report?.kind === "last_good" && report.workloads,
      isKnown && (workloads.length > 0 ? workloads : undefined),
    );
  });

  Deno.test(`isSettling() is ${!isKnown} while a file that gave ${what} may be being written`, () => {
    const lastGood = { kind: "present", content } as const;
    const verdict = { kind: "unsettled", lastGood } as const;
    strictEqual(isSettling(new Map([["/m/a.yaml", { verdict }]])), !isKnown);
    const reason = "it may still be being written";
    strictEqual(unknownOf(verdict), isKnown ? undefined : reason);
  });
}

Deno.test("resolveFiles() gives an object's name to the first file and names both", () => {
  const first = settingsMap({ value: "first" });
  const second = settingsMap({ value: "second" });
  const other = settingsMap({ namespace: "other" });
  const secret = { ...settingsMap(), kind: "Secret" as const };
  const reader = sourcePod({ name: "reader" });
  const { objects, pods, reports } = resolveFiles(
    new Map<string, FileEntry>([
      ["/m/b.yaml", {
        verdict: {
          kind: "accepted",
          content: { pods: [reader], objects: [second, other], workloads: [] },
        },
      }],
      [
        "/m/a.yaml",
        faulty({ pods: [], objects: [first, secret], workloads: [] }),
      ],
    ]),
  );
  deepStrictEqual(objects, [first, secret, other]);
  deepStrictEqual(pods, [reader]);
  deepStrictEqual(reports.map(({ kind }) => kind), [
    "last_good",
    "duplicate_object",
  ]);
  deepStrictEqual(reports[1], {
    kind: "duplicate_object",
    file: "/m/b.yaml",
    of: "/m/a.yaml",
    object: { kind: "ConfigMap", namespace: "default", name: "settings" },
    pods: [reader],
  });
});

Deno.test("resolveFiles() gives the same answer whatever the order of discovery", () => {
  const entries = fc.array(
    fc.tuple(
      fc.constantFrom("/m/a", "/m/b", "/m/c", "/m/d"),
      fc.array(
        fc.record({
          name: fc.constantFrom("x", "y"),
          uid: fc.constantFrom("1", "2", "3"),
        }),
        { maxLength: 2 },
      ),
    ),
    { maxLength: 4 },
  ).map((
    rows,
  ) => [
    ...new Map(
      rows.map(([path, drafts]) => [path, accepted(...drafts)] as const),
    ),
  ]);
  fc.assert(fc.property(entries, fc.gen(), (rows, gen) => {
    const shuffled = gen(() =>
      fc.shuffledSubarray(rows, {
        minLength: rows.length,
        maxLength: rows.length,
      })
    );
    deepStrictEqual(
      resolveFiles(new Map(shuffled)),
      resolveFiles(new Map(rows)),
    );
  }));
});

const NAMES: readonly (readonly [string, boolean, boolean])[] = [
  ["a.yaml", true, true],
  ["a.yml", true, true],
  ["a.json", true, true],
  [".a.yaml", false, false],
  ["a.yaml~", false, true],
  ["a.yaml.bak", false, true],
  ["a.yaml.swp", false, true],
  ["a.yaml.orig", false, true],
  ["a.yaml.rpmnew", false, true],
  ["#a.yaml#", false, true],
  ["A.YAML", false, true],
  ["yaml", false, true],
  ["..data", false, false],
];
for (const [name, byDefault, withEveryFile] of NAMES) {
  Deno.test(`isManifestName() judges "${name}"`, () => {
    strictEqual(isManifestName(name, { everyFile: false }), byDefault);
    strictEqual(isManifestName(name, { everyFile: true }), withEveryFile);
  });
}
