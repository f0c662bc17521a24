/**
 * What collecting images knows of the rest of the agent.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Pod, PodStatus } from "../../../mod/api/types/mod.ts";
import {
  ImageDisk,
  ImageReclaimer,
  type ManifestKnowers,
  namedImages,
} from "../../../mod/app/core_garbage.ts";
import { parseRunArguments } from "../../../mod/config/mod.ts";
import { workerView } from "../../support/agent/worker_view.ts";
import { FakeMachine } from "../../support/agent/fake_machine.ts";
import { fakeIo } from "../../support/config/config_io.ts";
import { pod } from "../../support/pods.ts";

function podOf(name: string): Pod {
  const base = pod();
  return {
    ...base,
    metadata: { ...base.metadata, name, uid: `u-${name}` },
    spec: { ...base.spec, containers: [{ name: "c", image: name }] },
  };
}

function knowers(rest: Partial<ManifestKnowers> = {}): ManifestKnowers {
  return {
    agent: { pods: () => [], versions: () => [] },
    holds: () => [],
    sandboxImage: () => undefined,
    statuses: { get: () => undefined },
    storage: { pods: () => [], seen: () => true },
    sourcesReady: { allReady: () => true },
    expectedPods: () => [],
    templates: () => [],
    ...rest,
  };
}

function named(rest: Partial<ManifestKnowers>) {
  const found = namedImages(knowers(rest));
  return found && {
    active: [...found.active].sort(),
    known: [...found.known].sort(),
  };
}

Deno.test("namedImages() has the images of pods that run or are to run as active", () => {
  const phases = new Map<string, PodStatus["phase"]>([["u-over", "Succeeded"]]);
  const views = [
    workerView(podOf("runs"), { wanted: podOf("next") }),
    workerView(podOf("over")),
    workerView(podOf("ends"), {
      state: { kind: "terminating", cause: "removed", graceSeconds: 30 },
    }),
    workerView(podOf("stays"), {
      state: { kind: "terminating", cause: "removed", graceSeconds: 30 },
      stop: { kind: "deferred" },
    }),
  ];
  const statuses = {
    get: (uid: string) => {
      const phase = phases.get(uid);
      return phase === undefined ? undefined : { phase };
    },
  };
  const agent = { pods: () => views, versions: () => [podOf("earlier")] };
  deepStrictEqual(
    named({
      agent,
      statuses,
      storage: { pods: () => [podOf("stored")], seen: () => true },
      sandboxImage: () => "r.local/infra:1",
      expectedPods: () => [podOf("expected")],
      templates: () => [podOf("template")],
      holds: () => [{
        pod: podOf("runs").metadata,
        container: "c",
        image: "held:1",
        ref: "sha256:1",
        sinceMs: 0,
      }, {
        pod: podOf("runs").metadata,
        container: "d",
        image: "wanted:1",
        ref: undefined,
        sinceMs: 0,
      }],
    }),
    {
      active: [
        "held:1",
        "next",
        "r.local/infra:1",
        "runs",
        "sha256:1",
        "stays",
        "wanted:1",
      ],
      known: [
        "earlier",
        "ends",
        "expected",
        "over",
        "runs",
        "stays",
        "stored",
        "template",
      ],
    },
  );
});

for (
  const [what, rest, isKnown] of [
    ["all sources have spoken", {}, true],
    ["the files have not been read", {
      storage: { pods: () => [], seen: () => false },
    }, false],
    ["the objects of the node have not been read", {
      storage: { pods: () => [], seen: (name: string) => name !== "local" },
      sourcesReady: { allReady: () => false },
      expectedPods: () => [podOf("a")],
    }, false],
    ["the checkpoint of a silent source is not read", {
      expectedPods: () => undefined,
    }, false],
    ["a silent source has a checkpoint", {
      sourcesReady: { allReady: () => false },
      expectedPods: () => [podOf("a")],
    }, true],
    ["a silent source has none", {
      sourcesReady: { allReady: () => false },
    }, false],
  ] as const
) {
  Deno.test(`namedImages() is ${isKnown ? "" : "not "}known when ${what}`, () => {
    strictEqual(named(rest) !== undefined, isKnown);
  });
}

async function diskOf(...flags: readonly string[]) {
  const parsed = await parseRunArguments(flags, fakeIo());
  if (parsed.kind === "refused") throw new Error(parsed.faults.join());
  const machine = new FakeMachine();
  return { machine, disk: new ImageDisk(parsed.config, machine) };
}

Deno.test("ImageDisk is that of the root directory, unless the host view shows another", async () => {
  const plain = await diskOf("--root-dir=/r");
  strictEqual(await plain.disk.isShown(), false);
  deepStrictEqual(await plain.disk.room(), {
    capacityBytes: 100 * 2 ** 30,
    availableBytes: 50 * 2 ** 30,
  });
  deepStrictEqual(plain.machine.asked, ["/r"]);
  const viewed = await diskOf("--root-dir=/r", "--host-view=/v");
  strictEqual(await viewed.disk.isShown(), true);
  strictEqual((await viewed.disk.room())?.isShown, true);
  deepStrictEqual(viewed.machine.asked, ["/v/imagefs", "/v/imagefs"]);
  viewed.machine.missing = "/v/imagefs";
  strictEqual(await viewed.disk.isShown(), false);
  strictEqual((await viewed.disk.room())?.isShown, undefined);
  strictEqual(viewed.machine.asked.at(-1), "/r");
  plain.machine.missing = "/r";
  strictEqual(await plain.disk.room(), undefined);
});

for (
  const [signal, isShown, asked] of [
    ["imagefs.available", false, ["soft"]],
    ["imagefs.inodesFree", true, ["soft"]],
    ["nodefs.available", false, ["soft"]],
    ["nodefs.inodesFree", false, ["soft"]],
    ["nodefs.available", true, []],
    ["memory.available", false, []],
  ] as const
) {
  Deno.test(`ImageReclaimer frees ${asked.length} times for ${signal}, the disk of images being ${isShown ? "another" : "the same"}`, async () => {
    const calls: string[] = [];
    const { disk } = await diskOf(...isShown ? ["--host-view=/v"] : []);
    const reclaimer = new ImageReclaimer({
      reclaim: (pressure) => {
        calls.push(pressure);
        return Promise.resolve({ images: 0, bytes: 0 });
      },
    }, disk);
    const { signal: stop } = new AbortController();
    strictEqual(
      await reclaimer.reclaim({ signal, kind: "soft" }, stop),
      "done",
    );
    deepStrictEqual(calls, asked);
  });
}

Deno.test("ImageReclaimer has the caller look again when it removed something", async () => {
  const { disk } = await diskOf();
  const reclaimer = new ImageReclaimer({
    reclaim: (pressure) =>
      Promise.resolve({ images: pressure === "hard" ? 1 : 0, bytes: 0 }),
  }, disk);
  const { signal } = new AbortController();
  const shortage = { signal: "imagefs.available", kind: "hard" } as const;
  strictEqual(await reclaimer.reclaim(shortage, signal), "under_way");
});
