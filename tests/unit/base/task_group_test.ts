/**
 * Tasks that cannot outlive their block.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { TaskGroup } from "../../../mod/base/task_group.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const never = new AbortController().signal;

function untilAborted(signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  return promise;
}

Deno.test("TaskGroup dispose aborts its tasks and awaits their end", async () => {
  const clock = new FakeClock();
  const steps: string[] = [];
  {
    await using tasks = new TaskGroup(never);
    tasks.start(async (signal) => {
      try {
        await untilAborted(signal);
      } finally {
        await clock.advance(0);
        steps.push("cleaned up");
      }
    });
    steps.push("left");
  }
  steps.push("after");
  deepStrictEqual(steps, ["left", "cleaned up", "after"]);
});

Deno.test("TaskGroup keeps the first failure and aborts the others with it", async () => {
  const tasks = new TaskGroup(never);
  const failure = new Error("First");
  let reason: unknown;
  tasks.start(async (signal) => {
    try {
      await untilAborted(signal);
    } catch (error) {
      reason = error;
      throw new Error("Second");
    }
  });
  tasks.start(() => Promise.reject(failure));
  await new FakeClock().advance(0);
  strictEqual(tasks.signal.reason, failure);
  await tasks[Symbol.asyncDispose]();
  strictEqual(tasks.failure, failure);
  strictEqual(reason, failure);
});

Deno.test("TaskGroup catches a task that throws before its first await", async () => {
  await using tasks = new TaskGroup(never);
  tasks.start(() => {
    throw new Error("At once");
  });
  strictEqual(tasks.signal.aborted, true);
  strictEqual(String(tasks.failure), "Error: At once");
});

Deno.test("TaskGroup notices a failure without a value", async () => {
  await using tasks = new TaskGroup(never);
  tasks.start(() => Promise.reject(undefined));
  await new FakeClock().advance(0);
  strictEqual(tasks.failure instanceof Error, true);
});

Deno.test("TaskGroup does not count an abort as a failure", async () => {
  const parent = new AbortController();
  await using tasks = new TaskGroup(parent.signal);
  tasks.start(untilAborted);
  const reason = new Error("Shutting down");
  parent.abort(reason);
  await new FakeClock().advance(0);
  strictEqual(tasks.signal.reason, reason);
  strictEqual(tasks.failure, undefined);
});

Deno.test("TaskGroup keeps a failure that happens while it shuts down", async () => {
  const tasks = new TaskGroup(never);
  tasks.start(async (signal) => {
    await untilAborted(signal).catch(() => {});
    throw new Error("Cannot clean up");
  });
  await tasks[Symbol.asyncDispose]();
  strictEqual(String(tasks.failure), "Error: Cannot clean up");
});

Deno.test("TaskGroup starts nothing once aborted", async () => {
  await using tasks = new TaskGroup(AbortSignal.abort());
  let started = false;
  tasks.start(() => {
    started = true;
    return Promise.resolve();
  });
  strictEqual(started, false);
});

Deno.test("TaskGroup goes on when a task ends well", async () => {
  await using tasks = new TaskGroup(never);
  tasks.start(() => Promise.resolve());
  await new FakeClock().advance(0);
  strictEqual(tasks.signal.aborted, false);
});
