/**
 * What every room stands on: clocks and randomness that are injected, queues, groups of tasks, and back-off. It knows nothing of Kubernetes and does no I/O. Every queue has a capacity or one entry a key; whatever waits takes an `AbortSignal`.
 *
 * @module
 */

export { isAbort } from "./abort.ts";
export { askAgain, type BackoffOptions, nextDelay } from "./backoff.ts";
export { Bell } from "./bell.ts";
export { ByteBuffer } from "./byte_buffer.ts";
export { type Clock, deadline, sleepOn, systemClock } from "./clock.ts";
export { Inbox } from "./inbox.ts";
export { invariant } from "./invariant.ts";
export { type Moment, momentOf, wallTimeOf } from "./moment.ts";
export { jitter, type Random, systemRandom } from "./random.ts";
export { Semaphore } from "./semaphore.ts";
export { Sessions } from "./sessions.ts";
export { TaskGroup } from "./task_group.ts";
export { Topic } from "./topic.ts";
export { unlessAborted } from "./unless_aborted.ts";
export { UNMETERED, type WorkMeter } from "./work_meter.ts";
export { WorkQueue } from "./work_queue.ts";
export { WriteBehind } from "./write_behind.ts";
