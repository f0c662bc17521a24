/**
 * What the records of manifests decide, and when they are written.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { FileEntries } from "../../../../mod/source/file_state.ts";
import type { SourceContent } from "../../../../mod/source/merge/source_set.ts";
import { KeptManifests } from "../../../../mod/source/file/kept_manifests.ts";
import { FakeLastGood } from "../../../support/source/fake_manifests.ts";
import { sourcePod } from "../../../support/source/source_pods.ts";

/** Three pods of one name, one in each file. */
const FILES = ["/m/1", "/m/2", "/m/3"] as const;

const PODS = FILES.map((path) => sourcePod({ name: "web", uid: path }));

const entries: FileEntries = new Map(
  FILES.map((path, at) => [path, {
    verdict: { kind: "accepted", content: contentOf(at) },
  }]),
);

function contentOf(at: number): SourceContent {
  return { pods: PODS.slice(at, at + 1), objects: [], workloads: [] };
}

const OTHER: SourceContent = {
  pods: [sourcePod({ name: "other" })],
  objects: [],
  workloads: [],
};

/** Of what each record is: that of a file that has the name, that of another, or whatever. */
type Held = "claims" | "other" | "unknown" | "none";

const ROWS: readonly (readonly [
  records: readonly [Held, Held, Held],
  winner: string,
])[] = [
  [["none", "none", "none"], "/m/1"],
  [["none", "other", "claims"], "/m/3"],
  [["unknown", "unknown", "claims"], "/m/3"],
  [["other", "none", "unknown"], "/m/3"],
  [["none", "unknown", "unknown"], "/m/2"],
  [["none", "claims", "claims"], "/m/2"],
];

for (const [records, winner] of ROWS) {
  Deno.test(`KeptManifests gives a name to ${winner} where the records say: ${records.join()}`, async () => {
    const store = new FakeLastGood();
    for (const [at, record] of records.entries()) {
      const path = FILES[at] ?? "";
      if (record === "unknown") store.unreadable.add(path);
      if (record === "other") store.records.set(path, OTHER);
      if (record === "claims") store.records.set(path, contentOf(at));
    }
    const { pods } = await new KeptManifests(store).resolve(entries);
    deepStrictEqual(pods.map(({ metadata }) => metadata.uid), [winner]);
  });
}

Deno.test("KeptManifests writes what counts of a manifest when it is another, and what is forgotten anew", async () => {
  const store = new FakeLastGood();
  const kept = new KeptManifests(store);
  const resolution = await kept.resolve(entries);
  kept.keep(resolution);
  // A copy gives nothing that counts, which the next agent has to know.
  deepStrictEqual(
    FILES.map((path) => store.records.get(path)?.pods.length),
    [1, 0, 0],
  );
  strictEqual(store.saves, 3);
  kept.keep(resolution);
  strictEqual(store.saves, 3);
  kept.forget("/m/1");
  strictEqual(store.records.has("/m/1"), false);
  kept.keep(resolution);
  strictEqual(store.saves, 4);
});

Deno.test("KeptManifests does not write what the record says already", async () => {
  const store = new FakeLastGood();
  store.records.set("/m/1", contentOf(0));
  const kept = new KeptManifests(store);
  await kept.load("/m/1");
  const one: FileEntries = new Map([...entries].slice(0, 1));
  kept.keep(await kept.resolve(one));
  strictEqual(store.saves, 0);
});

Deno.test("KeptManifests asks the records again when the file that had a name is gone", async () => {
  const store = new FakeLastGood();
  const kept = new KeptManifests(store);
  await kept.resolve(entries);
  store.records.set("/m/3", contentOf(2));
  const { pods } = await kept.resolve(new Map([...entries].slice(1)));
  deepStrictEqual(pods.map(({ metadata }) => metadata.uid), ["/m/3"]);
});

Deno.test("KeptManifests reads each record once, however many names are in question", async () => {
  const store = new FakeLastGood();
  const names = ["web", "db", "cache"];
  const files: FileEntries = new Map(["/m/1", "/m/2"].map((path) => {
    const pods = names.map((name) =>
      sourcePod({ name, uid: `${path} ${name}` })
    );
    return [path, {
      verdict: {
        kind: "accepted",
        content: { pods, objects: [], workloads: [] },
      },
    }];
  }));
  await new KeptManifests(store).resolve(files);
  deepStrictEqual([...store.loads], [["/m/1", 1], ["/m/2", 1]]);
});
