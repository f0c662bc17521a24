/**
 * Informers: a kind of objects is read once, kept in a store and told to everybody who wants
 * to know. Handlers are told in order what explains the store, and none waits for another.
 *
 * @example What two handlers share
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { systemClock, systemRandom } from "../../base/mod.ts";
 * import { MetricsRegistry, silentLogger } from "../../base/telemetry/mod.ts";
 * import type { ListerWatcher } from "../../api/access/mod.ts";
 * import type { ApiObject } from "../../api/workload/mod.ts";
 * import { SharedInformerFactory, WatchedKind } from "./mod.ts";
 *
 * const metadata = { namespace: "shop", name: "web", uid: "u1" };
 * const web = { apiVersion: "v1", kind: "Pod", metadata };
 * const source: ListerWatcher<ApiObject> = {
 *   list: () => Promise.resolve({ items: [web], resourceVersion: "7" }),
 *   watch: () => Promise.reject(new Error("Cannot watch: it is an example")),
 * };
 * const factory = new SharedInformerFactory({
 *   clock: systemClock,
 *   random: systemRandom,
 *   log: silentLogger,
 *   metrics: new MetricsRegistry(),
 * }, { streams: false });
 * const pods = new WatchedKind({ apiVersion: "v1", kind: "Pod" }, source);
 * const told: string[] = [];
 * const note = ({ object }: { object: ApiObject }) => {
 *   told.push(object.metadata.name);
 * };
 * const first = factory.informer(pods).addHandler(note, { name: "first" });
 * const second = factory.informer(pods).addHandler(note, { name: "second" });
 * const stop = new AbortController();
 * const running = factory.run(stop.signal);
 * await Promise.all([first.synced(stop.signal), second.synced(stop.signal)]);
 * deepStrictEqual(told, ["web", "web"]);
 * stop.abort();
 * await running;
 * ```
 *
 * @module
 */

export { freezeDeep } from "./freeze.ts";
export {
  type FactoryOptions,
  SharedInformerFactory,
  WatchedKind,
} from "./informer_factory.ts";
export type {
  HandlerOptions,
  HandlerRegistration,
  Notice,
  NoticeHandler,
} from "./notice.ts";
export {
  type InformerDeps,
  type InformerOptions,
  SharedInformer,
} from "./shared_informer.ts";
