/**
 * The client of API servers, against a real one.
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  ok,
  rejects,
  strictEqual,
} from "node:assert/strict";
import { waitUntil } from "../../../scripts/lib/wait_until.ts";
import { systemClock, systemRandom } from "../../../mod/base/mod.ts";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import type { Lease, Node } from "../../../mod/api/cluster/mod.ts";
import type { Pod } from "../../../mod/api/types/mod.ts";
import type { ApiObject } from "../../../mod/api/workload/mod.ts";
import {
  SharedInformerFactory,
  WatchedKind,
} from "../../../mod/informer/shared/mod.ts";
import {
  CertificateKeeper,
  NODE_SIGNERS,
  nodeDraft,
  nodeKubeconfig,
  tryCertificate,
} from "../../../mod/kube/certificates/mod.ts";
import { KubeconfigFile } from "../../../mod/kube/config/mod.ts";
import {
  KubeKind,
  KubeObjects,
  kubeResource,
  requestToken,
} from "../../../mod/kube/objects/mod.ts";
import { KubeTransport } from "../../../mod/kube/transport/mod.ts";
import type { Cluster } from "../../support/cluster/cluster.ts";
import { withCluster } from "../../support/cluster/with_cluster.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const DEPS = {
  random: systemRandom,
  log: silentLogger,
  metrics: new MetricsRegistry(),
};
const USER_AGENT = { userAgent: "skerry/test" };
const { signal } = new AbortController();
const PODS = kubeResource({ apiVersion: "v1", kind: "Pod" });
const NODES = kubeResource({ apiVersion: "v1", kind: "Node" });
const LEASES = kubeResource({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
});

/** A client with the kubeconfig at a path. */
function clientOf(path: string, clock = systemClock): KubeTransport {
  const source = new KubeconfigFile(path, Deno.readTextFile);
  return new KubeTransport({ ...DEPS, source, clock }, USER_AGENT);
}

/** A pod on a node, as an administrator makes it. */
async function createPod(
  cluster: Cluster,
  name: string,
  nodeName: string,
): Promise<void> {
  await cluster.api.create("/api/v1/namespaces/default/pods", {
    metadata: { name, labels: { app: "web" } },
    spec: {
      nodeName,
      automountServiceAccountToken: false,
      containers: [{ name: "main", image: "busybox" }],
    },
  });
}

await withCluster("the client of API servers", (test) => {
  test("gets a node its certificate from a bootstrap token on", bootstrap);
  test("registers a node and renews its lease, and no other's", register);
  test("sees by an informer what becomes of the pods of a node", informs);
  test("is told why when it is refused", refusals);
  test("reads pages, and gets a token for one of the pods", pagesAndTokens);
  test("opens more watches than a connection may have", manyWatches);
  test("notices within 45 s that the API server stands still", standstill);
}, { hasControllers: true });

async function bootstrap(cluster: Cluster): Promise<void> {
  const bootstrap = new KubeconfigFile(
    await cluster.bootstrapKubeconfig(),
    Deno.readTextFile,
  );
  const path = `${cluster.directory}/edge0.pem`;
  const kubeconfig = `${cluster.directory}/edge0.conf`;
  await Deno.writeTextFile(
    kubeconfig,
    nodeKubeconfig(await bootstrap.access(), path),
  );
  await using first = new KubeTransport({
    ...DEPS,
    source: bootstrap,
    clock: systemClock,
  }, USER_AGENT);
  await using own = clientOf(kubeconfig);
  const stop = new AbortController();
  let isRenewed = false;
  const keeper = new CertificateKeeper({
    ...DEPS,
    clock: systemClock,
    files: {
      read: (path) => Deno.readTextFile(path).catch(() => undefined),
      replace: (path, text) => Deno.writeTextFile(path, text, { mode: 0o600 }),
      remove: (path) => Deno.remove(path),
    },
    api: () => first,
    tryOut: (pair, signal) =>
      tryCertificate(pair, {
        ...DEPS,
        ...USER_AGENT,
        clock: systemClock,
        source: bootstrap,
      }, signal),
    whenRenewed: () => isRenewed = true,
  }, { ...NODE_SIGNERS.client, path, draft: () => nodeDraft("edge0") });
  const running = keeper.run(stop.signal);
  await waitUntil("a certificate", async () => {
    await approveAll(cluster);
    return isRenewed;
  });
  stop.abort();
  await running;
  const who = await cluster.kubectl(["auth", "whoami"], { kubeconfig });
  match(who.text, /system:node:edge0/);
  match(who.text, /system:nodes/);
  const nodes = new KubeKind<Node>(own, NODES);
  const node = await nodes.create({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "edge0" },
  }, signal);
  strictEqual(node.metadata.name, "edge0");
}

