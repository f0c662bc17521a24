/**
 * Events may be lost, late, doubled, out of order or made up: what is known in the end
 * is the same.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import type { ContainerEvent } from "../../../mod/cri/events/mod.ts";
import type { PodLifecycleEvent } from "../../../mod/picture/diff.ts";
import { WatchRig } from "../../support/picture/watch_rig.ts";

const UIDS = ["u", "v"] as const;
const NAMES = ["c", "d"] as const;

/** What happens in the runtime, and when. */
interface Happening {
  readonly atMs: number;
  readonly what: "exit" | "restart" | "end_sandbox" | "remove";
  readonly uid: (typeof UIDS)[number];
  readonly name: (typeof NAMES)[number];
}

/** An event, and when it is told; whether it is true is chance. */
interface Told {
  readonly atMs: number;
  readonly what: ContainerEvent["what"];
  readonly id: string;
  readonly podUid: string | undefined;
}

const HAPPENING: fc.Arbitrary<Happening> = fc.record({
  atMs: fc.nat(20_000),
  what: fc.constantFrom("exit", "exit", "restart", "end_sandbox", "remove"),
  uid: fc.constantFrom(...UIDS),
  name: fc.constantFrom(...NAMES),
});

const TOLD: fc.Arbitrary<Told> = fc.record({
  atMs: fc.nat(22_000),
  what: fc.constantFrom("created", "started", "stopped", "deleted", "oom"),
  id: fc.constantFrom(
    ...UIDS.flatMap((uid) => [
      `s-${uid}`,
      ...NAMES.flatMap((name) => [`${name}-${uid}`, `${name}-${uid}-1`]),
    ]),
    "nobody",
  ),
  podUid: fc.constantFrom(undefined, ...UIDS, "w"),
});

Deno.test("RuntimeWatch knows the same in the end, whatever stream of events there is", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(HAPPENING, { maxLength: 12 }),
      fc.array(TOLD, { maxLength: 40 }),
      fc.array(fc.tuple(fc.nat(1_500), fc.nat(3)), { maxLength: 12 }),
      fc.nat(200),
      async (happenings, madeUp, tellings, lagMs) => {
        // Of each happening an event may come, late, several times, or not at all.
        const honest = happenings.flatMap((happening, n) => {
          const [lateMs, times] = tellings[n] ?? [0, 0];
          return Array.from(
            { length: times },
            (_, more) => announce(happening, lateMs * (more + 1)),
          );
        });
        const plain = await play(happenings, { told: undefined, lagMs });
        const told = [...madeUp, ...honest];
        const watched = await play(happenings, { told, lagMs });
        deepStrictEqual(watched, plain);
      },
    ),
    { numRuns: 200, seed: 8 },
  );
});

function announce({ atMs, what, uid, name }: Happening, lateMs: number): Told {
  const container = `${name}-${uid}`;
  switch (what) {
    case "exit":
      return told("stopped", container);
    case "restart":
      return told("started", `${container}-1`);
    case "end_sandbox":
      return told("stopped", `s-${uid}`);
    case "remove":
      return told("deleted", container);
  }

  function told(kind: ContainerEvent["what"], id: string): Told {
    return { atMs: atMs + lateMs, what: kind, id, podUid: undefined };
  }
}

/** Lets it all happen, and tells what the picture holds in the end. */
async function play(
  happenings: readonly Happening[],
  { told, lagMs }: { told: readonly Told[] | undefined; lagMs: number },
): Promise<unknown> {
  await using rig = new WatchRig({ hasEvents: told !== undefined });
  for (const uid of UIDS) rig.runtime.addPod(uid, NAMES);
  rig.runtime.lagMs = lagMs;
  await rig.clock.advance(5_000);
  const steps = [
    ...happenings.map((happening) => ({
      atMs: happening.atMs,
      run: () => happen(rig, happening),
    })),
    ...(told ?? []).map(({ atMs, what, id, podUid }) => ({
      atMs,
      run: () => rig.stream.announce(what, id, podUid),
    })),
  ].toSorted((a, b) => a.atMs - b.atMs);
  const startMs = rig.clock.monotonic();
  for (const { atMs, run } of steps) {
    await rig.clock.advance(startMs + atMs - rig.clock.monotonic());
    run();
  }
  await rig.clock.advance(startMs + 60_000 - rig.clock.monotonic());
  const pods = Object.fromEntries(
    UIDS.map((uid) => [uid, rig.picture.get(uid)]),
  );
  checkEvents(rig.events, pods);
  return pods;
}

function happen(rig: WatchRig, { what, uid, name }: Happening): void {
  const id = `${name}-${uid}`;
  switch (what) {
    case "exit":
      return rig.runtime.exit(id);
    case "restart":
      return void rig.runtime.addContainer(uid, name, 1);
    case "end_sandbox":
      return rig.runtime.endSandbox(`s-${uid}`);
    case "remove":
      return rig.runtime.remove(id);
  }
}

/** Whoever heard the events, and only them, has been told of where each container ended. */
function checkEvents(
  events: readonly PodLifecycleEvent[],
  pods: Readonly<Record<string, ReturnType<WatchRig["picture"]["get"]>>>,
): void {
  const last = new Map<string, string>();
  for (const event of events) {
    if ("containerId" in event) last.set(event.containerId, event.kind);
  }
  for (const pod of Object.values(pods)) {
    for (const { id, state } of pod?.containers ?? []) {
      const kind = state === "running" ? "container_started" : "container_died";
      strictEqual(last.get(id), kind, `${id} is ${state}`);
    }
  }
}
