/**
 * What pods of a cluster refer to, as the node asks a server for it, over TLS.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { buildClusterSource } from "../../../mod/app/cluster/mod.ts";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import { KubeconfigFile } from "../../../mod/kube/config/mod.ts";
import { KubeTransport } from "../../../mod/kube/transport/mod.ts";
import { SharedInformer } from "../../../mod/informer/shared/mod.ts";
import { KubeKind, kubeResource } from "../../../mod/kube/objects/mod.ts";
import type { Pod } from "../../../mod/api/types/mod.ts";
import type { SourceSet } from "../../../mod/source/merge/mod.ts";
import { coreConfig } from "../../support/agent/core_config.ts";
import { parseApiPath } from "../../support/cluster/api_path.ts";
import { ScriptedApi } from "../../support/cluster/scripted_api.ts";
import { EventList } from "../../support/event_list.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { messagesTo } from "../../support/log_lines.ts";
import { seededRandom } from "../../support/seeded_random.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

const POD = { apiVersion: "v1", kind: "Pod" } as const;

/** The source of a node over a server that a test fills. */
class Rig implements AsyncDisposable {
  // The server says by its own clock when a token ends.
  readonly clock = new FakeClock(Date.now());
  readonly messages: string[] = [];
  readonly api: ScriptedApi;
  last: SourceSet | undefined;
  readonly #stack = new AsyncDisposableStack();

  private constructor(api: ScriptedApi) {
    this.api = this.#stack.use(api);
  }

  static async start(): Promise<Rig> {
    const rig = new Rig(await ScriptedApi.start());
    const dir = rig.#stack.use(await TempDir.make());
    const kubeconfig = `${dir.path}/node.kubeconfig`;
    await Deno.writeTextFile(kubeconfig, await rig.api.nodeKubeconfig("edge1"));
    const flags = [`--kubeconfig=${kubeconfig}`, "--node-labels=disk=fast"];
    const config = await coreConfig(dir.path, { flags });
    ok(config.cluster !== undefined);
    const given = {
      clock: rig.clock,
      random: seededRandom(1),
      metrics: new MetricsRegistry(),
      log: messagesTo(rig.messages),
      events: new EventList(),
    };
    const identity = new KubeconfigFile(kubeconfig, Deno.readTextFile);
    const transport = rig.#stack.use(
      new KubeTransport({ ...given, source: identity }, { userAgent: "test" }),
    );
    const kind = new KubeKind<Pod>(transport, kubeResource(POD));
    const selection = { fieldSelector: "spec.nodeName=edge1" };
    const informer = new SharedInformer<Pod>({ ...given, source: kind }, {
      ...POD,
      selection,
    });
    const source = buildClusterSource(config, config.cluster, {
      ...given,
      transport,
      node: {
        ...{ current: undefined, hasSynced: true, isKnown: true, isOurs: true },
      },
      pods: { informer, kind, selection, refusalsChanged() {} },
      hasPod: () => false,
    });
    const stop = new AbortController();
    const follow = async (): Promise<void> => {
      for await (const set of source.run(stop.signal)) rig.last = set;
    };
    const running = [informer.run(stop.signal), follow()];
    rig.#stack.defer(async () => {
      stop.abort();
      await Promise.allSettled(running);
    });
    return rig;
  }

  make(
    path: string,
    kind: string,
    name: string,
    rest: Readonly<Record<string, unknown>>,
  ): string {
    const place = parseApiPath(`/api/v1/${path}`);
    ok(place !== undefined);
    const metadata = {
      name,
      ...path.startsWith("namespaces") && { namespace: "shop" },
    };
    const body = { apiVersion: "v1", kind, metadata, ...rest };
    return this.api.objects.create(place, body).metadata.uid;
  }

  pod(spec: object): void {
    this.make("namespaces/shop/pods", "Pod", "web", {
      spec: {
        nodeName: "edge1",
        containers: [{ name: "c", image: "a" }],
        ...spec,
      },
    });
  }

  /** Waits for a set, with a clock that goes. */
  async until(holds: (set: SourceSet) => boolean, what: string): Promise<void> {
    await until(
      async () => {
        await this.clock.advance(20);
        return this.last !== undefined && holds(this.last);
      },
      what,
      () => [...this.api.lines.slice(-9), ...this.messages.slice(-9)].join(),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

const forbidden = { kind: "refuse", code: 403, reason: "Forbidden" } as const;

Deno.test("(IN-11) a pod whose Secret the node may not read is there, with the server's words, until it may", async () => {
  await using rig = await Rig.start();
  rig.make("namespaces/shop/secrets", "Secret", "keys", {
    data: { a: btoa("1") },
  });
  const match = { path: /\/secrets/, times: 1_000 };
  rig.api.fail(match, { ...forbidden, message: "no relationship found" });
  rig.pod({ volumes: [{ name: "v", secret: { secretName: "keys" } }] });
  await rig.until(({ pods }) => pods.length === 1, "the pod");
  const [withheld] = rig.last?.withheld ?? [];
  strictEqual(withheld?.name, "keys");
  ok(withheld.why.includes("403: no relationship found"), withheld.why);
  rig.api.faults.clear();
  await rig.until(({ withheld = [] }) => withheld.length === 0, "the right");
  deepStrictEqual(rig.last?.objects.map(({ name }) => name), ["keys"]);
  // And when it is lost again, nothing is taken.
  rig.api.fail(match, forbidden);
  rig.api.endWatches();
  const { length } = rig.messages;
  await rig.until(
    () => rig.messages.slice(length).includes("reflector_failed"),
    "a refusal",
  );
  deepStrictEqual(rig.last?.objects.map(({ name }) => name), ["keys"]);
  deepStrictEqual(rig.last?.withheld, []);
});

Deno.test("a claim is asked for by name, as is its volume, until it has one", async () => {
  await using rig = await Rig.start();
  rig.pod({
    volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }],
  });
  await rig.until(({ pods }) => pods.length === 1, "the pod");
  deepStrictEqual(rig.last?.objects, []);
  const claims = "namespaces/shop/persistentvolumeclaims";
  const uid = rig.make(claims, "PersistentVolumeClaim", "data", {
    spec: { volumeName: "pv", accessModes: ["ReadWriteOnce"] },
    status: { phase: "Bound" },
  });
  const binding = (): unknown => {
    const [object] = rig.last?.objects ?? [];
    return object?.kind === "PersistentVolumeClaim" && object.binding;
  };
  const why = (text: string) => () => JSON.stringify(binding()).includes(text);
  await rig.until(why("failed to fetch PV pv"), "a claim without its volume");
  const nodeAffinity = {
    required: {
      nodeSelectorTerms: [{
        matchExpressions: [{ key: "disk", operator: "In", values: ["fast"] }],
      }],
    },
  };
  rig.make("persistentvolumes", "PersistentVolume", "pv", {
    spec: { local: { path: "/mnt/a" }, claimRef: { uid }, nodeAffinity },
  });
  await rig.until(why("/mnt/a"), "its volume");
  deepStrictEqual(binding(), { kind: "local", volume: "pv", path: "/mnt/a" });
  const asked = rig.api.lines.filter((line) => line.includes("persistent"));
  ok(
    asked.every((line) =>
      /^GET \S+\/(persistentvolumeclaims\/data|persistentvolumes\/pv)$/.test(
        line,
      )
    ),
    asked.join(),
  );
});

