/**
 * Pulls that are under way for pods.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  type PullEnd,
  PullTasks,
} from "../../../../mod/runtime/images/pull_tasks.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

const KEY = { uid: "u", image: "x:1" };
const OF = { ...KEY, begunMs: 0 };
const PRESENT: PullEnd = {
  kind: "present",
  imageRef: "sha256:1",
  image: { uid: undefined, username: "" },
};
const clock = new FakeClock();

/** Lets everything run that need not wait. */
const settle = () => clock.advance(0);

Deno.test("PullTasks forgets a pull that fails against its word", async () => {
  const tasks = new PullTasks();
  tasks.begin(OF, () => Promise.reject(new Error("a bug")));
  strictEqual(tasks.get(KEY)?.end, undefined);
  await settle();
  strictEqual(tasks.get(KEY), undefined);
});

Deno.test("PullTasks does not let a pull that was given up end the one that was begun after it", async () => {
  const tasks = new PullTasks();
  const first = Promise.withResolvers<PullEnd>();
  tasks.begin(OF, () => first.promise);
  tasks.giveUp("u");
  strictEqual(tasks.get(KEY), undefined);
  const second = tasks.begin(OF, () => new Promise(() => {}));
  first.reject(new Error("given up"));
  await settle();
  strictEqual(tasks.get(KEY), second);
});

Deno.test("PullTasks.ends() ends when every pull that was given up has ended", async () => {
  const tasks = new PullTasks();
  const { promise, resolve } = Promise.withResolvers<PullEnd>();
  let isStopped = false;
  tasks.begin(OF, async (signal) => {
    signal.addEventListener("abort", () => isStopped = true);
    return await promise;
  });
  const stop = new AbortController();
  let isOver = false;
  const listening = (async () => {
    for await (const _ of tasks.ends(stop.signal));
    isOver = true;
  })();
  await settle();
  stop.abort();
  await settle();
  deepStrictEqual([isStopped, isOver], [true, false]);
  resolve(PRESENT);
  await settle();
  strictEqual(isOver, true);
  await listening;
});

Deno.test("PullTasks.ends() tells of each pod once whose pulls have ended, and of later ones too", async () => {
  const tasks = new PullTasks();
  const stop = new AbortController();
  const told: string[] = [];
  const listening = (async () => {
    for await (const uid of tasks.ends(stop.signal)) told.push(uid);
  })();
  const end = (uid: string, image: string) =>
    tasks.begin({ uid, image, begunMs: 0 }, () => Promise.resolve(PRESENT));
  end("u", "x:1");
  end("u", "y:1");
  end("v", "x:1");
  await settle();
  deepStrictEqual(told, ["u", "v"]);
  end("u", "z:1");
  await settle();
  deepStrictEqual(told, ["u", "v", "u"]);
  stop.abort();
  await listening;
});

Deno.test("PullTasks.settle() forgets what a container has used, and no pull that goes on", async () => {
  const tasks = new PullTasks();
  const other = { ...KEY, image: "y:1" };
  tasks.begin(OF, () => Promise.resolve(PRESENT));
  tasks.begin({ ...other, begunMs: 0 }, () => new Promise(() => {}));
  await settle();
  tasks.use(KEY, "c");
  tasks.use(other, "c");
  tasks.settle("v", "c");
  tasks.settle("u", "d");
  strictEqual(tasks.get(KEY)?.end, PRESENT);
  tasks.settle("u", "c");
  strictEqual(tasks.get(KEY), undefined);
  strictEqual(tasks.get(other)?.image, "y:1");
});
