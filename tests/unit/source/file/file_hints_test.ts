/**
 * What hints ask for, and when a file is quiet.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { FileStamp } from "../../../../mod/host/files/mod.ts";
import {
  judgeQuiet,
  type PendingLook,
  readHint,
  sameStamp,
} from "../../../../mod/source/file/file_hints.ts";

const QUIET = { settleMs: 100, openMs: 10_000 };
const NOW = 50_000;
const WALL = 1_000_000;

const entry = (
  name: string,
  change: "created" | "written" | "closed" | "arrived" | "removed",
) => ({ kind: "entry", name, change }) as const;

const quiet = (more: object = {}): PendingLook => ({
  kind: "when_quiet",
  dueMs: NOW + QUIET.settleMs,
  ...more,
});

function demandOf(
  hint: Parameters<typeof readHint>[0],
  before?: PendingLook,
): ReturnType<typeof readHint> {
  return readHint(hint, {
    nowMs: NOW,
    wallMs: WALL,
    quiet: QUIET,
    isManifest: (name) => name.endsWith(".yaml"),
    pending: () => before,
  });
}

const OPEN = { openUntilMs: NOW + QUIET.openMs };
const CLOSED: PendingLook = { kind: "when_quiet", dueMs: 1, closedMs: 7 };

const LOOKS = [
  ["an arrived file", entry("a.yaml", "arrived"), undefined, {
    kind: "now",
    closedMs: WALL,
  }],
  [
    "a file that is changed before the look after its arrival",
    entry("a.yaml", "written"),
    { kind: "now", closedMs: 7 },
    quiet({ ...OPEN, closedMs: 7 }),
  ],
  ["a removed file", entry("a.yaml", "removed"), undefined, quiet()],
  [
    "a created file",
    entry("a.yaml", "created"),
    CLOSED,
    quiet({ ...OPEN, isNew: true }),
  ],
  ["a written file", entry("a.yaml", "written"), undefined, quiet(OPEN)],
  [
    "a file that is written after it was closed",
    entry("a.yaml", "written"),
    CLOSED,
    quiet({ ...OPEN, closedMs: 7 }),
  ],
  [
    "a file that is written while it waits for its writer",
    entry("a.yaml", "written"),
    quiet(OPEN),
    quiet(OPEN),
  ],
  [
    "a file that is written while it is to be looked at",
    entry("a.yaml", "written"),
    { kind: "now" },
    quiet(OPEN),
  ],
  [
    "a closed file",
    entry("a.yaml", "closed"),
    quiet(OPEN),
    quiet({ closedMs: WALL }),
  ],
] as const;

for (const [what, hint, before, look] of LOOKS) {
  Deno.test(`readHint() says when to look at ${what}`, () => {
    deepStrictEqual(demandOf(hint, before), {
      kind: "look",
      names: ["a.yaml"],
      look,
    });
  });
}

Deno.test("readHint() looks at both names of what moved, if both are manifests'", () => {
  const moved = { ...entry("a.yaml", "removed"), movedTo: "b.yaml" };
  deepStrictEqual(demandOf(moved), {
    kind: "look",
    names: ["a.yaml", "b.yaml"],
    look: { kind: "now" },
  });
  const aside = { ...moved, movedTo: "a.yaml~" };
  deepStrictEqual(demandOf(aside), {
    kind: "look",
    names: ["a.yaml"],
    look: quiet(),
    isAside: true,
  });
});

Deno.test("readHint() looks at everything when a volume switches, and at nothing for another name", () => {
  deepStrictEqual(demandOf({ kind: "rescan" }), { kind: "rescan" });
  deepStrictEqual(demandOf(entry("..data", "arrived")), { kind: "rescan" });
  deepStrictEqual(demandOf(entry("a.txt", "arrived")), undefined);
});

const stamp = (more: Partial<FileStamp> = {}): FileStamp => ({
  size: 5,
  modifiedMs: WALL - 60_000,
  changedMs: 3,
  inode: 1,
  ...more,
});

const aged = (ageMs: number): FileStamp => stamp({ modifiedMs: WALL - ageMs });

/** Whoever opened it may write for a second more. */
const WRITING: PendingLook = {
  kind: "when_quiet",
  dueMs: NOW,
  openUntilMs: NOW + 1000,
};

