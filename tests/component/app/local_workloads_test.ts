/** What makes pods on this node, from its manifests on, with a store on the disk. */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { buildLocalWorkloads } from "../../../mod/app/workloads/mod.ts";
import { Sessions, systemClock } from "../../../mod/base/mod.ts";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import { LocalStore, ObjectStore } from "../../../mod/local/mod.ts";
import { waitUntil } from "../../../scripts/lib/wait_until.ts";
import { seededRandom } from "../../support/seeded_random.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("a manifest that the store refuses is told of though its source spoke before the store was read", async () => {
  await using dir = await TempDir.make();
  const directory = dir.path;
  const ended = new AbortController();
  const { signal } = ended;
  const told: string[] = [];
  const heard = Promise.withResolvers<void>();
  const deps = {
    clock: systemClock,
    random: seededRandom(1),
    log: silentLogger,
    metrics: new MetricsRegistry(),
    objects: new ObjectStore(),
    statuses: { follow() {}, get: () => undefined, stored: () => undefined },
    storage: { bySource: () => new Map() },
    sessions: new Sessions(),
    hasPod: () => false,
    isListed: () => true,
    events: {
      record: (_about: unknown, { message }: { readonly message: string }) => {
        told.push(message);
        heard.resolve();
      },
    },
  };
  await keepOne(deps, directory);
  const { workloads, templates, background: [part] } = buildLocalWorkloads(
    deps,
    {
      directory,
      nodeName: "edge",
      labels: {},
      sources: ["file"],
    },
  );
  const set = {
    source: "file",
    pods: [],
    objects: [],
    workloads: [SET],
  } as const;
  workloads.replace(set, "whole");
  deepStrictEqual(told, []);
  const running = part?.run(signal);
  await heard.promise;
  match(told.join(), /there is one of that name that no manifest made/);
  workloads.replace(set, "whole");
  strictEqual(told.length, 1);
  // Nobody may need it at present, and it counts.
  await waitUntil("the informers have read", () => templates().length > 0);
  strictEqual(templates()[0]?.spec.containers[0]?.image, "busybox");
  ended.abort(new DOMException("over", "AbortError"));
  await running?.catch(() => {});
});

const SET = {
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: { name: "web", namespace: "shop" },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "main", image: "busybox" }] },
    },
  },
} as const;

/** An earlier agent leaves an object of that name, which no manifest made. */
async function keepOne(
  deps: ConstructorParameters<typeof LocalStore>[0],
  directory: string,
): Promise<void> {
  const ended = new AbortController();
  const store = new LocalStore(deps, { directory });
  await store.load(ended.signal);
  const running = store.run(ended.signal);
  await store.create(SET, ended.signal);
  ended.abort(new DOMException("over", "AbortError"));
  await running;
}
