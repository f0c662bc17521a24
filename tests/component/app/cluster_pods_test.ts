/**
 * Pods between an API server that has faults and an agent that is not there.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { Pod, PodStatus } from "../../../mod/api/types/mod.ts";
import {
  buildClusterSource,
  ClusterPods,
} from "../../../mod/app/cluster/mod.ts";
import { isRecord } from "../../../mod/base/mod.ts";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import { KubeconfigFile } from "../../../mod/kube/config/mod.ts";
import { KubeTransport } from "../../../mod/kube/transport/mod.ts";
import type { ApiPodSource } from "../../../mod/source/api/mod.ts";
import { PodStorage } from "../../../mod/source/merge/mod.ts";
import { StatusManager } from "../../../mod/status/mod.ts";
import { coreConfig } from "../../support/agent/core_config.ts";
import { type ApiPath, parseApiPath } from "../../support/cluster/api_path.ts";
import { ScriptedApi } from "../../support/cluster/scripted_api.ts";
import { EventList } from "../../support/event_list.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { messagesTo } from "../../support/log_lines.ts";
import { seededRandom } from "../../support/seeded_random.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

const PODS = "/api/v1/namespaces/shop/pods";

function pathOf(name?: string): ApiPath {
  const path = parseApiPath(name === undefined ? PODS : `${PODS}/${name}`);
  ok(path !== undefined);
  return path;
}

/** What the cluster has of the pods of a node, and what a test does in the agent's place. */
class Rig implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly events = new EventList();
  readonly messages: string[] = [];
  /** The UIDs of pods of which something is here. */
  readonly here = new Set<string>();
  readonly statuses: StatusManager;
  readonly storage: PodStorage;
  readonly api: ScriptedApi;
  readonly #stack = new AsyncDisposableStack();

  private constructor(api: ScriptedApi) {
    this.api = this.#stack.use(api);
    const { clock, events } = this;
    const log = messagesTo(this.messages);
    this.statuses = new StatusManager({ clock, log });
    this.storage = new PodStorage({ clock, log, events });
  }

  static async start(prepare: (rig: Rig) => void = () => {}): Promise<Rig> {
    const rig = new Rig(await ScriptedApi.start());
    prepare(rig);
    const { clock, events, statuses, storage } = rig;
    const dir = rig.#stack.use(await TempDir.make());
    const kubeconfig = `${dir.path}/node.kubeconfig`;
    await Deno.writeTextFile(kubeconfig, await rig.api.nodeKubeconfig("edge1"));
    const flags = [`--kubeconfig=${kubeconfig}`];
    const config = await coreConfig(dir.path, { flags });
    ok(config.cluster !== undefined);
    const random = seededRandom(1);
    const metrics = new MetricsRegistry();
    const log = messagesTo(rig.messages);
    const given = { clock, random, log, metrics, events };
    const identity = new KubeconfigFile(kubeconfig, Deno.readTextFile);
    const transport = rig.#stack.use(
      new KubeTransport({ ...given, source: identity }, { userAgent: "test" }),
    );
    const node = {
      ...{ current: undefined, hasSynced: true, isKnown: true, isOurs: true },
    };
    const hasPod = (uid: string): boolean => rig.here.has(uid);
    const pods = new ClusterPods({
      ...{ ...given, transport, node, nodeName: "edge1", statuses, storage },
      sourcesReady: { isReady: () => true, missing: () => [] },
      ending: () => [],
      hasPod,
      mayRun: hasPod,
      leavesOut: (pod) => source.leavesOut(pod),
      refused: () => source.refused,
    });
    const source: ApiPodSource = buildClusterSource(config, config.cluster, {
      ...{ ...given, transport, node, pods, hasPod },
    });
    const stop = new AbortController();
    const follow = async (): Promise<void> => {
      for await (const set of source.run(stop.signal)) storage.merge(set);
    };
    const running = [pods.run(stop.signal), follow()];
    rig.#stack.defer(async () => {
      stop.abort();
      await Promise.allSettled(running);
    });
    return rig;
  }

  /** Makes a pod on the node, and gives its UID. */
  make(name: string, spec?: object, status?: PodStatus): string {
    const body = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "shop" },
      spec: {
        nodeName: "edge1",
        containers: [{ name: "c", image: "a" }],
        ...spec,
      },
    };
    const { metadata: { uid } } = this.api.objects.create(pathOf(), body);
    if (status !== undefined) {
      this.api.objects.patch(
        { ...pathOf(name), subresource: "status" },
        (object) => ({ ...isRecord(object) && object, status }),
      );
    }
    return uid;
  }

  /** The pods that the agent is given, by name. */
  get held(): readonly Pod[] {
    return [...this.storage.bySource().get("api")?.values() ?? []];
  }

  /** What the server has of the status of a pod. */
  status(name: string): Readonly<Record<string, unknown>> {
    const { status } = this.api.objects.get(pathOf(name));
    return isRecord(status) ? status : {};
  }

  names(): readonly string[] {
    return this.api.objects.list(pathOf()).map(({ metadata }) => metadata.name);
  }

  /** The calls that change something, but for reads. */
  calls(): readonly string[] {
    return this.api.lines.filter((line) => /^(PATCH|DELETE)/.test(line));
  }

  /** Waits on the wire, with a clock that goes. */
  async until(holds: () => boolean, what: string): Promise<void> {
    await until(
      async () => {
        await this.clock.advance(20);
        return holds();
      },
      what,
      () => [...this.api.lines.slice(-9), ...this.messages.slice(-9)].join(),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

const RUNNING: PodStatus = { phase: "Running", conditions: [] };

Deno.test("a pod that cannot be read fails in words, keeps back no other, and goes when it is deleted", async () => {
  await using rig = await Rig.start();
  rig.make("odd", { containers: [{ name: "c", image: "a", tty: "yes" }] });
  rig.make("nfs", {
    volumes: [{ name: "v", nfs: { server: "a", path: "/" } }],
  });
  rig.make("web");
  await rig.until(() => rig.held.length === 1, "the pod that can be read");
  await rig.until(
    () =>
      ["odd", "nfs"].every((name) => rig.status(name)["phase"] === "Failed"),
    "two that have failed",
  );
  const { reason, message } = rig.status("odd");
  strictEqual(reason, "UnexpectedAdmissionError");
  ok(String(message).includes("spec.containers[0].tty"), String(message));
  strictEqual(rig.status("nfs")["reason"], "PodFeatureUnsupported");
  deepStrictEqual(
    rig.events.texts.map((text) => text.split(":")[0]).toSorted(),
    ["Warning PodFeatureUnsupported", "Warning UnexpectedAdmissionError"],
  );
  rig.api.objects.delete(pathOf("odd"), { gracePeriodSeconds: 30 });
  await rig.until(() => !rig.names().includes("odd"), "its end");
  strictEqual(
    rig.messages.filter((each) => each === "api_object_refused").length,
    2,
  );
});

Deno.test("a pod that runs is not harmed by what cannot be read, and ends when it is told to", async () => {
  await using rig = await Rig.start();
  const uid = rig.make("web");
  await rig.until(() => rig.held.length === 1, "the pod");
  rig.here.add(uid);
  rig.statuses.setPodStatus(rig.held[0] ?? fail(), RUNNING);
  await rig.until(() => rig.status("web")["phase"] === "Running", "its status");
  const alter = (spec: object) =>
    rig.api.objects.patch(pathOf("web"), (object) => ({
      ...isRecord(object) && object,
      spec: { nodeName: "edge1", ...spec },
    }));
  alter({ containers: "none" });
  await rig.until(() => rig.events.texts.length === 1, "an event");
  ok(rig.events.texts[0]?.includes("runs on as it was"));
  // And lines of a watch that are nothing at all.
  rig.api.say("{garbage");
  rig.make("later");
  await rig.until(() => rig.held.length === 2, "another pod");
  strictEqual(rig.status("web")["phase"], "Running");
  const web = () => rig.held.find(({ metadata }) => metadata.uid === uid);
  strictEqual(web()?.spec.containers[0]?.image, "a");
  rig.api.objects.delete(pathOf("web"), { gracePeriodSeconds: 7 });
  await rig.until(
    () => web()?.metadata.deletionGracePeriodSeconds === 7,
    "its end",
  );
});

Deno.test("a pod is removed when nothing of it is left and its last status is told, whatever the server refuses meanwhile (ST-11, ST-12)", async () => {
  await using rig = await Rig.start();
  const uid = rig.make("web");
  await rig.until(() => rig.held.length === 1, "the pod");
  rig.here.add(uid);
  const [pod = fail()] = rig.held;
  rig.statuses.setPodStatus(pod, RUNNING);
  await rig.until(() => rig.status("web")["phase"] === "Running", "its status");
  rig.api.objects.delete(pathOf("web"), { gracePeriodSeconds: 30 });
  await rig.until(
    () => rig.held[0]?.metadata.deletionTimestamp !== undefined,
    "its deletion",
  );
  const before = rig.calls().length;
  rig.api.fail({ method: "PATCH", times: 2 }, {
    kind: "refuse",
    code: 403,
    reason: "Forbidden",
  });
  rig.api.fail({ method: "DELETE", times: 1 }, {
    kind: "refuse",
    code: 500,
    reason: "InternalError",
  });
  // As a release does it, between two turns of the loop.
  rig.statuses.setPodStatus(pod, { ...RUNNING, phase: "Succeeded" });
  rig.here.delete(uid);
  rig.statuses.terminatePod(pod);
  rig.statuses.remove(uid);
  await rig.until(() => rig.names().length === 0, "no pod");
  const calls = rig.calls().slice(before).map((line) => line.split(" ")[0]);
  deepStrictEqual(calls, ["PATCH", "PATCH", "PATCH", "DELETE", "DELETE"]);
  const last = rig.api.requests.findLast(({ method }) => method === "PATCH");
  ok(isRecord(last?.body) && isRecord(last.body["status"]));
  strictEqual(last.body["status"]["phase"], "Succeeded");
  const removal = rig.api.requests.findLast(({ method }) =>
    method === "DELETE"
  );
  ok(isRecord(removal?.body));
  strictEqual(removal.body["gracePeriodSeconds"], 0);
  deepStrictEqual(removal.body["preconditions"], { uid });
});

Deno.test("a pod whose last status the server does not take is removed all the same, and one conflict keeps none", async () => {
  await using rig = await Rig.start();
  const uid = rig.make("web");
  await rig.until(() => rig.held.length === 1, "the pod");
  rig.here.add(uid);
  const [pod = fail()] = rig.held;
  rig.api.objects.delete(pathOf("web"), { gracePeriodSeconds: 30 });
  await rig.until(
    () => rig.held[0]?.metadata.deletionTimestamp !== undefined,
    "its deletion",
  );
  rig.api.fail({ method: "PATCH", times: 100 }, {
    kind: "refuse",
    code: 422,
    reason: "Invalid",
  });
  rig.api.fail({ method: "DELETE" }, {
    kind: "refuse",
    code: 409,
    reason: "Conflict",
  });
  rig.statuses.setPodStatus(pod, { ...RUNNING, phase: "Succeeded" });
  rig.here.delete(uid);
  rig.statuses.terminatePod(pod);
  rig.statuses.remove(uid);
  await rig.until(() => rig.names().length === 0, "no pod");
});

Deno.test("a pod whose agent was killed before it could say how it ended is closed, and then removed", async () => {
  await using rig = await Rig.start((rig) => {
    rig.make("web", undefined, RUNNING);
    rig.api.objects.delete(pathOf("web"), { gracePeriodSeconds: 30 });
  });
  await rig.until(() => rig.names().length === 0, "no pod");
  deepStrictEqual(rig.calls(), [
    `PATCH ${PODS}/web/status`,
    `DELETE ${PODS}/web`,
  ]);
  const patch = rig.api.requests.find(({ method }) => method === "PATCH");
  ok(isRecord(patch?.body) && isRecord(patch.body["status"]));
  strictEqual(patch.body["status"]["phase"], "Failed");
});

Deno.test("another pod of the name, here or on another node, gets nothing of the one before it", async () => {
  await using rig = await Rig.start();
  const uid = rig.make("web");
  await rig.until(() => rig.held.length === 1, "the pod");
  rig.here.add(uid);
  const [pod = fail()] = rig.held;
  for (const nodeName of ["edge1", "edge2"]) {
    rig.api.objects.delete(pathOf("web"), { gracePeriodSeconds: 0 });
    const next = rig.make("web", { nodeName });
    await rig.until(
      () => rig.held.every(({ metadata }) => metadata.uid !== uid),
      "its successor",
    );
    if (nodeName === "edge2") {
      await rig.until(() => rig.held.length === 0, "none");
    }
    // The one before still runs here, and ends.
    for (const phase of ["Running", "Failed"]) {
      rig.statuses.setPodStatus(pod, { ...RUNNING, phase });
    }
    await rig.clock.advance(1_000);
    rig.statuses.remove(uid);
    await rig.clock.advance(1_000);
    strictEqual(rig.status("web")["phase"], "Pending");
    strictEqual(rig.api.objects.get(pathOf("web")).metadata.uid, next);
  }
  deepStrictEqual(rig.calls(), []);
});

Deno.test("a right that is lost is said once, costs one call at a time, and is made up for when it is back", async () => {
  await using rig = await Rig.start();
  const names = Array.from({ length: 20 }, (_, at) => `pod-${at}`);
  for (const name of names) rig.here.add(rig.make(name));
  await rig.until(() => rig.held.length === 20, "the pods");
  const forbidden = { kind: "refuse", code: 403, reason: "Forbidden" } as const;
  rig.api.fail({ method: "PATCH", times: 1_000 }, forbidden);
  for (const pod of rig.held) rig.statuses.setPodStatus(pod, RUNNING);
  await rig.until(() => rig.calls().length >= 20, "a try each");
  // Each of five seconds has one.
  await rig.until(() => rig.calls().length >= 24, "some more");
  strictEqual(
    rig.messages.filter((each) => each === "status_failed").length,
    1,
  );
  rig.api.faults.clear();
  await rig.until(
    () => names.every((name) => rig.status(name)["phase"] === "Running"),
    "all statuses",
  );
  // All of them at each look would be twenty more each time.
  ok(rig.calls().length < 60, `${rig.calls().length} calls`);
  await rig.until(
    () => rig.messages.includes("status_recovered"),
    "the end of it",
  );
});

Deno.test("a list that is forbidden is said once, and the pods come when it is not any more", async () => {
  await using rig = await Rig.start((rig) => {
    rig.make("web");
    rig.api.fail({ path: /\/pods\?/, method: "GET", times: 5 }, {
      kind: "refuse",
      code: 403,
      reason: "Forbidden",
    });
  });
  await rig.until(() => rig.held.length === 1, "the pod");
  ok(rig.messages.filter((each) => each === "reflector_failed").length <= 2);
});

function fail(): never {
  throw new Error("Wanted a pod that is held");
}