interface QuietRow {
  readonly what: string;
  readonly look: PendingLook;
  readonly stamp: FileStamp;
  readonly read?: FileStamp;
  readonly next: "reads" | "waits for the writer of" | "waits a moment for";
}

const AGES: readonly QuietRow[] = [
  ["of 99 ms", 99, "waits a moment for"],
  ["of 100 ms", 100, "reads"],
  ["from 1 ms ahead", -1, "waits a moment for"],
].map(([what, ageMs, next]): QuietRow => ({
  what: `a file ${what} without a writer`,
  look: { kind: "when_quiet", dueMs: NOW },
  stamp: aged(Number(ageMs)),
  next: next === "reads" ? next : "waits a moment for",
}));

const QUIET_ROWS: readonly QuietRow[] = [
  ...AGES,
  {
    what: "a file that is complete, however young",
    look: { kind: "now" },
    stamp: aged(0),
    next: "reads",
  },
  {
    what: "a young file that looks as before",
    look: { kind: "when_quiet", dueMs: NOW, stamp: aged(10) },
    stamp: aged(10),
    next: "reads",
  },
  {
    what: "a young file that looks otherwise than before",
    look: { kind: "when_quiet", dueMs: NOW, stamp: stamp() },
    stamp: aged(10),
    next: "waits a moment for",
  },
  {
    what: "a file that was written just now",
    look: WRITING,
    stamp: aged(0),
    next: "waits for the writer of",
  },
  {
    what: "a file that was written 9999 ms ago",
    look: WRITING,
    stamp: aged(9_999),
    next: "waits for the writer of",
  },
  {
    what: "a file that was written 10 s ago",
    look: WRITING,
    stamp: aged(10_000),
    next: "reads",
  },
  {
    what: "a file from ahead that may be open",
    look: WRITING,
    stamp: aged(-1),
    next: "waits a moment for",
  },
  {
    what: "a file whose writer had its time",
    look: { ...WRITING, openUntilMs: NOW },
    stamp: aged(500),
    next: "reads",
  },
  {
    what: "an empty new file",
    look: { ...WRITING, isNew: true },
    stamp: { ...aged(500), size: 0 },
    next: "waits for the writer of",
  },
  {
    what: "a new file of one byte",
    look: { ...WRITING, isNew: true },
    stamp: { ...aged(500), size: 1 },
    next: "reads",
  },
  {
    what: "a file as old as the end of its last writer",
    look: { ...WRITING, closedMs: WALL - 500 },
    stamp: aged(500),
    next: "reads",
  },
  {
    what: "a file that was written after the end of its last writer",
    look: { ...WRITING, closedMs: WALL - 501 },
    stamp: aged(500),
    next: "waits for the writer of",
  },
  {
    what: "a file that was read like that, but for its mode",
    look: WRITING,
    stamp: aged(500),
    read: { ...aged(500), changedMs: 4 },
    next: "reads",
  },
  ...[
    ["size", { ...aged(500), size: 6 }] as const,
    ["time", aged(501)] as const,
    ["inode", { ...aged(500), inode: 2 }] as const,
  ].map(([what, read]): QuietRow => ({
    what: `a file that had another ${what} when it was read`,
    look: WRITING,
    stamp: aged(500),
    read,
    next: "waits for the writer of",
  })),
];

for (const { what, look, stamp, read, next } of QUIET_ROWS) {
  Deno.test(`judgeQuiet() ${next} ${what}`, () => {
    const context = { stamp, read, nowMs: NOW, wallMs: WALL, quiet: QUIET };
    deepStrictEqual(
      judgeQuiet(look, context),
      {
        "reads": undefined,
        "waits for the writer of": { ...look, dueMs: NOW + 1000, stamp },
        "waits a moment for": quiet({ stamp }),
      }[next],
    );
  });
}

Deno.test("sameStamp() tells stamps apart by each of their four parts", () => {
  strictEqual(sameStamp(stamp(), stamp()), true);
  for (const part of ["size", "modifiedMs", "changedMs", "inode"] as const) {
    strictEqual(sameStamp(stamp(), stamp({ [part]: 99 })), false, part);
  }
});