/** Approves what nodes have asked for, as the administrator of a cluster does. */
async function approveAll(cluster: Cluster): Promise<void> {
  const { text } = await cluster.kubectl(["get", "csr", "-o", "name"]);
  const names = text.split("\n").filter((name) => name.includes("node-csr-"));
  for (const name of names) {
    const [, request = ""] = name.split("/");
    await cluster.kubectl(["certificate", "approve", request]);
  }
}

async function register(cluster: Cluster): Promise<void> {
  await using client = clientOf(await cluster.nodeKubeconfig("edge1"));
  const nodes = new KubeKind<Node>(client, NODES);
  const place = { namespace: "", name: "edge1" };
  const fresh = { apiVersion: "v1", kind: "Node", metadata: { name: "edge1" } };
  const node = await nodes.create(fresh, signal);
  ok(node.metadata.uid !== "" && !("managedFields" in node.metadata));
  await rejects(nodes.create(fresh, signal), { reason: "AlreadyExists" });
  const condition = {
    type: "Ready",
    status: "True",
    reason: "KubeletReady",
    message: "it is",
  };
  const body = { status: { conditions: [condition] } };
  const ready = await nodes.patch(place, {
    type: "strategic",
    body,
    subresource: "status",
  }, signal);
  strictEqual(ready.status?.conditions?.[0]?.type, "Ready");
  await rejects(
    nodes.create({ ...fresh, metadata: { name: "edge9" } }, signal),
    { reason: "Forbidden", message: /not allowed to modify node "edge9"/ },
  );
  const leases = new KubeKind<Lease>(client, LEASES, { timeoutMs: 10_000 });
  const metadata = { namespace: "kube-node-lease", name: "edge1" };
  const kinds = { apiVersion: "coordination.k8s.io/v1", kind: "Lease" };
  const spec = {
    holderIdentity: "edge1",
    leaseDurationSeconds: 40,
    renewTime: "2026-01-01T00:00:00.000000Z",
  };
  const lease = await leases.create({ ...kinds, metadata, spec }, signal);
  const renewed = await leases.update(
    { ...lease, spec: { ...spec, renewTime: "2026-01-01T00:00:10.000000Z" } },
    {},
    signal,
  );
  strictEqual(renewed.spec.renewTime, "2026-01-01T00:00:10.000000Z");
  await rejects(leases.update(lease, {}, signal), { reason: "Conflict" });
}

async function informs(cluster: Cluster): Promise<void> {
  await using client = clientOf(await cluster.nodeKubeconfig("edge1"));
  const pods = new KubeKind<Pod & ApiObject>(client, PODS);
  for (const streams of [true, false]) {
    const seen: string[] = [];
    const stop = new AbortController();
    const deps = { ...DEPS, clock: systemClock, freezes: true };
    const factory = new SharedInformerFactory(deps, {
      streams,
      selection: { fieldSelector: "spec.nodeName=edge1" },
    });
    const kind = new WatchedKind<Pod & ApiObject>(
      { apiVersion: "v1", kind: "Pod" },
      pods,
    );
    factory.informer(kind).addHandler((notice) => {
      seen.push(`${notice.kind} ${notice.object.metadata.name}`);
    }, { name: "test" });
    const running = factory.run(stop.signal);
    const name = streams ? "web-1" : "web-2";
    await createPod(cluster, name, "edge1");
    await waitUntil("the pod", () => seen.includes(`added ${name}`), {
      saw: () => seen,
    });
    const place = { namespace: "default", name };
    const pod = await pods.get(place, signal);
    const uid = pod.metadata.uid;
    const wrong = pods.delete(
      place,
      { uid: "another", gracePeriodSeconds: 0 },
      signal,
    );
    await rejects(wrong, { reason: "Conflict" });
    const body = {
      metadata: { uid },
      status: { phase: "Failed", message: "it is a test" },
    };
    await pods.patch(
      place,
      { type: "strategic", body, subresource: "status" },
      signal,
    );
    await pods.delete(place, { uid, gracePeriodSeconds: 0 }, signal);
    await waitUntil("its end", () => seen.includes(`removed ${name}`), {
      saw: () => seen,
    });
    stop.abort();
    await running;
  }
}

