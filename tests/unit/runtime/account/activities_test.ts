/**
 * What is known of what goes on.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { Activities } from "../../../../mod/runtime/account/activities.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

Deno.test("Activities.list() shows what has begun and not ended, in order", () => {
  const clock = new FakeClock();
  const activities = new Activities({ clock });
  const kinds = (uid: string) =>
    activities.list(uid).map((activity) => activity.kind);
  {
    using _sandbox = activities.begin("a", { kind: "creating_sandbox" });
    using _volumes = activities.begin("a", { kind: "making_volumes" });
    using _other = activities.begin("b", { kind: "stopping_sandboxes" });
    deepStrictEqual(kinds("a"), ["creating_sandbox", "making_volumes"]);
    deepStrictEqual(kinds("b"), ["stopping_sandboxes"]);
  }
  deepStrictEqual([kinds("a"), kinds("b")], [[], []]);
});

Deno.test("Activities.list() tells how long it goes on, whatever the wall clock does", async () => {
  const clock = new FakeClock();
  const activities = new Activities({ clock });
  using _begun = activities.begin("a", { kind: "creating_sandbox" });
  await clock.advance(5_000);
  deepStrictEqual(activities.list("a"), [
    { kind: "creating_sandbox", forMs: 5_000 },
  ]);
});

Deno.test("Activities.begin() ends one thing alone, and once, however often it is disposed of", () => {
  const activities = new Activities({ clock: new FakeClock() });
  const kinds = () => activities.list("u1").map(({ kind }) => kind);
  const first = activities.begin("u1", { kind: "creating_sandbox" });
  const second = activities.begin("u1", { kind: "stopping_sandboxes" });
  first[Symbol.dispose]();
  deepStrictEqual(kinds(), ["stopping_sandboxes"]);
  second[Symbol.dispose]();
  deepStrictEqual(kinds(), []);
  using _later = activities.begin("u1", { kind: "creating_sandbox" });
  second[Symbol.dispose]();
  deepStrictEqual(kinds(), ["creating_sandbox"]);
});
