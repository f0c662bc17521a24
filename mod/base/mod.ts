/**
 * What every room uses: clocks and randomness that are injected, queues, groups of
 * tasks, back-off, and writing behind. Nothing here knows of Kubernetes or does I/O. Every
 * queue has a capacity or one entry a key, every wait ends with an `AbortSignal`, and no
 * task in the background fails unseen.
 *
 * @example Work in the background that ends with its block
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { Inbox, TaskGroup } from "./mod.ts";
 *
 * using inbox = new Inbox<string>(8);
 * await using tasks = new TaskGroup(new AbortController().signal);
 * tasks.start(async () => void await inbox.put("pod changed"));
 * for await (const event of inbox) {
 *   deepStrictEqual(event, "pod changed");
 *   break;
 * }
 * ```
 *
 * @module
 */

export { isAbort, unlessAborted } from "./abort.ts";
export { askAgain, type BackoffOptions, nextDelay } from "./backoff.ts";
export { Bell } from "./bell.ts";
export { ByteBuffer } from "./byte_buffer.ts";
export {
  type Clock,
  deadline,
  type Moment,
  momentOf,
  sleepOn,
  systemClock,
  wallTimeOf,
} from "./clock.ts";
export { defined } from "./defined.ts";
export { Inbox } from "./inbox.ts";
export { invariant } from "./invariant.ts";
export { isRecord } from "./is_record.ts";
export { jitter, type Random, systemRandom } from "./random.ts";
export { Semaphore } from "./semaphore.ts";
export { Sessions } from "./sessions.ts";
export { TaskGroup } from "./task_group.ts";
export { Topic } from "./topic.ts";
export { Wake } from "./wake.ts";
export { UNMETERED, type WorkMeter } from "./work_meter.ts";
export { WorkQueue } from "./work_queue.ts";
export { WriteBehind } from "./write_behind.ts";
