/**
 * What a manifest that is read again keeps of what was held.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import { keepEqual } from "../../../../mod/source/file/manifest_reader.ts";
import {
  FileSourceRig,
  manifest,
  OLD,
} from "../../../support/source/file_source_rig.ts";
import { settingsMap, sourcePod } from "../../../support/source/source_pods.ts";
import { manifestDeployment } from "../../../support/api/workload_drafts.ts";

const MAP =
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"k":"v"}}`;

Deno.test("FileSource says of a pod and an object that a manifest has twice the same after an edit", async () => {
  await using rig = new FileSourceRig();
  const text = [manifest("a"), manifest("a"), MAP, MAP].join("\n---\n");
  for (const edited of [text, `${text}\n# more`, `# more\n${text}`]) {
    rig.files.write("a.yaml", edited, OLD);
    rig.files.hint("a.yaml", "arrived");
    await rig.pass(1_000);
    strictEqual(rig.names, "a");
    strictEqual(rig.sets.at(-1)?.objects.length, 1);
    deepStrictEqual(
      rig.source.report().map(({ kind }) => kind),
      ["duplicate", "duplicate_object"],
    );
  }
});

Deno.test("keepEqual() compares each of many pods of one UID once", () => {
  let looks = 0;
  const counted = (image: string): readonly Pod[] =>
    Array.from({ length: 200 }, (_, at) => {
      const { spec, ...rest } = sourcePod({ name: `p${at}`, uid: "u", image });
      return Object.defineProperty({ ...rest, spec }, "spec", {
        enumerable: true,
        get: () => {
          looks++;
          return spec;
        },
      });
    });
  const before = { pods: counted("a"), objects: [], workloads: [] };
  keepEqual(before, { pods: counted("b"), objects: [], workloads: [] });
  ok(looks <= 400, `${looks}`);
});

Deno.test("keepEqual() keeps what says the same, also twice, and takes the rest as it is", () => {
  const held = {
    pods: [
      sourcePod({ name: "a", uid: "u" }),
      sourcePod({ name: "a", uid: "u" }),
    ],
    objects: [settingsMap(), settingsMap()],
    workloads: [manifestDeployment(), manifestDeployment({ replicas: 2 })],
  };
  const same = structuredClone(held);
  const kept = keepEqual(held, same);
  for (const at of [0, 1]) {
    strictEqual(kept.pods[at], held.pods[at]);
    strictEqual(kept.objects[at], held.objects[at]);
    strictEqual(kept.workloads[at], held.workloads[at]);
  }
  const more = {
    pods: [...same.pods, ...same.pods.slice(1)],
    objects: [],
    workloads: [],
  };
  strictEqual(keepEqual(held, more).pods[2], same.pods[1]);
  deepStrictEqual(
    keepEqual(held, { pods: [], objects: [], workloads: [] }).pods,
    [],
  );
});
