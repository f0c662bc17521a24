/**
 * Log directories whose pods nobody knows.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import type { Garbage } from "../../../mod/collect/mod.ts";
import type { Removal } from "../../../mod/host/files/mod.ts";
import { OrphanedLogs } from "../../../mod/logs/orphaned_logs.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { messagesTo } from "../../support/log_lines.ts";

const HOUR_MS = 3_600_000;
const UID = "0123456789abcdef0123456789abcdef";
const ORPHAN = `shop_web_${UID}`;

class Rig implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly pieces = new Map<string, Garbage>();
  readonly removed: string[] = [];
  readonly messages: string[] = [];
  /** Whether the disk does not give the directory of all logs. */
  isBroken = false;
  entries = [{ name: ORPHAN, isDirectory: true }];
  known: boolean | undefined = false;
  ageMs = 1_000 * HOUR_MS;
  /** The directory that the disk does not give. */
  broken: string | undefined;
  removal: Removal = { kind: "removed" };
  readonly #stop = new AbortController();
  readonly #work: Promise<void>;

  constructor() {
    const orphans = new OrphanedLogs({
      clock: this.clock,
      log: messagesTo(this.messages, { clock: this.clock, level: "debug" }),
      collector: {
        add: (piece) => void this.pieces.set(piece.key, piece),
        has: (key) => this.pieces.has(key),
      },
      files: {
        entries: () =>
          this.isBroken
            ? Promise.reject(new Error("EIO"))
            : Promise.resolve(this.entries),
        changedMs: (path) =>
          path === this.broken
            ? Promise.reject(new Error("EIO"))
            : Promise.resolve(this.clock.now() - this.ageMs),
        removeTree: (path, { left }) => {
          this.removed.push([path, ...left].join(" "));
          return Promise.resolve(this.removal);
        },
      },
      isKnown: () => this.known,
    }, "/logs");
    this.#work = orphans.run(this.#stop.signal).catch(() => {});
  }

  async hours(count: number): Promise<void> {
    await this.clock.advance(count * HOUR_MS);
  }

  /** Tries all pieces once. */
  async collect(): Promise<void> {
    const { signal } = new AbortController();
    for (const piece of this.pieces.values()) await piece.remove(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#work;
  }
}

Deno.test("OrphanedLogs removes the logs of a pod that two looks did not know", async () => {
  await using rig = new Rig();
  await rig.hours(1);
  strictEqual(rig.pieces.size, 0);
  await rig.hours(1);
  await rig.collect();
  deepStrictEqual(rig.removed, [`/logs/${ORPHAN}`]);
  deepStrictEqual(rig.messages, ["orphaned_logs_removed"]);
  // It is not handed over again while it is there.
  await rig.hours(5);
  strictEqual(rig.pieces.size, 1);
});

Deno.test("OrphanedLogs removes the others where one cannot be looked at", async () => {
  await using rig = new Rig();
  const other = `shop_db_${UID}`;
  rig.entries = [ORPHAN, other].map((name) => ({ name, isDirectory: true }));
  rig.broken = `/logs/${ORPHAN}`;
  await rig.hours(2);
  await rig.collect();
  deepStrictEqual(rig.removed, [`/logs/${other}`]);
  deepStrictEqual(rig.messages, [
    "orphaned_logs_not_dated",
    "orphaned_logs_removed",
  ]);
});

Deno.test("OrphanedLogs looks every hour, also after the disk gave nothing", async () => {
  await using rig = new Rig();
  rig.isBroken = true;
  await rig.clock.advance(HOUR_MS - 1);
  deepStrictEqual(rig.messages, []);
  await rig.clock.advance(1);
  deepStrictEqual(rig.messages, ["orphaned_logs_not_listed"]);
  rig.isBroken = false;
  await rig.clock.advance(2 * HOUR_MS - 1);
  strictEqual(rig.pieces.size, 0);
  await rig.clock.advance(1);
  strictEqual(rig.pieces.size, 1);
});

Deno.test("OrphanedLogs removes logs in which nothing changed for a whole day", async () => {
  await using rig = new Rig();
  rig.ageMs = 24 * HOUR_MS - 1;
  await rig.hours(5);
  strictEqual(rig.pieces.size, 0);
  rig.ageMs = 24 * HOUR_MS;
  await rig.hours(1);
  strictEqual(rig.pieces.size, 1);
});

Deno.test("OrphanedLogs remembers ten thousand directories and no more", async () => {
  await using rig = new Rig();
  rig.entries = Array.from({ length: 10_001 }, (_, at) => ({
    name: `shop_web-${at}_${UID}`,
    isDirectory: true,
  }));
  await rig.hours(2);
  strictEqual(rig.pieces.size, 10_000);
});

Deno.test("OrphanedLogs names a piece for the operator", async () => {
  await using rig = new Rig();
  await rig.hours(2);
  deepStrictEqual(
    [...rig.pieces.values()].map(({ key, what }) => [key, what]),
    [[
      `orphaned_logs/${ORPHAN}`,
      `the logs "/logs/${ORPHAN}", whose pod nobody knows`,
    ]],
  );
});

Deno.test("OrphanedLogs leaves the logs of a pod of which nothing is known any more", async () => {
  await using rig = new Rig();
  await rig.hours(2);
  rig.known = undefined;
  await rig.collect();
  deepStrictEqual(rig.removed, []);
});

for (
  const [what, change] of [
    ["of a pod that is known", { known: true }],
    ["while the runtime was not listed", { known: undefined }],
    ["that changed in the last day", { ageMs: 23 * HOUR_MS }],
    ["that are a link or a file", {
      entries: [{ name: ORPHAN, isDirectory: false }],
    }],
    ["without the name of a pod's", {
      entries: [{ name: UID, isDirectory: true }],
    }],
    ["of what is no UID", {
      entries: [{ name: "a_b_c\u0007", isDirectory: true }],
    }],
  ] as const
) {
  Deno.test(`OrphanedLogs leaves logs ${what}`, async () => {
    await using rig = new Rig();
    Object.assign(rig, change);
    await rig.hours(10);
    strictEqual(rig.pieces.size, 0);
  });
}

Deno.test("OrphanedLogs begins anew with a pod that was known in between", async () => {
  await using rig = new Rig();
  await rig.hours(1);
  rig.known = true;
  await rig.hours(1);
  rig.known = false;
  await rig.hours(1);
  strictEqual(rig.pieces.size, 0);
  await rig.hours(1);
  strictEqual(rig.pieces.size, 1);
});

Deno.test("OrphanedLogs leaves the logs of a pod that has come before they went", async () => {
  await using rig = new Rig();
  await rig.hours(2);
  rig.known = true;
  await rig.collect();
  deepStrictEqual(rig.removed, []);
});

Deno.test("OrphanedLogs names what is mounted, and knows it the next time", async () => {
  await using rig = new Rig();
  await rig.hours(2);
  rig.removal = { kind: "left", mounts: ["/logs/m"] };
  await rejects(
    () => rig.collect(),
    /still mounted at "\/logs\/m"; unmount it/,
  );
  await rejects(() => rig.collect());
  deepStrictEqual(rig.removed, [`/logs/${ORPHAN}`, `/logs/${ORPHAN} /logs/m`]);
});