async function refusals(cluster: Cluster): Promise<void> {
  await using client = clientOf(cluster.adminKubeconfig);
  const pods = new KubeKind<Pod & ApiObject>(client, PODS);
  const objects = new KubeObjects(client);
  const ref = {
    apiVersion: "v1",
    kind: "Pod",
    namespace: "default",
    name: "none",
  };
  await rejects(objects.get(ref, signal), { reason: "NotFound" });
  const { resourceVersion } = await pods.list({}, signal);
  await rejects(
    pods.list({ resourceVersion: `${Number(resourceVersion) + 1e6}` }, signal),
    { reason: "ResourceVersionTooLarge" },
  );
  await rejects(pods.list({ labelSelector: "a in (" }, signal), {
    reason: "BadRequest",
  });
  await rejects(pods.list({ continue: "garbage" }, signal), {
    reason: "BadRequest",
  });
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "default", name: "A_B" },
  };
  await rejects(pods.create({ ...pod, spec: { containers: [] } }, signal), {
    reason: "Invalid",
  });
  await using node = clientOf(await cluster.nodeKubeconfig("edge1"));
  await rejects(
    new KubeKind(node, kubeResource({ apiVersion: "v1", kind: "Secret" })).list(
      {},
      signal,
    ),
    { reason: "Forbidden" },
  );
}

async function pagesAndTokens(cluster: Cluster): Promise<void> {
  await using client = clientOf(cluster.adminKubeconfig);
  const pods = new KubeKind<Pod & ApiObject>(client, PODS);
  await createPod(cluster, "page-1", "edge1");
  await createPod(cluster, "page-2", "edge1");
  const first = await pods.list({ limit: 1 }, signal);
  strictEqual(first.items.length, 1);
  const second = await pods.list(
    { limit: 500, continue: first.continue ?? "" },
    signal,
  );
  const names = [...first.items, ...second.items].map(({ metadata }) =>
    metadata.name
  );
  deepStrictEqual(names, ["page-1", "page-2"]);
  const [bound] = first.items;
  const boundTo = {
    apiVersion: "v1",
    kind: "Pod",
    name: "page-1",
    uid: bound?.metadata.uid ?? "",
  };
  const wish = {
    namespace: "default",
    serviceAccount: "default",
    audiences: [],
    expirationSeconds: 600,
    boundTo,
  };
  const { token, lifeMs } = await requestToken(client, wish, signal);
  match(token.reveal(), /^[\w-]+\.[\w-]+\.[\w-]+$/);
  strictEqual(lifeMs, 600_000);
}

async function manyWatches(cluster: Cluster): Promise<void> {
  await using client = clientOf(cluster.adminKubeconfig);
  const maps = new KubeKind<ApiObject>(
    client,
    kubeResource({ apiVersion: "v1", kind: "ConfigMap" }),
  );
  const stop = new AbortController();
  const heard = new Set<number>();
  const reading: Promise<void>[] = [];
  for (let number = 0; number < 130; number++) {
    const watch = await maps.watch({
      namespace: "default",
      fieldSelector: "metadata.name=many",
      sendInitialEvents: true,
      allowWatchBookmarks: true,
    }, stop.signal);
    const read = async (): Promise<void> => {
      for await (const event of watch) {
        if (event.type === "ADDED") heard.add(number);
      }
    };
    reading.push(read());
  }
  await cluster.kubectl(["create", "configmap", "many"]);
  await waitUntil("all watches to hear of it", () => heard.size === 130, {
    saw: () => heard.size,
  });
  stop.abort();
  await Promise.all(reading);
}

async function standstill(cluster: Cluster): Promise<void> {
  const clock = new FakeClock();
  await using client = clientOf(cluster.adminKubeconfig, clock);
  const pods = new KubeKind<ApiObject>(client, PODS);
  const watch = await pods.watch({}, signal);
  const events = watch[Symbol.asyncIterator]();
  await events.next();
  let end: unknown;
  const rest = async (): Promise<void> => {
    while (!(await events.next()).done);
  };
  rest().then(() => end = "ended", (error) => end = error);
  const pid = cluster.pid("kube-apiserver") ?? 0;
  Deno.kill(pid, "SIGSTOP");
  try {
    const beganMs = clock.monotonic();
    await waitUntil("the watch to break", async () => {
      await clock.advance(500);
      return end !== undefined;
    });
    ok(clock.monotonic() - beganMs <= 45_500);
    match(`${end}`, /says nothing any more on this connection/);
  } finally {
    Deno.kill(pid, "SIGCONT");
  }
  const again = await pods.list({}, signal);
  ok(again.items.length >= 2);
}
