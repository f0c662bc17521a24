/**
 * Which files are part of a log, and the name of the next.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { nextRotatedName, readLogNames } from "../../../mod/logs/log_names.ts";

Deno.test("readLogNames() lists rotated files by age", () => {
  const { rotated, useless } = readLogNames([
    "0.log.20260102-030407",
    "0.log",
    "0.log.20260102-030405.gz",
    "0.log.20260102-030406.gz",
    "1.log.20260102-030400",
    "10.log.20260102-030400",
  ], "0.log");
  deepStrictEqual(rotated, [
    {
      name: "0.log.20260102-030405.gz",
      stamp: "20260102-030405",
      isCompressed: true,
    },
    {
      name: "0.log.20260102-030406.gz",
      stamp: "20260102-030406",
      isCompressed: true,
    },
    {
      name: "0.log.20260102-030407",
      stamp: "20260102-030407",
      isCompressed: false,
    },
  ]);
  deepStrictEqual(useless, []);
});

Deno.test("readLogNames() believes the plain file where a compression did not end", () => {
  const { rotated, useless } = readLogNames([
    "0.log.20260102-030405",
    "0.log.20260102-030405.gz",
    "0.log.20260102-030406.tmp",
    "0.log.20260102-030406",
  ], "0.log");
  deepStrictEqual(rotated.map(({ name }) => name), [
    "0.log.20260102-030405",
    "0.log.20260102-030406",
  ]);
  deepStrictEqual(useless, [
    "0.log.20260102-030406.tmp",
    "0.log.20260102-030405.gz",
  ]);
});

for (
  const name of [
    "0.log",
    "0.log.",
    "0.log.old",
    "0.log.20260102",
    "0.log.20260230-000000",
    "0.log.20260102-250000",
    "0.log.20261302-030405",
    "0.log.20260102-036005",
    "0.log.99991231-235959",
    "0.log.90000101-000001",
    "0.log.20260102-030405.gz.tmp",
    "0.log.20260102-030405.zst",
    "0.log.20260102-030405\n",
    "x0.log.20260102-030405",
    "0.log-20260102-030405",
  ]
) {
  Deno.test(`readLogNames() leaves ${JSON.stringify(name)} alone`, () => {
    const parts = readLogNames([name], "0.log");
    deepStrictEqual(parts, { rotated: [], useless: [] });
  });
}

Deno.test("readLogNames() takes the last stamp that others can follow", () => {
  const name = "0.log.90000101-000000";
  deepStrictEqual(readLogNames([name], "0.log").rotated, [
    { name, stamp: "90000101-000000", isCompressed: false },
  ]);
});

Deno.test("nextRotatedName() counts from the newest", () => {
  const rotated = ["20260102-030405", "20260102-030409"].map((stamp) => ({
    name: `0.log.${stamp}`,
    stamp,
    isCompressed: false,
  }));
  const nowMs = Date.parse("2026-01-02T03:04:08Z");
  strictEqual(
    nextRotatedName("0.log", rotated, nowMs),
    "0.log.20260102-030410",
  );
});

for (
  const [newest, now, wanted] of [
    [undefined, "2026-01-02T03:04:05.999Z", "0.log.20260102-030405"],
    ["20260102-030405", "2026-01-02T03:04:06Z", "0.log.20260102-030406"],
    // Twice in one second.
    ["20260102-030405", "2026-01-02T03:04:05Z", "0.log.20260102-030406"],
    // The clock was turned back.
    ["20380101-235959", "2026-01-02T03:04:05Z", "0.log.20380102-000000"],
    ["20260102-030405", "1970-01-01T00:00:00Z", "0.log.20260102-030406"],
  ] as const
) {
  Deno.test(`nextRotatedName() after ${newest} at ${now}`, () => {
    const name = `0.log.${newest}`;
    const rotated = newest === undefined
      ? []
      : [{ name, stamp: newest, isCompressed: false }];
    strictEqual(nextRotatedName("0.log", rotated, Date.parse(now)), wanted);
  });
}
