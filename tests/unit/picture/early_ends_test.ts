/**
 * Ends that are known before the runtime shows them.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { PERIOD_MS } from "../../support/picture/picture.ts";
import { WatchRig } from "../../support/picture/watch_rig.ts";

const EXIT = { exitCode: 137, finishedAt: 5_000_000_000n };

/** A pod whose container has ended, which the runtime is to show much later. */
async function ended(): Promise<WatchRig> {
  const rig = new WatchRig();
  rig.runtime.addPod("u");
  await rig.trust();
  rig.runtime.lagMs = 5_000;
  rig.runtime.exit("c-u");
  rig.ends.set("c-u", EXIT);
  return rig;
}

function end(rig: WatchRig) {
  return rig.picture.get("u")?.containers.find(({ id }) => id === "c-u");
}

Deno.test("RuntimeWatch tells at once of an end that is known before the runtime shows it (PL-01)", async () => {
  await using rig = await ended();
  rig.stream.tellEnd("c-u", EXIT);
  await rig.clock.advance(0);
  deepStrictEqual(rig.kinds(), ["container_died"]);
  const { state, exitCode, finishedAt, reason, isUnconfirmed } = end(rig) ?? {};
  deepStrictEqual(
    { state, exitCode, finishedAt, reason, isUnconfirmed },
    { state: "exited", ...EXIT, reason: "Error", isUnconfirmed: true },
  );
});

Deno.test("RuntimeWatch never shows a container running again of which it told that it ended, whatever lists say (I1)", async () => {
  await using rig = await ended();
  rig.stream.tellEnd("c-u", EXIT);
  await rig.clock.advance(0);
  rig.kinds();
  for (let second = 0; second < 4; second++) {
    await rig.watch.relist(new AbortController().signal);
    await rig.clock.advance(PERIOD_MS);
    strictEqual(rig.state("c-u"), "exited");
  }
  deepStrictEqual(new Set(rig.kinds()), new Set(["pod_sync"]));
});

Deno.test("RuntimeWatch looks again until the runtime itself shows an end that was known earlier, and then no more", async () => {
  await using rig = await ended();
  rig.stream.tellEnd("c-u", EXIT);
  await rig.clock.advance(7_000);
  strictEqual(end(rig)?.isUnconfirmed, undefined);
  strictEqual(rig.state("c-u"), "exited");
  strictEqual(rig.kinds().at(-1), "pod_sync");
  rig.calls();
  // The list of all comes once in ten seconds.
  await rig.clock.advance(9_000);
  deepStrictEqual(rig.calls().filter((call) => call.startsWith("status")), []);
});

Deno.test("RuntimeWatch takes the kernel's kill of a container for the reason of its end, before or after", async (t) => {
  for (const isFirst of [true, false]) {
    await t.step(isFirst ? "before" : "after", async () => {
      await using rig = await ended();
      if (isFirst) rig.stream.announce("oom", "c-u");
      rig.stream.tellEnd("c-u", EXIT);
      await rig.clock.advance(0);
      if (!isFirst) rig.stream.announce("oom", "c-u");
      await rig.clock.advance(1);
      strictEqual(end(rig)?.reason, "OOMKilled");
    });
  }
});

interface DoubtRow {
  readonly name: string;
  readonly prepare: (rig: WatchRig) => void;
}

const doubts: readonly DoubtRow[] = [
  {
    name: "that only the event tells",
    prepare: (rig) => {
      rig.ends.clear();
      rig.stream.tellEnd("c-u", EXIT);
    },
  },
  {
    name: "of which the event says nothing",
    prepare: (rig) => rig.stream.announce("stopped", "c-u"),
  },
  {
    name: "that is another one than the event told",
    prepare: (rig) => {
      rig.ends.set("c-u", { ...EXIT, finishedAt: 1n });
      rig.stream.tellEnd("c-u", EXIT);
    },
  },
];

for (const { name, prepare } of doubts) {
  Deno.test(`RuntimeWatch waits for the runtime to show an end ${name}`, async () => {
    await using rig = await ended();
    prepare(rig);
    await rig.clock.advance(1_000);
    strictEqual(rig.state("c-u"), "running");
    deepStrictEqual(rig.kinds(), []);
    await rig.clock.advance(11_000);
    strictEqual(rig.state("c-u"), "exited");
    deepStrictEqual(rig.kinds().slice(0, 1), ["container_died"]);
  });
}

Deno.test("RuntimeWatch believes the runtime in the end when it does not come to show what was known", async () => {
  await using rig = await ended();
  rig.runtime.lagMs = Infinity;
  rig.runtime.addContainer("u", "d");
  await rig.clock.advance(11_000);
  rig.kinds();
  rig.ends.set("d-u", EXIT);
  rig.stream.tellEnd("d-u", EXIT);
  await rig.clock.advance(29_000);
  strictEqual(rig.state("d-u"), "exited");
  await rig.clock.advance(12_000);
  strictEqual(rig.state("d-u"), "running");
  rig.stream.tellEnd("d-u", EXIT);
  await rig.clock.advance(1_000);
  strictEqual(rig.state("d-u"), "running");
});

Deno.test("RuntimeWatch knows early that a sandbox has ended as well when its container has", async () => {
  await using rig = await ended();
  rig.ends.set("s-u", EXIT);
  rig.stream.tellEnd("s-u", EXIT);
  rig.stream.tellEnd("c-u", EXIT);
  await rig.clock.advance(0);
  strictEqual(rig.state("c-u"), "exited");
  strictEqual(rig.picture.get("u")?.sandboxes[0]?.ready, false);
});
