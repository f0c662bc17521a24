/**
 * One picture of the runtime: what is known of each pod, as of when, and which looks are
 * due.
 *
 * Each part uses the parts above it, and calls none below it:
 *
 * - {@linkcode ListPace} decides when all pods are listed next: every second, and rarely
 *   while the runtime's events are proven to announce every change.
 * - {@linkcode RuntimePicture} keeps the newest look at each pod and the keyed queue of
 *   looks that are due. `latest()` answers with a look newer than a given time, so no
 *   action is based on a look from before the last action (I1).
 * - {@linkcode AnnouncedEnds} is the runtime with the ends that are known before it shows
 *   them, and {@linkcode PodObserver} inspects pods through it.
 * - {@linkcode RuntimeWatch} lists, inspects and follows events. It brings the picture up
 *   to date first; then the change leaves by `run()`, the one way out.
 *
 * An event of the runtime is only a hint where to look.
 *
 * @module
 *
 * @example An older look never hides a newer one
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { systemClock } from "../base/mod.ts";
 * import { MetricsRegistry } from "../base/telemetry/mod.ts";
 * import { ListPace, RuntimePicture, unseenPod } from "./mod.ts";
 *
 * const deps = { clock: systemClock, metrics: new MetricsRegistry() };
 * const pace = new ListPace(deps, { relistPeriodMs: 1000 });
 * const managed = new Set(["u"]);
 * const picture = new RuntimePicture({ ...deps, pace, managed });
 * picture.record("u", { ...unseenPod("u"), name: "web" }, 20);
 * strictEqual(picture.record("u", unseenPod("u"), 10), false);
 * strictEqual(picture.get("u")?.name, "web");
 * ```
 */

export { AnnouncedEnds } from "./announced_ends.ts";
export type { PodLifecycleEvent } from "./diff.ts";
export { ListPace } from "./list_pace.ts";
export { PodObserver } from "./pod_observer.ts";
export { unseenPod } from "./pod_picture.ts";
export { RuntimePicture } from "./runtime_picture.ts";
export { RuntimeWatch } from "./runtime_watch.ts";
