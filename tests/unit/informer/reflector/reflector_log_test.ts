/**
 * What a reflector says of a server that is ill, and how often.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { Item } from "../../../support/informer/object_server.ts";
import {
  at,
  ReflectorRig,
  refusal,
  STAYS,
} from "../../../support/informer/reflector_rig.ts";
import {
  failing,
  listOf,
  type WatchAnswer,
} from "../../../support/informer/scripted_source.ts";

const ENDS_AT_12: WatchAnswer = {
  events: [{ type: "ADDED", object: at("12", "b") }],
  then: "end",
};

for (
  const reason of [
    "Forbidden",
    "Garbage",
    "InternalError",
    "ServiceUnavailable",
    "Timeout",
    "TooManyRequests",
    "Unauthorized",
    "Unreachable",
  ] as const
) {
  Deno.test(`Reflector says once of lists that they are ${reason}, and again when it has got one`, async () => {
    const refused = refusal(reason);
    await using rig = new ReflectorRig({
      lists: [refused, refused, refused, listOf([], "10"), refused, refused],
      watches: [refusal("Expired")],
    });
    await rig.clock.advance(200_000);
    ok(rig.source.acts.filter((act) => act === "list").length >= 6);
    deepStrictEqual(
      rig.lines.filter(({ reason: said }) => said === reason)
        .map(({ message }) => message),
      ["reflector_failed", "reflector_failed"],
    );
  });
}

Deno.test("Reflector says once of each reason of lists that fail for several by turns", async () => {
  const [busy, broken] = [refusal("ServiceUnavailable"), refusal("Garbage")];
  await using rig = new ReflectorRig({
    lists: [busy, broken, busy, broken, busy, listOf([], "10")],
    watches: [STAYS],
  });
  await rig.clock.advance(300_000);
  deepStrictEqual(
    rig.lines.filter(({ message }) => message === "reflector_failed")
      .map(({ reason }) => reason),
    ["ServiceUnavailable", "Garbage"],
  );
});

Deno.test("Reflector says once that a server ends each watch by a failure", async () => {
  const failed = failing(refusal("InternalError"));
  await using rig = new ReflectorRig({
    lists: Array.from({ length: 9 }, () => listOf([], "10")),
    watches: Array.from(
      { length: 9 },
      () => ({ events: [failed], then: "end" as const }),
    ),
  });
  await rig.clock.advance(120_000);
  ok(rig.source.acts.filter((act) => act === "watch").length >= 5);
  strictEqual(
    rig.lines.filter(({ message }) => message === "watch_ended").length,
    1,
  );
});

Deno.test("Reflector says once of an object that it cannot be read, until all can", async () => {
  const broken: Item = { ...at("3", "x"), kind: "Other" };
  await using rig = new ReflectorRig({
    lists: [
      listOf([broken], "10"),
      listOf([broken], "11"),
      listOf([], "12"),
      listOf([broken], "13"),
    ],
    watches: [ENDS_AT_12, ENDS_AT_12, refusal("Expired"), STAYS],
  });
  await rig.clock.advance(100_000);
  deepStrictEqual(
    rig.lines.filter(({ message }) => message === "object_is_unreadable")
      .map(({ message }) => message),
    ["object_is_unreadable", "object_is_unreadable"],
  );
});