Deno.test("a claim that cannot be read keeps its pod waiting in words", async () => {
  await using rig = await Rig.start();
  const claims = "namespaces/shop/persistentvolumeclaims";
  rig.make(claims, "PersistentVolumeClaim", "data", {
    spec: { volumeName: 5 },
  });
  rig.pod({
    volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }],
  });
  await rig.until(({ pods }) => pods.length === 1, "the pod");
  const [withheld] = rig.last?.withheld ?? [];
  ok(withheld?.why.startsWith('Cannot read "data": spec.volumeName'));
});

Deno.test("the token of a pod is bound to it, and another one is asked for at 80 % of its life", async () => {
  await using rig = await Rig.start();
  const path = "namespaces/shop/serviceaccounts";
  const source = { path: "token", audience: "vault", expirationSeconds: 7_200 };
  rig.pod({
    serviceAccountName: "robot",
    volumes: [{
      name: "t",
      projected: { sources: [{ serviceAccountToken: source }] },
    }],
  });
  await rig.until(({ pods }) => pods.length === 1, "a pod without its token");
  const why = rig.last?.withheld?.map(({ why }) => why).join() ?? "";
  ok(why.includes("the API server answered 404"), why);
  rig.make(path, "ServiceAccount", "robot", {});
  const token = (): string => {
    const [object] = rig.last?.objects ?? [];
    const [bytes] = object?.kind === "Secret" ? object.entries.values() : [];
    return new TextDecoder().decode(bytes);
  };
  await rig.until(() => token() === "token-1-of-robot", "the first one");
  const { uid } = rig.last?.pods[0]?.metadata ?? {};
  const asked = rig.api.requests.findLast(({ method }) => method === "POST");
  deepStrictEqual(asked?.body, {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: {
      audiences: ["vault"],
      expirationSeconds: 7_200,
      boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "web", uid },
    },
  });
  const asks = () =>
    rig.api.requests.filter(({ method }) => method === "POST").length;
  const before = asks();
  // Earlier by 10 s at most, and the server's clock goes by itself.
  await rig.clock.advance((0.8 * 7_200 - 30) * 1_000);
  strictEqual(asks(), before);
  await rig.clock.advance(60_000);
  await rig.until(() => token() === "token-2-of-robot", "the next one");
});
