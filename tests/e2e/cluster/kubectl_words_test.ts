/**
 * What commands show, beside what kubectl shows of the very same objects.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { isRecord } from "../../../mod/base/mod.ts";
import { waitUntil } from "../../../scripts/lib/wait_until.ts";
import type { Cluster } from "../../support/cluster/cluster.ts";
import { rolloutStatus } from "../../../mod/cli/rollout/mod.ts";
import { withCluster } from "../../support/cluster/with_cluster.ts";
import { run, TestIo } from "../../support/cli/test_io.ts";

const NAMES = {
  deployment: "web",
  replicationcontroller: "old",
  daemonset: "log",
  statefulset: "db",
  job: "pi",
  cronjob: "tick",
  persistentvolumeclaim: "disk",
  configmap: "settings",
  secret: "keys",
  runtimeclass: "fast",
  priorityclass: "urgent",
  service: "web",
} as const;

const POD = {
  containers: [{
    name: "main",
    image: "busybox:1",
    ports: [{ containerPort: 80, name: "http" }],
    env: [{ name: "A", value: "1" }],
    resources: { requests: { cpu: "100m" }, limits: { memory: "64Mi" } },
  }],
};

function template(app: string, spec: object = {}) {
  return { metadata: { labels: { app } }, spec: { ...POD, ...spec } };
}

function selector(app: string) {
  return { matchLabels: { app } };
}

const CLAIM = {
  accessModes: ["ReadWriteOnce"],
  resources: { requests: { storage: "1Gi" } },
};

const OBJECTS = [
  object("apps/v1", "Deployment", "web", {
    spec: { replicas: 2, selector: selector("web"), template: template("web") },
  }),
  object("v1", "ReplicationController", "old", {
    spec: { replicas: 1, selector: { app: "old" }, template: template("old") },
  }),
  object("apps/v1", "DaemonSet", "log", {
    spec: { selector: selector("log"), template: template("log") },
  }),
  object("apps/v1", "StatefulSet", "db", {
    spec: {
      serviceName: "db",
      selector: selector("db"),
      template: template("db"),
      volumeClaimTemplates: [{ metadata: { name: "data" }, spec: CLAIM }],
    },
  }),
  object("batch/v1", "Job", "pi", {
    spec: {
      completions: 2,
      template: template("pi", { restartPolicy: "Never" }),
    },
  }),
  object("batch/v1", "CronJob", "tick", {
    spec: {
      schedule: "0 0 1 1 *",
      timeZone: "Etc/UTC",
      jobTemplate: {
        spec: { template: template("tick", { restartPolicy: "Never" }) },
      },
    },
  }),
  object("v1", "PersistentVolumeClaim", "disk", { spec: CLAIM }),
  object("v1", "ConfigMap", "settings", { data: { a: "1", b: "two\nlines" } }),
  object("v1", "Secret", "keys", { stringData: { password: "word" } }),
  object("node.k8s.io/v1", "RuntimeClass", "fast", { handler: "kata" }),
  object("scheduling.k8s.io/v1", "PriorityClass", "urgent", {
    value: 1000,
    description: "what comes first",
  }),
  object("v1", "Service", "web", {
    spec: {
      clusterIP: "None",
      selector: { app: "web" },
      ports: [{ port: 80 }],
    },
  }),
];

function object(apiVersion: string, kind: string, name: string, rest: object) {
  return { apiVersion, kind, metadata: { name }, ...rest };
}

await withCluster("the words of kubectl", (test) => {
  test("the objects are there", async (cluster) => {
    const path = `${cluster.directory}/objects.json`;
    const list = { apiVersion: "v1", kind: "List", items: OBJECTS };
    await Deno.writeTextFile(path, JSON.stringify(list));
    await kubectl(cluster, `create -f ${path}`);
    await untilMade(cluster, 5);
    await kubectl(cluster, "set image deployment web main=busybox:2");
    await untilMade(cluster, 6);
  });

  for (const [kind, name] of Object.entries(NAMES)) {
    test(`get ${kind}`, async (cluster) => {
      for (
        const line of [`get ${kind} -o wide`, `get ${kind} ${name} -o name`]
      ) {
        const [ours, theirs] = await both(cluster, line);
        deepStrictEqual(ours, theirs);
      }
    });
    test(`describe ${kind}`, async (cluster) => {
      const [ours, theirs] = await both(cluster, `describe ${kind} ${name}`);
      const known = new Set(fieldsOf(ours));
      deepStrictEqual(
        fieldsOf(theirs).filter((each) => !known.has(each)),
        LEFT_OUT[kind] ?? [],
      );
    });
  }
  test("rollout history and status", async (cluster) => {
    for (
      const line of ["rollout history deployment web", "rollout history sts db"]
    ) {
      const [ours, theirs] = await both(cluster, line);
      deepStrictEqual(ours, theirs);
    }
    for (
      const [kind, name] of [["deployment", "web"], ["sts", "db"], [
        "ds",
        "log",
      ]]
    ) {
      const { output } = await asked(cluster, `get ${kind} ${name} -o json`);
      const status = rolloutStatus(JSON.parse(output));
      strictEqual(
        status?.kind === "failed" ? status.why : `${status?.text}\n`,
        await kubectl(cluster, `rollout status ${kind} ${name} --watch=false`),
      );
    }
  });
}, { hasControllers: true });

/** The items of an API server's lists do not say what they are. */
function withKinds(body: unknown): unknown {
  if (!isRecord(body) || !Array.isArray(body["items"])) return body;
  const { apiVersion, kind, items } = body;
  const own = { apiVersion, kind: String(kind).replace(/List$/, "") };
  return { ...body, items: items.map((each) => ({ ...own, ...each })) };
}

