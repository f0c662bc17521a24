/**
 * Scripts in which something changes between two calls of the file source, as the property
 * test found them.
 *
 * @module
 */

import {
  type Act,
  type MountedStep,
  MountedWorld,
} from "../../support/source/mounted_world.ts";

function before(calls: number, act: Act): MountedStep {
  return { kind: "act", calls, act };
}

const now = (act: Act): MountedStep => before(0, act);

const PUT = {
  kind: "put",
  name: "a",
  says: "v1",
  ageMs: 60_000,
  isHinted: false,
} as const;
const RESTART = { kind: "restart", isKilled: false } as const;

const SCRIPTS:
  readonly (readonly [what: string, steps: readonly MountedStep[]])[] = [
    [
      "whose manifest is replaced between the first look and the first read of the next agent",
      [before(6, PUT), RESTART],
    ],
    [
      "whose manifest has a hint while the next agent reads it for the first time",
      [
        before(6, { kind: "hint", name: "a", change: "written" }),
        RESTART,
      ],
    ],
    [
      "whose mount comes back between the look at a manifest that a hint names and that at its directory",
      [
        now({ kind: "unmount", leaves: "empty", isHinted: false }),
        { kind: "pass", ms: 5 },
        before(2, { kind: "mount", isHinted: false }),
        now({ kind: "hint", name: "a", change: "arrived" }),
      ],
    ],
    [
      "whose mount goes between the look and the read because of a hint, where the read fails",
      [
        now({ kind: "fail", call: "read", path: "" }),
        before(2, { kind: "unmount", leaves: "empty", isHinted: false }),
        now({ ...PUT, isHinted: true }),
        now({ kind: "heal" }),
        { kind: "pass", ms: 21_000 },
      ],
    ],
    [
      "whose mount comes in the middle of a look at the empty mount point, and goes soon after",
      [
        now({ kind: "remove", name: "a", isHinted: false }),
        { kind: "pass", ms: 21_000 },
        {
          ...RESTART,
          meanwhile: [{ kind: "unmount", leaves: "empty", isHinted: false }],
        },
        now(PUT),
        before(3, { kind: "mount", isHinted: false }),
        { kind: "pass", ms: 21_000 },
        now({ kind: "unmount", leaves: "empty", isHinted: false }),
        RESTART,
      ],
    ],
  ];

for (const [what, steps] of SCRIPTS) {
  Deno.test(`FileSource does not end a pod ${what} (I8)`, async () => {
    await using world = new MountedWorld();
    await world.start();
    await world.do(now(PUT));
    await world.pass(21_000);
    for (const step of steps) await world.do(step);
    await world.settle();
  });
}
