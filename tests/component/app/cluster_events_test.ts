/**
 * Events over TLS to an API server that has faults.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { podRef } from "../../../mod/api/objects/mod.ts";
import type { Pod } from "../../../mod/api/types/mod.ts";
import { buildClusterEvents } from "../../../mod/app/cluster/mod.ts";
import { isRecord } from "../../../mod/base/mod.ts";
import { EventRecorder } from "../../../mod/events/mod.ts";
import { mirrorHash } from "../../../mod/cluster/mod.ts";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import { KubeconfigFile } from "../../../mod/kube/config/mod.ts";
import { KubeTransport } from "../../../mod/kube/transport/mod.ts";
import { parseApiPath } from "../../support/cluster/api_path.ts";
import { ScriptedApi } from "../../support/cluster/scripted_api.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { pod } from "../../support/pods.ts";
import { seededRandom } from "../../support/seeded_random.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

const EVENTS = "/api/v1/namespaces/shop/events";

const LISTED = parseApiPath(EVENTS);

/** A node that tells a scripted server what happens. */
class Rig implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly metrics = new MetricsRegistry();
  readonly recorder: EventRecorder;
  readonly storage = new Map<"api" | "file", Map<string, Pod>>();
  /** What the cluster has of the name of a pod. */
  shown: Pod | undefined;
  readonly #stack = new AsyncDisposableStack();
  readonly api: ScriptedApi;

  private constructor(api: ScriptedApi) {
    this.api = this.#stack.use(api);
    const { clock, metrics } = this;
    this.recorder = new EventRecorder({ clock, log: silentLogger, metrics });
  }

  static async start(): Promise<Rig> {
    const rig = new Rig(await ScriptedApi.start());
    const { clock, metrics } = rig;
    const dir = rig.#stack.use(await TempDir.make());
    const path = `${dir.path}/node.kubeconfig`;
    await Deno.writeTextFile(path, await rig.api.nodeKubeconfig("edge1"));
    const log = silentLogger;
    const given = { clock, metrics, log, random: seededRandom(1) };
    const transport = rig.#stack.use(
      new KubeTransport({
        ...given,
        source: new KubeconfigFile(path, Deno.readTextFile),
      }, { userAgent: "skerry/test" }),
    );
    const options = { eventsPerSecond: 50, eventBurst: 100 };
    const delivery = buildClusterEvents(options, {
      ...given,
      transport,
      events: rig.recorder,
      node: { isOurs: true },
      nodeName: "edge1",
      storage: { bySource: () => rig.storage },
      pods: { informer: { lister: { get: () => rig.shown } } },
    });
    const stop = new AbortController();
    const running = delivery.run(stop.signal);
    rig.#stack.defer(() => running);
    rig.#stack.defer(() => stop.abort());
    return rig;
  }

  say(message: string, about: Pod = WEB): void {
    const words = { type: "Warning", reason: "BackOff", message } as const;
    this.recorder.record(podRef(about), words);
  }

  /** What the server keeps, as `message count`. */
  get kept(): readonly string[] {
    return this.events.map(({ message, count }) => `${message} ${count}`);
  }

  get events(): readonly Readonly<Record<string, unknown>>[] {
    if (LISTED === undefined) return [];
    return this.api.objects.list(LISTED).filter(isRecord);
  }

  /** Waits on the wire, with a clock that goes. */
  async until(...wanted: readonly string[]): Promise<void> {
    await until(
      async () => {
        await this.clock.advance(500);
        return this.kept.join() === wanted.join();
      },
      `events ${wanted}`,
      () => ({ kept: this.kept, lines: this.api.lines }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

const WEB = pod({ name: "web", namespace: "shop", uid: "u-1" });

Deno.test("events reach the API server, are counted there, and made anew when it has forgotten them", async () => {
  await using rig = await Rig.start();
  rig.say("one");
  await rig.until("one 1");
  rig.say("one");
  await rig.until("one 2");
  const [first] = rig.events;
  for (const path of rig.api.lines.slice(-1)) {
    const parsed = parseApiPath(path.replace(/^\w+ /, ""));
    if (parsed !== undefined) rig.api.objects.delete(parsed, {});
  }
  rig.say("one");
  await rig.until("one 3");
  const [again] = rig.events;
  deepStrictEqual(again?.["firstTimestamp"], first?.["firstTimestamp"]);
  deepStrictEqual(
    rig.api.requests.map(({ method, headers }) =>
      `${method} ${headers["content-type"]}`
    ),
    [
      "POST application/json",
      "PATCH application/strategic-merge-patch+json",
      "PATCH application/strategic-merge-patch+json",
      "POST application/json",
    ],
  );
});

Deno.test("events that come while a namespace ends are given up, those after are told", async () => {
  await using rig = await Rig.start();
  rig.api.fail({ method: "POST", times: 2 }, {
    kind: "refuse",
    code: 403,
    reason: "Forbidden",
    message:
      "unable to create new content in namespace shop because it is being terminated",
  });
  for (const message of ["one", "two", "three"]) rig.say(message);
  await rig.until("three 1");
  strictEqual(rig.api.requests.length, 3);
});

for (
  const [what, fault] of [
    ["is busy", {
      kind: "refuse",
      code: 429,
      reason: "TooManyRequests",
      retryAfterSeconds: 2,
    }],
    ["is not ready", {
      kind: "refuse",
      code: 503,
      reason: "ServiceUnavailable",
    }],
    ["cuts the connection", { kind: "cut" }],
    ["says nothing", { kind: "stall" }],
    ["says what nobody understands", { kind: "say", text: "<html>" }],
    ["does it and cuts its answer", { kind: "break", by: "cut" }],
    ["does it and never says so", { kind: "break", by: "stall" }],
  ] as const
) {
  Deno.test(`events are told once, in order, by a server that at first ${what}`, async () => {
    await using rig = await Rig.start();
    rig.api.fail({ method: "POST", times: 2 }, fault);
    rig.say("one");
    rig.say("two");
    await rig.until("one 1", "two 1");
    const names = rig.events.map(({ metadata }) =>
      isRecord(metadata) && metadata["name"]
    );
    strictEqual(new Set(names).size, 2);
  });
}

Deno.test("events of a time without an API server are told when it is back, with their counts", async () => {
  await using rig = await Rig.start();
  rig.say("before");
  await rig.until("before 1");
  rig.api.freeze();
  // More of them would be over the limit of the pod.
  for (let times = 0; times < 10; times++) {
    rig.say("during");
    rig.say("before");
    await rig.clock.advance(20_000);
  }
  rig.api.thaw();
  rig.api.cutAll();
  await rig.until("before 11", "during 10");
});

Deno.test("events of a static pod are about the UID that its mirror shows", async () => {
  await using rig = await Rig.start();
  const annotations = { "kubernetes.io/config.source": "file" };
  const kiosk = pod({
    name: "kiosk",
    namespace: "shop",
    uid: "u-2",
    annotations,
  });
  rig.storage.set("api", new Map([[WEB.metadata.uid, WEB]]));
  rig.storage.set("file", new Map([[kiosk.metadata.uid, kiosk]]));
  rig.say("of a manifest", kiosk);
  rig.say("of the cluster");
  await rig.until("of a manifest 1", "of the cluster 1");
  const uids = rig.events.map(({ involvedObject }) =>
    isRecord(involvedObject) && involvedObject["uid"]
  );
  deepStrictEqual(uids, [mirrorHash(kiosk), "u-1"]);
});

Deno.test("events name the version of their pod that the agent has seen last, not that of another of its name", async () => {
  await using rig = await Rig.start();
  const metadata = { resourceVersion: "7" };
  rig.shown = pod({ name: "web", namespace: "shop", uid: "u-1", metadata });
  rig.say("seen");
  await rig.until("seen 1");
  rig.shown = pod({ name: "web", namespace: "shop", uid: "u-9", metadata });
  rig.say("unseen");
  await rig.until("seen 1", "unseen 1");
  const versions = rig.events.map(({ involvedObject }) =>
    isRecord(involvedObject) && involvedObject["resourceVersion"]
  );
  deepStrictEqual(versions, ["7", undefined]);
});