/** The names of fields, in their order. */
function fieldsOf(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => /^ *([A-Z][^:]*):/.exec(line)?.[1] ?? []);
}

// The node has no taints, so what a pod tolerates means nothing.
const OF_TEMPLATES = ["Tolerations"];

/** What kubectl describes and commands do not, since it says nothing on a node. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  deployment: OF_TEMPLATES,
  replicationcontroller: OF_TEMPLATES,
  daemonset: OF_TEMPLATES,
  statefulset: OF_TEMPLATES,
  job: OF_TEMPLATES,
  cronjob: OF_TEMPLATES,
  // The node's store knows none.
  persistentvolumeclaim: ["Finalizers"],
  // kubectl has no words of its own for it and shows the fields as they are.
  runtimeclass: [
    "Namespace",
    "API Version",
    "Kind",
    "Metadata",
    "Creation Timestamp",
    "Resource Version",
    "UID",
  ],
  // There is no proxy.
  service: [
    "IP Family Policy",
    "IP Families",
    "IPs",
    "Session Affinity",
    "Internal Traffic Policy",
  ],
};

async function kubectl(cluster: Cluster, line: string): Promise<string> {
  const { ok, text } = await cluster.kubectl(line.split(" "));
  if (!ok) throw new Error(`Cannot "${line}": ${text}`);
  return text;
}

/** Waits until controllers have made so many pods. */
async function untilMade(cluster: Cluster, count: number): Promise<void> {
  let seen = "";
  await waitUntil(`${count} pods`, async () => {
    seen = await kubectl(cluster, "get pods -o name");
    return seen.split("\n").length > count;
  }, { saw: () => seen });
}

/** What a command shows, line by line, and what kubectl does. */
async function both(cluster: Cluster, line: string) {
  const { output, errors } = await asked(cluster, line);
  strictEqual(errors, "");
  return [
    comparable(output),
    comparable(await kubectl(cluster, line)),
  ] as const;
}

/** Runs a command that takes the API server for its agent. */
async function asked(cluster: Cluster, line: string) {
  const path = `${cluster.directory}/${crypto.randomUUID()}.sock`;
  await using _server = Deno.serve({ path, onListen() {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    const { status, body } = await cluster.api.ask("GET", pathname + search);
    return Response.json(withKinds(body), { status });
  });
  return await run(`${line} --control-socket=${path}`, new TestIo());
}

function comparable(text: string): readonly string[] {
  return text.split("\n").map((line) =>
    // A claim of the node shows what it wants until it is bound.
    line.replace(/(Pending +)RWO +/, "$1").replace(/\b(\d+[smhd])+\b/g, "AGE")
      .trimEnd().replace(/ {2,}/g, "  ")
  );
}
