import { deepStrictEqual } from "node:assert/strict";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../../mod/base/telemetry/mod.ts";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import { Reflector } from "../../../../mod/informer/reflector/mod.ts";
import { UndeltaStore } from "../../../../mod/informer/store/mod.ts";
import {
  type NotificationMode,
  PodConfigMux,
} from "../../../../mod/source/merge/merge_mux.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { ObjectServer } from "../../../support/informer/object_server.ts";
import { sourcePod } from "../../../support/source/source_pods.ts";
import { newStorage, set, words } from "../../../support/source/updates.ts";

/** What the modes tell of one life: two pods are listed, one comes, one changes, one goes. */
const TOLD: Readonly<Record<NotificationMode, readonly string[]>> = {
  incremental: ["add:a,b", "add:c", "update:a", "remove:b"],
  snapshot_and_updates: ["set:a,b", "set:a,b,c", "update:a", "set:a,c"],
  snapshot: ["set:a,b", "set:a,b,c", "set:a,b,c", "set:a,c"],
};

for (
  const mode of ["incremental", "snapshot_and_updates", "snapshot"] as const
) {
  Deno.test(`UndeltaStore makes a source of pods out of a watch (${mode})`, async () => {
    const clock = new FakeClock();
    const server = new ObjectServer<Pod>();
    const mux = new PodConfigMux(mode, { storage: newStorage() });
    const told: string[] = [];
    const store = new UndeltaStore<Pod>((pods) => {
      told.push(...words(mux.merge(set("http", ...pods))));
    });
    const reflector = new Reflector<Pod>({
      source: server,
      sink: store,
      clock,
      random: { next: () => 0 },
      log: silentLogger,
      metrics: new MetricsRegistry(),
    }, { apiVersion: "v1", kind: "Pod" });
    server.put(sourcePod({ name: "a" }));
    server.put(sourcePod({ name: "b" }));
    const stop = new AbortController();
    const running = reflector.run(stop.signal);
    await clock.advance(0);
    server.put(sourcePod({ name: "c" }));
    await clock.advance(0);
    server.put(sourcePod({ name: "a", image: "other" }));
    await clock.advance(0);
    server.remove("default/b");
    server.bookmark();
    await clock.advance(0);
    stop.abort();
    await running;
    deepStrictEqual(told, TOLD[mode]);
  });
}
