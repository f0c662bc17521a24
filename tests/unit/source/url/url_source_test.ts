/**
 * A URL source that cannot ask, since one of its files is missing: what it does all the same.
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  rejects,
  strictEqual,
} from "node:assert/strict";
import type { SourceContent } from "../../../../mod/source/merge/source_set.ts";
import {
  MemoryCheckpoint,
  UrlRig,
  type UrlRigOptions,
} from "../../../support/source/url_rig.ts";
import { settingsMap, sourcePod } from "../../../support/source/source_pods.ts";
import { manifestDeployment } from "../../../support/api/workload_drafts.ts";

/** Asks at all only by reading its key, which is not there. */
class SilentRig extends UrlRig {
  constructor(
    options: Partial<UrlRigOptions> & { readonly asked?: () => void } = {},
  ) {
    const { asked = () => {}, ...rest } = options;
    super({
      url: "http://127.0.0.1:1/web.yaml",
      publicKeyFiles: ["/key"],
      readFile: () => {
        asked();
        return Promise.resolve({ kind: "missing" });
      },
      ...rest,
    });
  }

  /** Lets time pass. */
  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
    await this.clock.advance(0);
  }
}

class CountedCheckpoint extends MemoryCheckpoint {
  loads = 0;

  override load(): ReturnType<MemoryCheckpoint["load"]> {
    this.loads++;
    return super.load();
  }
}

function kept(content: SourceContent): MemoryCheckpoint {
  const checkpoint = new MemoryCheckpoint();
  checkpoint.content = content;
  return checkpoint;
}

Deno.test("UrlSource asks at once and then each 20 s, and counts its questions", async () => {
  let questions = 0;
  await using rig = new SilentRig({ asked: () => questions++ });
  await rig.pass(0);
  strictEqual(questions, 1);
  await rig.pass(19_999);
  strictEqual(questions, 1);
  await rig.pass(1);
  strictEqual(questions, 2);
  await rig.pass(60_000);
  strictEqual(questions, 5);
  match(
    rig.metrics.render(),
    /skerry_manifest_url_polls_total\{result="failed"\} 5/,
  );
  deepStrictEqual(rig.sets, []);
  match(rig.reports[0] ?? "", /Cannot read "\/key": it does not exist/);
});

for (
  const [what, content] of [
    ["a pod", { pods: [sourcePod()], objects: [], workloads: [] }],
    ["an object", { pods: [], objects: [settingsMap()], workloads: [] }],
    ["a Deployment", {
      pods: [],
      objects: [],
      workloads: [manifestDeployment()],
    }],
    ["a pod and an object", {
      pods: [sourcePod()],
      objects: [settingsMap()],
      workloads: [],
    }],
  ] as const
) {
  Deno.test(`UrlSource restores a checkpoint of ${what}, once`, async () => {
    await using rig = new SilentRig({ checkpoint: kept(content) });
    await rig.pass(100_000);
    deepStrictEqual(rig.sets, [{ source: "http", op: "restore", ...content }]);
  });
}

Deno.test("UrlSource restores nothing of an empty checkpoint", async () => {
  await using rig = new SilentRig({
    checkpoint: kept({ pods: [], objects: [], workloads: [] }),
  });
  await rig.pass(100_000);
  deepStrictEqual(rig.sets, []);
});

Deno.test("UrlSource tells whose places are to be kept once it has asked its checkpoint", async () => {
  const checkpoint = kept({
    pods: [sourcePod({ name: "a" })],
    objects: [],
    workloads: [],
  });
  checkpoint.outage = "EIO";
  await using rig = new SilentRig({ checkpoint });
  strictEqual(rig.expected, undefined);
  await rig.pass(0);
  // One that cannot be read holds up no pod.
  deepStrictEqual(rig.expected, []);
  checkpoint.outage = undefined;
  await rig.pass(1000);
  deepStrictEqual(rig.expected, ["a"]);
});

Deno.test("UrlSource asks again for a checkpoint that cannot be read, each minute in the end, and no more once it could be read", async () => {
  const checkpoint = new CountedCheckpoint();
  checkpoint.outage = "EIO";
  await using rig = new SilentRig({ checkpoint, checkFrequencyMs: 3_600_000 });
  const at: number[] = [];
  for (let second = 1; second <= 250; second++) {
    const { loads } = checkpoint;
    await rig.pass(1000);
    if (checkpoint.loads > loads) at.push(second);
  }
  deepStrictEqual(at, [1, 3, 7, 15, 31, 63, 123, 183, 243]);
  checkpoint.outage = undefined;
  await rig.pass(60_000);
  const { loads } = checkpoint;
  await rig.pass(600_000);
  strictEqual(checkpoint.loads, loads);
  strictEqual(rig.reports.length, 1);
});

Deno.test("UrlSource ends with its checkpoint when that fails", async () => {
  class BrokenCheckpoint extends MemoryCheckpoint {
    override run(): Promise<void> {
      return Promise.reject(new Error("It is broken"));
    }
  }
  const rig = new SilentRig({ checkpoint: new BrokenCheckpoint() });
  await rejects(rig[Symbol.asyncDispose](), /It is broken/);
});

Deno.test("UrlSource reports no fault because it was told to stop", async () => {
  const asked = Promise.withResolvers<void>();
  const { promise, resolve } = Promise.withResolvers<{ kind: "missing" }>();
  const rig = new SilentRig({
    readFile: () => {
      asked.resolve();
      return promise;
    },
  });
  await asked.promise;
  const stopped = rig[Symbol.asyncDispose]();
  resolve({ kind: "missing" });
  await stopped;
  deepStrictEqual([rig.reports, rig.log], [[], []]);
});
