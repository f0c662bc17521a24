/**
 * Which of the pods of one name may run.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import {
  type NameClaim,
  type NameOwnership,
  nameOwnership,
} from "../../../../mod/agent/workers/name_ownership.ts";

function claim(
  uid: string,
  facts: Partial<Omit<NameClaim, "uid">> = {},
): NameClaim {
  return { uid, ownsName: false, isEnding: false, ...facts };
}

const HAS = { ownsName: true };
const ENDING = { isEnding: true };

const ROWS: readonly {
  readonly what: string;
  readonly claims: readonly NameClaim[];
  readonly alive?: Readonly<Record<string, bigint>>;
  /** In the order of the claims. */
  readonly rights: readonly NameOwnership[];
}[] = [
  { what: "alone", claims: [claim("a")], alive: {}, rights: ["has"] },
  {
    what: "nobody alive: the first that came",
    claims: [claim("a"), claim("b"), claim("c")],
    alive: {},
    rights: ["has", "waits", "waits"],
  },
  {
    what: "before the first list nobody",
    claims: [claim("a", HAS), claim("b")],
    rights: ["waits", "waits"],
  },
  {
    what: "the one that is alive, though it came last",
    claims: [claim("a"), claim("b")],
    alive: { b: 7n },
    rights: ["waits", "has"],
  },
  {
    what: "the older of two that are alive",
    claims: [claim("a"), claim("b"), claim("c")],
    alive: { b: 7n, c: 5n },
    rights: ["waits", "waits", "has"],
  },
  {
    what: "the first of two that are as old",
    claims: [claim("a"), claim("b"), claim("c")],
    alive: { b: 7n, c: 7n },
    rights: ["waits", "has", "waits"],
  },
  {
    what: "who has it keeps it, and the others have to stop",
    claims: [claim("a"), claim("b", HAS)],
    alive: { a: 1n },
    rights: ["lost", "has"],
  },
  {
    what: "one that ends keeps it until it has ended",
    claims: [claim("a", { ...HAS, ...ENDING }), claim("b")],
    alive: { b: 1n },
    rights: ["has", "waits"],
  },
  {
    what: "an orphan that ends comes before the one that has it",
    claims: [claim("orphan", { ...HAS, ...ENDING }), claim("a", HAS)],
    alive: { a: 1n, orphan: 5n },
    rights: ["has", "waits"],
  },
  {
    what: "one that ends without having had it comes before those that wait",
    claims: [claim("a"), claim("b", ENDING)],
    alive: {},
    rights: ["waits", "has"],
  },
  {
    what: "an older one that claims nothing may be wanted yet",
    claims: [claim("a"), claim("b", HAS)],
    alive: { a: 9n, b: 8n, unclaimed: 7n },
    rights: ["waits", "waits"],
  },
  {
    what: "one that claims nothing and is as old may be wanted yet",
    claims: [claim("a")],
    alive: { a: 7n, unclaimed: 7n },
    rights: ["waits"],
  },
  {
    what: "one that claims nothing and began later has to wait itself",
    claims: [claim("a"), claim("b")],
    alive: { a: 7n, unclaimed: 8n },
    rights: ["has", "waits"],
  },
];

for (const { what, claims, alive, rights } of ROWS) {
  Deno.test(`nameOwnership(), ${what}`, () => {
    const names = {
      claims,
      alive: alive === undefined ? undefined : new Map(Object.entries(alive)),
    };
    deepStrictEqual(claims.map(({ uid }) => nameOwnership(uid, names)), rights);
  });
}
